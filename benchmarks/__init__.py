"""The harness that times the programs: `python -m benchmarks --help`."""
