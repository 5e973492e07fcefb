"""Determines from bytecode how a function uses the result of one of its instructions.

A scalar that depends on pending work may stay lazy where the function can only calculate with it:
no other code can find out that its type is not NumPy's. Everywhere else (arguments, attributes,
global names, most containers) it must be NumPy's scalar, so pending work runs. The answer depends
on the code alone, never on what the program did before.

This is an abstract interpretation (`function.py`). A stack slot or local variable holds a set of
`Value` (`values.py`) that it may refer to. Local variables and the elements of each list have one
set for the whole function, which only grows; its readers are interpreted again until a fixed point
is reached. One table (`effects.py`) gives the stack effect of each instruction. An instruction that
is not in it lets everything on the stack escape, so a new version of Python may cost speed but not
correctness.
"""

from __future__ import annotations

from hassium._uses.function import Function, use_at
from hassium._uses.values import Maker, Use

__all__ = ["Function", "Maker", "Use", "use_at"]
