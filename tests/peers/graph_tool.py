"""graph-tool as a separate process, under the system's own Python, where it is installed."""

import json
import subprocess
from pathlib import Path

import pytest

PYTHON = "/usr/bin/python3"


def run_graph_tool(script: str, payload: object) -> object:
    """Run a script that reads JSON from standard input and prints JSON; skip where graph-tool is missing."""
    if not Path(PYTHON).exists() or subprocess.run([PYTHON, "-c", "import graph_tool"], capture_output=True).returncode:
        pytest.skip("needs graph-tool (Debian: python3-graph-tool) under the system's Python")
    said = subprocess.run([PYTHON, "-c", script], input=json.dumps(payload), capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    return json.loads(said.stdout)
