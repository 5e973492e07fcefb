"""``python -m hassium.withloop``: the command."""

from __future__ import annotations

import sys

from hassium.withloop.command import main

sys.exit(main())
