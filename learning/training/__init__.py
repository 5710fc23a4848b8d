"""Trains an encoder. Needs the extra `train`, and is only imported on use."""
