"""One HTML file to send to a colleague: the answer in words, figures to touch, and a table of every figure.

The only room that knows bokeh and jinja2. It takes plain parts and tables and knows no Fit.
"""

from ffbm.report.page import render_page
from ffbm.report.subject import Contrast, Subject
from ffbm.report.table import Table

__all__ = ["Contrast", "Subject", "Table", "render_page"]
