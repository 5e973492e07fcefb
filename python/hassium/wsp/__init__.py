"""Partitioning of programs into blocks, offline: ``python -m hassium.wsp``.

`command` is the command. Programs of instructions are partitioned by the engine (`hassium.debug`)
and by `ilp`. Programs of array combinators, with their orders, are partitioned here only:

- `combinators`: their definition and text form;
- `orders`: which of them may share a block;
- `costs`: the cost of a partition;
- `greedy`, `exhaustive`, `ilp`: partitioners. `positions` and `paths` are the common parts of all
  integer programs, `solver` passes them to HiGHS.
"""
