"""Partitions of programs into blocks, on paper: ``python -m hassium.wsp``.

`command` is the command. Programs of instructions are partitioned by the engine (`hassium.debug`)
and by `ilp`. Programs of array combinators, with their orders, are partitioned here alone:

- `combinators`: what they are, and their text form;
- `orders`: which of them may share a block;
- `costs`: what a partition costs;
- `greedy`, `exhaustive`, `ilp`: partitioners. `positions` and `paths` are what all integer programs
  have in common, `solver` hands them to HiGHS.
"""
