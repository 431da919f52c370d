"""Checks traces that are too large for one machine: Spark distributes the shards, etrace checks them."""
