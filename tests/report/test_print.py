"""The report on paper: headings stay on the page of what they are the headings of.

A PDF is read with pypdf, which is no part of the package; without it, or without Chromium, there is nothing to look at.
"""

import base64
import io
import unicodedata

import pytest

from .conftest import open_page

MARK = """
for (const one of document.querySelectorAll("h2[id], h3[id], .figure[id]")) {
  const mark = document.createElement("small");
  mark.textContent = `@${one.id}@`;
  one.prepend(mark);
}
return [...document.querySelectorAll("section")].flatMap((section) => {
  const head = section.querySelector(":scope > h2[id], :scope > h3[id]");
  let next = head && head.nextElementSibling;
  if (next && next.tagName === "P") next = next.nextElementSibling;
  const figure = next && next.tagName === "FIGURE" && next.querySelector(".figure[id]");
  return figure ? [[head.id, figure.id]] : [];
});
"""
A4 = {"printBackground": True, "paperWidth": 8.27, "paperHeight": 11.69}


def pages(browser):
    """Print the report that is open with a mark at each heading and figure; return the text of pages, and pairs."""
    pypdf = pytest.importorskip("pypdf", reason="needs pypdf to read what Chromium prints")
    pairs = browser.execute_script(MARK)
    pdf = base64.b64decode(browser.execute_cdp_cmd("Page.printToPDF", A4)["data"])
    texts = [page.extract_text() for page in pypdf.PdfReader(io.BytesIO(pdf)).pages]
    return ["".join(unicodedata.normalize("NFKC", text).split()) for text in texts], pairs  # no ligatures


def test_headings_stay_with_their_figures(browser, page):
    open_page(browser, page)
    texts, pairs = pages(browser)
    assert len(texts) > 3
    assert len(pairs) >= 6
    where = {name: [n for n, text in enumerate(texts) if f"@{name}@" in text] for pair in pairs for name in pair}
    assert [len(found) for found in where.values()] == [1] * len(where)
    assert [pair for pair in pairs if where[pair[0]] != where[pair[1]]] == []


def test_no_heading_ends_a_page(browser, page):
    open_page(browser, page)
    texts, _ = pages(browser)
    heads = browser.execute_script("return [...document.querySelectorAll('h2[id], h3[id]')].map((h) => h.textContent)")
    ends = ["".join(unicodedata.normalize("NFKC", head).split()) for head in heads]
    assert [end for end in ends for text in texts if text.endswith(end)] == []


def test_a_heading_stays_with_a_paragraph_that_is_alone_in_its_section(browser, page):
    open_page(browser, page)
    browser.execute_script(
        """const section = document.querySelector("#blocks"), next = section.nextElementSibling;
           while (section.children.length > 1) section.lastElementChild.remove();
           section.firstElementChild.textContent = "@head@";
           const only = document.createElement("p");
           only.textContent = "@only@";
           section.append(only);
           const rest = next.querySelector("p") || next.appendChild(document.createElement("p"));
           rest.style = "height: 700px";
           const space = document.createElement("div");  // up to near the end of a page
           space.style = "break-before: page; height: 900px";
           section.before(space);"""
    )
    texts, _ = pages(browser)
    on = [[n for n, text in enumerate(texts) if mark in text] for mark in ("@head@", "@only@")]
    assert on[0] == on[1]
    assert len(on[0]) == 1


def test_a_table_over_two_pages_repeats_its_head_and_a_short_one_is_kept_whole(browser, page):
    open_page(browser, page)
    browser.execute_script(
        """const fill = (body, n) => { while (body.rows.length < n) body.append(body.rows[0].cloneNode(true)); };
           const long = document.querySelector("#ranking > .scroll table");
           const short = document.querySelector("#scores > .scroll table");
           fill(long.tBodies[0], 55); fill(short.tBodies[0], 15);
           long.querySelector("th button").textContent = "@long@";
           short.querySelector("th").textContent = "@short@";
           short.tBodies[0].rows[14].cells[0].textContent = "@last@";
           const space = document.createElement("div");  // up to near the end of a page
           space.style = "break-before: page; height: 850px";
           short.closest(".scroll").before(space);"""
    )
    texts, _ = pages(browser)
    heads = [text.count("@long@") for text in texts]
    assert sum(heads) >= 2
    assert max(heads) == 1
    short = [n for n, text in enumerate(texts) if "@short@" in text]
    assert len(short) == 1
    assert "@last@" in texts[short[0]]
