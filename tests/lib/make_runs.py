"""Run directories with known truth, from one that was measured: edits its run.json.

  make_runs.py BASE DIR COUNT [key=value ...]     makes DIR/0 ... DIR/COUNT-1

tps=F and p99=F scale the throughput and the 99th percentile (and what lies above it); noise=F is
their run-to-run CV; seed=N; start=N minutes after the first hour; step=N minutes between runs;
set=PATH:JSON puts a value anywhere (drives.0.serial:"x"), may be given again; pair=A or pair=B
marks them as sides of an ABBA series.
"""
import copy
import json
import os
import random
import sys


def put(node, path, value):
    *way, last = path.split(".")
    for word in way:
        node = node[int(word) if isinstance(node, list) else word]
    if isinstance(node, list):
        node[int(last)] = value
    else:
        node[last] = value


def scale(vm, tps, latency):
    seconds = (vm["sample_until_ns"] - vm["sample_from_ns"]) / 1e9
    done = round(vm["done"] * tps)
    vm["due"] += done - vm["done"]
    vm["done"] = done
    vm["tps"] = done / seconds
    for key in ("min_ns", "p50_ns", "p90_ns", "p95_ns"):  # room below, so that they still rise
        vm["response"][key] = int(vm["response"][key] * 0.5)
    for key in ("p99_ns", "p99_9_ns", "p99_99_ns", "p99_999_ns", "max_ns"):
        vm["response"][key] = int(vm["response"][key] * latency)


def make(base, i, option):
    run = copy.deepcopy(base)
    chance = random.Random(f"{option.get('seed', 1)}/{i}")
    noise = float(option.get("noise", 0.003))
    tps = float(option.get("tps", 1)) * (1 + chance.gauss(0, noise))
    latency = float(option.get("p99", 1)) * (1 + chance.gauss(0, noise))
    for vm in run["vms"]:
        scale(vm, tps, latency)
    scale(run["aggregate"], tps, latency)
    done = sum(vm["done"] for vm in run["vms"])
    all_vms = run["aggregate"]
    all_vms["due"] += done - all_vms["done"]
    all_vms["tps"] *= done / all_vms["done"]
    all_vms["done"] = done
    minutes = int(option.get("start", 0)) + i * int(option.get("step", 2))
    run["run"]["started_utc"] = "2026-11-%02dT%02d:%02d:00Z" % (
        1 + minutes // 1440, minutes // 60 % 24, minutes % 60)
    if "pair" in option:
        # places of a side in A B B A A B B A ...
        order = 4 * (i // 2) + {"A": (1, 4), "B": (2, 3)}[option["pair"]][i % 2]
        run["run"]["pair"] = {"design": "abba", "series": "s", "side": option["pair"],
                              "order": order}
    return run


def main():
    source, folder, count, *words = sys.argv[1:]
    with open(source + "/run.json", encoding="utf-8") as file:
        base = json.load(file)
    option = dict(word.split("=", 1) for word in words if not word.startswith("set="))
    puts = [word[4:].split(":", 1) for word in words if word.startswith("set=")]
    for i in range(int(count)):
        run = make(base, i, option)
        for path, value in puts:
            put(run, path, json.loads(value))
        os.makedirs(f"{folder}/{i}")
        with open(f"{folder}/{i}/run.json", "w", encoding="utf-8") as file:
            json.dump(run, file, indent=1)


main()
