"""Other packages: how their functions and classes take hassium's arrays and modules."""
