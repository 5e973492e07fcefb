"""Generators of one array on paper: ``python -m hassium.withloop``.

`command` is the command. The phases run in the extension (`hassium.debug.generators`); `dumps`
reads what they print, `picture` draws it.
"""
