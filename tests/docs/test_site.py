"""The site: builds without a warning, asks nothing of the net, has every page and every public name."""

import inspect
import os
import re
import subprocess
import sys
from html.parser import HTMLParser

import pytest

import ffbm

from .loading import DOCS, ROOT

FETCHED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "video": "src", "link": "href"}


class Page(HTMLParser):
    """What a page fetches, the ids it has, and its text without tags."""

    def __init__(self, text):
        super().__init__()
        self.fetched, self.ids, self.text = [], set(), []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.ids.add(given.get("id"))
        if FETCHED.get(tag) in given:
            self.fetched.append(given[FETCHED[tag]])

    def handle_data(self, data):
        self.text.append(data)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"}, capture_output=True, text=True
    )
    said = [line for line in (done.stdout + done.stderr).splitlines() if line and not line.startswith("INFO")]
    assert done.returncode == 0, "\n".join(said)
    assert said == []
    return folder


@pytest.fixture(scope="module")
def pages(site):
    return {path.name: Page(path.read_text(encoding="utf-8")) for path in site.glob("*.html")}


def test_every_page_is_there(pages):
    assert set(pages) == {f"{path.stem}.html" for path in DOCS.glob("*.md")} | {"404.html"}


def test_nothing_is_fetched_from_elsewhere(site, pages):
    for name, page in pages.items():
        assert page.fetched, name
        assert [url for url in page.fetched if re.match(r"(\w+:)?//", url)] == [], name
    for path in site.rglob("*.css"):
        assert not re.search(r"url\(\s*['\"]?(\w+:)?//", path.read_text(encoding="utf-8")), path.name
    text = "".join((site / name).read_text(encoding="utf-8") for name in pages)
    assert 'class="mermaid"' not in text  # for diagrams the theme would load a script


def test_only_what_pages_need_is_published(site):
    assert {path.suffix for path in site.rglob("*") if path.is_file()} <= {
        ".html", ".css", ".js", ".map", ".json", ".png", ".svg", ".xml", ".gz"
    }  # fmt: skip
    assert not list(site.rglob("results.json"))


def test_every_public_name_is_in_the_reference_with_its_signature(pages):
    page = pages["api.html"]
    text = "".join(page.text)
    for name in set(ffbm.__all__) - {"__version__"}:
        assert f"ffbm.{name}" in page.ids, f"::: ffbm.{name} is missing in docs/api.md"
        public = getattr(ffbm, name)
        if inspect.isfunction(public):
            for argument in inspect.signature(public).parameters:
                assert re.search(rf"\b{argument}\b", text), f"{name}({argument}=)"
    for name in ("DataError", "OptionError", "ConvergenceWarning"):
        assert f"ffbm.errors.{name}" in page.ids
    for method in ("summary", "predict", "effects", "save", "report", "plot", "to_datatree", "to_networkx"):
        assert f"ffbm.Fit.{method}" in page.ids


def test_formulas_are_set_without_a_script(site, pages):
    for name, least in (("model.html", 20), ("weights.html", 20)):
        html = (site / name).read_text(encoding="utf-8")
        assert html.count("<math") >= least
        assert "arithmatex" not in html
    shown = "".join(pages["model.html"].text)
    assert not re.search(r"\\(frac|mathrm|sum|ln)\b", shown)
