"""Batches on other machines, at the price of batches, in shards; corpora on servers.

The core reaches it only through entry points (`verifytui.plugins`).
"""
