"""Interoperation: how other packages' functions and classes accept arrays and modules."""
