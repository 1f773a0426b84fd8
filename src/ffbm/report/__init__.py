"""One HTML file to send to a colleague: the answer in words, figures to touch, and a table of every figure.

The only subpackage that knows bokeh and jinja2. It takes plain parts and tables and knows no Fit.
"""

from ffbm.report.page import Chapter, TypesSubject, render_page, render_types
from ffbm.report.scene import Scene
from ffbm.report.subject import Contrast, Subject
from ffbm.report.table import Table

__all__ = ["Chapter", "Contrast", "Scene", "Subject", "Table", "TypesSubject", "render_page", "render_types"]
