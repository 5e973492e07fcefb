"""The documentation site. `.ci/docs` builds it, with warnings as errors, from the pages here.

Pages whose head names a kernel are notebooks: their cells run in the build.
"""

from __future__ import annotations

import hassium

project = "hassium"
release = version = hassium._core.__version__
extensions = ["myst_nb", "sphinx.ext.autodoc"]
exclude_patterns: list[str] = []

html_theme = "pydata_sphinx_theme"
html_title = project
html_sidebars = {"**": ["globaltoc.html"]}
html_theme_options = {"navbar_center": [], "show_prev_next": False, "navigation_with_keys": False}

myst_heading_anchors = 3
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 120
