"""NumPy's functions by topic: the native forms behind ``hassium.NAME``."""
