"""Batches on other machines, at batch prices and in shards, and corpora on servers.

The core reaches this package only through entry points (`verifytui.plugins`).
"""
