"""Checks traces that do not fit one machine: etrace decides, Spark shuffles, pipes and restarts."""
