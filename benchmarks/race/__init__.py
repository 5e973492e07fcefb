"""Workloads and contenders of `engine.py`."""
