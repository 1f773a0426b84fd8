"""Gather what docs/joint.md tells from results/joint.json and results/calibration.json; then run docs/render.py.

Only aggregate numbers go into docs/figures/joint/results.json.
"""

import json
from pathlib import Path

import record

PAGE = Path(__file__).parent.parent / "docs" / "figures" / "joint" / "results.json"
_WRONG = {"likelihood": "ln p(b|W,X)", "pairs": "co-members with equal x", "size": "|W centred|^2"}
_SHORT = {"single": "single", "many, weights fixed": "fixed", "many, weights carried along": "carried"}


def main():
    joint, calibration = (
        json.loads((record.RESULTS / f"{name}.json").read_text()) for name in ("joint", "calibration")
    )
    planted = {}
    for row in joint["planted"]:
        entries = {name.replace(" ", "_"): row[name] for name in ("S", "log joint", "|W|^2", "pairs, median")}
        renamed = {"S": "S", "log_joint": "joint", "|W|^2": "size", "pairs,_median": "pairs"}
        entries = {renamed[name]: value for name, value in entries.items()}
        planted.setdefault(row["features"], {})[_SHORT[row["moves"]]] = {
            **entries, "seconds": row["seconds"], "fewer": row["fewer"]
        }  # fmt: skip
    networks = joint["networks"]
    for entries in networks.values():
        entries["ratio"] = entries["seconds"]["joint"] / entries["seconds"]["cut"]
        entries["verdict"] = {name: "yes" if good else "no" for name, good in entries["converged"].items()}
        entries["puller"], entries["pull"] = entries["pulls"][0]["feature"], entries["pulls"][0]["pull"]
    wrong = {name: calibration["wrong"][quantity] for name, quantity in _WRONG.items()}
    calibrated = {**{name: calibration[name] for name in ("n_networks", "smallest_p")}, "wrong": wrong}
    datasets = {**networks, "planted": planted, "calibration": calibrated}
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    head = {name: joint[name] for name in ("date", "versions", "chains", "sweeps", "burn", "thin")}
    PAGE.write_text(json.dumps({**head, "datasets": datasets}, indent=1) + "\n")
    print(f"written to docs/figures/joint/{PAGE.name}: now run docs/render.py")


if __name__ == "__main__":
    main()
