# SPDX-License-Identifier: BSD-2-Clause
"""Sphinx's settings for the site. tools/doc/make_site.sh runs it; $SCANRT_DOC_XML names the folder of Doxygen's XML.

Two things are the project's own: the directive `api`, which shows what a header says of the names that it is given,
and links from each name of the API in the text to its description. The build fails where a public name is on no page
or on two."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

project = "scanrt"
version = release = os.environ.get("SCANRT_DOC_VERSION", "")
project_copyright = "the authors of scanrt"
extensions = ["myst_parser", "breathe", "sphinx_design", "sphinx_copybutton", "api_directive"]

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
myst_disable_syntax = ["myst_line_comment"]  # a line of the tree's Markdown files may begin with a percent sign
highlight_language = "bash"  # blocks without a language are commands

breathe_projects = {"scanrt": os.environ["SCANRT_DOC_XML"]}
breathe_default_project = "scanrt"
breathe_domain_by_extension = {"h": "c"}
breathe_show_include = False
c_maximum_signature_line_length = 80

html_theme = "furo"
html_title = f"scanrt {version}"
html_static_path = ["static"]
html_css_files = ["scanrt.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": True, "top_of_page_buttons": []}
copybutton_prompt_text = "$ "
