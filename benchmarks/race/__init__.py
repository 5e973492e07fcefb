"""Workloads of `engine.py` and who takes part in its races."""
