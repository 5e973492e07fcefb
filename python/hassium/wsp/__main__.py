"""``python -m hassium.wsp``: the command."""

from __future__ import annotations

import sys

from hassium.wsp.command import main

sys.exit(main())
