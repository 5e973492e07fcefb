"""What a function does with the result of one of its instructions, read from its bytecode.

A number that pending work will give may stay pending where the function can only calculate with it:
no other code can find out that its type is not NumPy's. Everywhere else, in arguments, attributes,
global names and most containers, it has to be NumPy's scalar, so that what is pending runs. The
answer depends on the code alone, never on what the program did before.

The code is interpreted abstractly (`function.py`). A place of the stack or a local variable holds a
set of `Value` (`values.py`): what it may refer to. Local variables and the elements of each list
have one set for the whole function, which only grows; what reads it is interpreted again until
nothing does. One table (`effects.py`) says for each instruction what it does to the stack. An
instruction that is not in it lets everything on the stack escape, so that a new version of Python
may cost speed and no correctness.
"""

from __future__ import annotations

from hassium._uses.function import Function, use_at
from hassium._uses.values import Maker, Use

__all__ = ["Function", "Maker", "Use", "use_at"]
