"""NumPy programs, unchanged and faster."""
