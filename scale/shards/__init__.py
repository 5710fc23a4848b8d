"""Parts of a batch or a study that run apart, and how they are merged."""
