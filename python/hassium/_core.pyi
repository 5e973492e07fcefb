# Types of the compiled part. tests/repo holds names and parameters against the module.
from __future__ import annotations

from typing import Any

__version__: str

class ndarray:
    def __new__(cls, shape: Any, dtype: Any = ..., buffer: Any = ..., offset: int = ...,
                strides: Any = ..., order: Any = ...) -> ndarray: ...
    def __getattr__(self, name: str) -> Any: ...

class scalar:
    def __getattr__(self, name: str) -> Any: ...

class ufunc:
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __getattr__(self, name: str) -> Any: ...

ufuncs: dict[str, ufunc]
