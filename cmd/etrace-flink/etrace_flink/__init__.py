"""Experimental: checks traces in shards on Flink; etrace decides, Flink places and restarts tasks."""
