"""Python's json takes a lazy scalar for the scalar of NumPy's that it stands for.

NumPy's float64 is one of Python's floats to whoever looks at the object, a lazy scalar only to
whoever asks for its class; ``json.dumps({"loss": error.mean()})`` looks at the object.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any

from hassium import _core


def _number(value: Any) -> Any:
    """NumPy's scalar for a lazy one; anything else as it is."""
    return value[()] if type(value) is _core.scalar else value


def _aware(make: Callable[..., Any]) -> Callable[..., Any]:
    """A maker of encoders that take lazy scalars.

    What json does not know it gives to `default`, the program's or its own, and encodes what that
    returns. A lazy scalar becomes NumPy's there, and goes on as that. The encoder in Python takes a
    lazy float for a float and hands it to its fifth argument, a function; the one in C has a text
    there.
    """

    @functools.wraps(make)
    def made(markers: Any, default: Callable[[Any], Any], *others: Any, **keywords: Any) -> Any:
        def known(value: Any) -> Any:
            number = _number(value)
            return default(value) if number is value else number

        def text(floats: Callable[..., str]) -> Callable[..., str]:
            return lambda value, *args, **kwargs: floats(_number(value), *args, **kwargs)

        if len(others) > 2 and callable(others[2]):
            others = (*others[:2], text(others[2]), *others[3:])
        return make(markers, known, *others, **keywords)

    return made


def apply() -> None:
    """Makes json take lazy scalars for NumPy's."""
    encoder: Any = importlib.import_module("json.encoder")
    for name in ("c_make_encoder", "_make_iterencode"):
        make = getattr(encoder, name, None)  # none in C where that module was not built
        if make is not None:
            setattr(encoder, name, _aware(make))
