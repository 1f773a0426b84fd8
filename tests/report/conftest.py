"""Fits to write reports of, one with names that would do harm if they were not text, and a browser to open them."""

import json
import shutil
import time
import warnings

import numpy as np
import pandas as pd
import pytest

import ffbm

from ..planted import planted_edges

EVIL = [
    "<script>window.harmed=1</script>",
    "</script><img src=x onerror='window.harmed=1'>",
    "${window.harmed=1}",
    "\"quotes' and `ticks`",
    "שלום עולם",
    "🦆 duck",
    "&lt;b&gt; & <b>bold</b>",
    "$$\\frac{1}{2}$$",
    "a\u2028b\u202ec",
    "{{ 7 * 7 }} {% raw %}",
]
SHORT = {"n_blocks": 2, "n_sweeps": 60, "n_warmup": 40, "n_draws": 40, "n_chains": 2, "seed": 1, "progress": False}


def short_fit(net, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ffbm.fit(net, **{**SHORT, **options})


@pytest.fixture(scope="session")
def evil():
    """A fit whose name, ids, columns and values are hostile."""
    rng = np.random.default_rng(1)
    edges, labels = planted_edges(rng, sizes=(30, 25))
    ids = EVIL + [f"v{i}" for i in range(len(EVIL), len(labels))]
    tells = np.where(rng.random(len(labels)) < 0.9, labels, 1 - labels)
    table = pd.DataFrame({"id": ids})
    table[EVIL[0]] = [EVIL[1] if t else EVIL[2] for t in tells]
    table[EVIL[7]] = rng.integers(0, 2, len(labels))
    table["age"] = 30 + 5 * tells + rng.normal(size=len(labels))
    pairs = pd.DataFrame({"source": [ids[i] for i, _ in edges], "target": [ids[j] for _, j in edges]})
    net = ffbm.as_network(pairs, table.set_index("id"), name=EVIL[0])
    return short_fit(net, n_kept=2)


@pytest.fixture(scope="session")
def page(evil, tmp_path_factory):
    """Its report."""
    path = tmp_path_factory.mktemp("reports") / "evil.html"
    evil.report(path)
    return path


@pytest.fixture(scope="session")
def browser():
    """A headless Chromium."""
    binary, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if binary is None or driver is None:
        pytest.skip("needs chromium and chromedriver on the path")
    webdriver = pytest.importorskip("selenium.webdriver", reason="needs selenium")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for word in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1200,900"):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    found = webdriver.Chrome(options=options, service=webdriver.ChromeService(executable_path=driver))
    yield found
    found.quit()


def open_page(browser, path, width=1200, theme="light"):
    """Open a report, wait until it is drawn, and return what the browser logged on the way."""
    for log in ("browser", "performance"):
        browser.get_log(log)  # forget what was before
    media = {"features": [{"name": "prefers-color-scheme", "value": theme}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    browser.get(path.as_uri())
    deadline = time.monotonic() + 60
    while browser.execute_script("return document.documentElement.dataset.ready") != "yes":
        assert time.monotonic() < deadline, browser.get_log("browser")
        time.sleep(0.05)
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    requests = {e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"}
    errors = [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
    return {url for url in requests if not url.startswith("data:")}, errors
