"""The commands of this package, one per file."""
