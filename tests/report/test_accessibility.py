"""Reports by axe-core, the usual checker of accessibility, in a headless Chromium."""

from importlib.resources import files

import pytest

from .conftest import open_page

AUDIT = """
const done = arguments[0];
document.querySelectorAll("details").forEach((one) => { one.open = true; });
axe.run(document, { resultTypes: ["violations"] }).then((found) => done(found.violations.map((one) => [
  one.impact, one.id, one.help, one.nodes.slice(0, 5).map((node) => node.html.slice(0, 200))])));
"""


@pytest.fixture(scope="module")
def axe():
    """The text of axe-core's script."""
    return files("axe_core_python").joinpath("axe.min.js").read_text(encoding="utf-8")


@pytest.mark.parametrize(("theme", "width"), [("light", 1200), ("dark", 390)])
def test_no_serious_finding(axe, browser, page, theme, width):
    assert serious(axe, browser, page, theme, width) == []


def serious(axe, browser, path, theme, width):
    """Return the findings of axe-core on a page that are serious or worse."""
    open_page(browser, path, width, theme)
    browser.set_script_timeout(120)
    browser.execute_script(axe)
    found = browser.execute_async_script(AUDIT)
    return [one for one in found if one[0] in ("serious", "critical")]
