"""Tools for the generators of one array: ``python -m hassium.withloop``.

`command` is the command. The phases run in the extension (`hassium.debug.generators`); `dumps`
parses their output, `picture` draws it.
"""
