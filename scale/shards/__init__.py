"""Splits batches and studies into shards, and merges them."""
