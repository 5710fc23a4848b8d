"""Audits of models that judge: items, probes, statistics and certificates."""
