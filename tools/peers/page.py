"""page.py - docs/benchmarks.md from what was measured. tools/benchmarks measures; this only writes.

A row has figures by side ("weft", "torch", "blas") and threads (1 or "all"): microseconds, the least of
all rounds. Ratios are a peer's time by Weft's: above 1 Weft is faster.
"""
import json
import math
import os
import re

EVEN = 0.97  # a ratio below is a loss; what lies between this and 1 / EVEN is noise

# Why a row is lost, for those that were looked into: the beginning of its name, threads ("1", "all" or
# "" for both), and the reason.
LARGE = "large products; an earlier run had 0.95 to 1.06 (README.md). No cause found yet"
REASONS = [
    ("ops-sigmoid", "all", "probably one thread against two: Weft times its threads as it runs, and stays on one if the "
                           "other cores are busy"),
    ("gemm", "", LARGE),
    ("ops-matmul", "", LARGE),
]

SUITES = {
    "ops": "Single operations, and the training steps that RusTorch's tables have.",
    "steps": "Whole training steps: forward, backward, update, feeds already set.",
    "kernels": "Operations over arrays that do not fit into the second cache, and gradients of convolutions; one thread.",
    "workloads": "Programs from end to end: the game, the replay, the loader are part of the time.",
    "compile": "What a program waits for before its first run.",
    "special": "Special functions of 10,000 doubles, one thread. docs/special.md has their accuracy.",
    "stream": "Detectors of outliers, one thread.",
}
RATES = {  # fields of weft's lines that say more than microseconds: text for people
    "episodes_per_s": "%s games/s", "train_steps_per_s": "%s training steps/s", "images_per_s": "%s images/s",
    "steps_per_s": "%s moves/s", "words_per_s": "%s tokens/s", "points_per_s": "%s points/s", "ns_per_sample": "%s ns per image",
}


# ---- numbers for people ----

def digits(x):
    """Three digits, thousands with commas."""
    if x >= 1000:
        return "{:,.0f}".format(float("%.3g" % x))
    return "%.3g" % x if x < 100 else "%.0f" % x


def span(us):
    for limit, unit, per in ((1, "ns", 1e3), (1e3, "us", 1), (1e6, "ms", 1e-3)):
        if us < limit:
            return digits(us * per) + " " + unit
    return digits(us * 1e-6) + " s"


def microseconds(text):
    number, unit = text.split()
    return float(number) * {"ns": 1e-3, "us": 1, "ms": 1e3, "s": 1e6}[unit]


def times(ratio):
    if ratio is None:
        return ""
    text = digits(ratio) if ratio >= 10 else "%.2f" % ratio
    return "**%s**" % text if ratio < EVEN else text


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def table(head, rows, right=1):
    """Columns from `right` on are numbers."""
    marks = ["---" if i < right else "--:" for i in range(len(head))]
    lines = [head, marks] + rows
    return "".join("| %s |\n" % " | ".join(line) for line in lines) + "\n"


# ---- rows ----

def ratio(row, threads, peer="torch"):
    ours, theirs = row["us"].get(("weft", threads)), row["us"].get((peer, threads))
    return theirs / ours if ours and theirs else None


def cell(row, side, threads):
    us = row["us"].get((side, threads))
    return span(us) if us else ""


def rate(row):
    for name, text in RATES.items():
        if name in row["best"]:
            return text % digits(row["best"][name])
    return ""


def beside_torch(m, rows):
    """Weft and PyTorch, on one thread and on all."""
    many = any(("weft", "all") in r["us"] for r in rows)
    head = ["row", "Weft, 1 thread", "PyTorch", "ratio"]
    if many:
        head += ["Weft, up to %d" % m["cores"], "PyTorch", "ratio"]
    if not m["torch"]:
        head = [h for h in head if h not in ("PyTorch", "ratio")]
    lines = []
    for r in rows:
        line = ["`%s`" % r["name"]]
        for threads in (1, "all") if many else (1,):
            line.append(cell(r, "weft", threads))
            if m["torch"]:
                line += [cell(r, "torch", threads), times(ratio(r, threads))]
        lines.append(line)
    return table(head, lines)


def beside_blas(rows):
    """Square products, one thread, sampled in turn in one process."""
    lines = [["`%s`" % r["name"], digits(r["best"]["gflops"]), digits(r["best"]["blas_gflops"]), times(ratio(r, 1, "blas"))]
             for r in rows if ("blas", 1) in r["us"]]
    if not lines:
        return ""
    return ("Beside OpenBLAS, one thread, both sampled in turn in one process:\n\n"
            + table(["row", "Weft GFLOP/s", "OpenBLAS", "ratio"], lines))


def gemm(rows, about):
    """A line for each shape, a column for each form."""
    shapes, forms, roof = {}, [], any("of_roof" in r["best"] for r in rows)
    for r in rows:
        form, shape = r["best"]["form"], r["best"]["shape"]
        shapes.setdefault(shape, {})[form] = r
        if form not in forms:
            forms.append(form)
    has = any(("blas", 1) in r["us"] for r in rows)
    head, lines = ["product M x K x N"], []
    for form in forms:
        head += [form + " GFLOP/s"] + (["by OpenBLAS"] if has else []) + (["of the roof"] if roof else [])
    for shape, by in shapes.items():
        line = [shape.replace("x", " x ")]
        for form in forms:
            r = by.get(form)
            line.append(digits(r["best"]["gflops"]) if r else "")
            if has:
                line.append(times(ratio(r, 1, "blas")) if r else "")
            if roof:
                line.append("%.0f %%" % (100 * r["best"]["of_roof"]) if r else "")
        lines.append(line)
    return about + "\n\n" + table(head, lines)


PRODUCTS = {
    "gemm": "Products on one thread; T: that operand is stored transposed. \"By OpenBLAS\": Weft's speed by its, "
            "both sampled in turn in one process.",
    "gemm-skinny": "Few rows by the layers of DistilGPT-2, one thread. The roof is the longer of two times: the multiplications "
                   "at the core's peak, and the operands and the result once through the core, as fast as so much memory is read "
                   "again and again.",
}


def workloads(m, rows):
    many = any(("weft", "all") in r["us"] for r in rows)
    head = ["row", "one of it", "that is"] + (["up to %d threads" % m["cores"]] if many else [])
    head += ["PyTorch, 1 thread", "ratio"] if m["torch"] else []
    lines = []
    for r in rows:
        line = ["`%s`" % r["name"], cell(r, "weft", 1), rate(r)] + ([cell(r, "weft", "all")] if many else [])
        lines.append(line + ([cell(r, "torch", 1), times(ratio(r, 1))] if m["torch"] else []))
    return table(head, lines)


def compiling(m, rows):
    lines = [["`%s`" % r["name"], cell(r, "weft", 1), span(r["best"]["record_us"]) if "record_us" in r["best"] else "",
              "%d" % r["best"]["kernels"] if r["best"].get("kernels") else ""] +
             ([cell(r, "torch", 1)] if m["torch"] else []) for r in rows]
    return table(["row", "time", "recording before it", "kernels"] + (["PyTorch"] if m["torch"] else []), lines)


def plain(rows):
    lines = [["`%s`" % r["name"], cell(r, "weft", 1), rate(r)] for r in rows]
    if not any(line[2] for line in lines):
        lines = [line[:2] for line in lines]
    return table(["row", "time", "rate"][:len(lines[0])], lines)


# ---- sections ----

def machine(m):
    lines = [[k, v] for k, v in m["facts"]]
    return "## Machine\n\n" + table(["", ""], lines, right=2)


def compared(m):
    """(row, threads, peer, ratio) of everything that has a peer."""
    for r in m["rows"]:
        for peer in ("torch", "blas"):
            for threads in (1, "all"):
                x = ratio(r, threads, peer)
                if x:
                    yield r, threads, peer, x


NAMES = {"torch": "PyTorch", "blas": "OpenBLAS"}


def summary(m):
    groups = {}
    for r, threads, peer, x in compared(m):
        key = (r["suites"][0], NAMES[peer], "1 thread" if threads == 1 else "up to %d" % m["cores"])
        groups.setdefault(key, []).append(x)
    text = "## In short\n\n"
    if not groups:
        return text + "No peer was measured; see above for why.\n\n"
    lines = []
    for (suite, peer, threads), xs in groups.items():
        lost, won = sum(x < EVEN for x in xs), sum(x > 1 / EVEN for x in xs)
        lines.append([suite, peer, threads, "%d" % len(xs), times(mean(xs)), "%d" % won, "%d" % (len(xs) - won - lost), "%d" % lost])
    return text + table(["suite", "peer", "threads", "rows", "ratio, geometric mean", "faster", "even", "slower"], lines, right=3)


def reason(name, threads):
    for begin, on, why in REASONS:
        if name.startswith(begin) and on in ("", str(threads)):
            return why
    return "not looked into yet"


def losses(m):
    lost = sorted((x, r["name"], NAMES[peer], threads) for r, threads, peer, x in compared(m) if x < EVEN)
    text = "## Where Weft loses\n\n"
    if not any(True for _ in compared(m)):
        return text + "Nothing was there to lose against.\n\n"
    if not lost:
        return text + "In this run, nowhere by more than %.0f %%.\n\n" % (100 * (1 - EVEN))
    whys = {}
    for x, name, peer, threads in lost:
        where = "" if threads == 1 else ", up to %d" % m["cores"]
        whys.setdefault((reason(name, threads), peer), []).append("`%s`%s %s" % (name, where, times(x)))
    lines = [["; ".join(rows), peer, why] for (why, peer), rows in whys.items()]
    return text + table(["row and ratio", "against", "why"], lines, right=3)


def suite(m, name):
    rows = [r for r in m["rows"] if name in r["suites"]]
    if not rows:
        return ""
    text = "## %s\n\n%s\n\n" % (name, SUITES[name])
    if name in ("ops", "steps"):
        text += beside_torch(m, rows) + beside_blas(rows)
    elif name == "kernels":
        text += beside_torch(m, [r for r in rows if r["bench"] not in PRODUCTS])
        for bench, about in PRODUCTS.items():
            products = [r for r in rows if r["bench"] == bench]
            text += gemm(products, about) if products else ""
    elif name == "workloads":
        text += workloads(m, rows)
    elif name == "compile":
        text += compiling(m, rows)
    else:
        text += plain(rows)
    listed = dict((r["bench"], r["about"]) for r in rows)
    return text + "".join("- `%s`: %s\n" % (bench, about) for bench, about in listed.items()) + "\n"


def references(m, published):
    by_name = {r["name"]: r for r in m["rows"]}
    text = ("## The reference systems\n\n"
            "Five projects whose figures Weft set out to beat. *Claimed* is what they publish, on their machine; *run* is what "
            "was measured when they were run on a machine like this one, at another time. Neither was measured in this run, so "
            "take the ratios, which are against the better of the two, as orders of magnitude.\n\n")
    for system in published["systems"]:
        text += "**%s** (%s). Claimed: %s. Run: %s. %s\n\n" % (
            system["name"], system["project"], system["claimed"], system["run"], system["note"])
        gpu = any("gpu" in line for line in system["rows"])
        lines = []
        for line in system["rows"]:
            row = by_name.get(line["row"])
            ours = row["us"].get(("weft", 1)) if row else None
            theirs = min(microseconds(line[k]) for k in ("claimed", "run") if k in line)
            lines.append(["`%s`" % line["row"], span(ours) if ours else "", line.get("claimed", "")]
                         + ([line.get("gpu", "")] if gpu else [])
                         + [line.get("run", ""), times(theirs / ours) if ours else ""])
        if lines:
            text += table(["row", "Weft, 1 thread", "claimed"] + (["claimed, WebGPU"] if gpu else []) + ["run", "ratio"], lines)
    return text


def reading(m):
    before, after = m["load"]
    busy = max(before, after) > 1.5 * m["cores"]
    rounds = "%d rounds" % m["rounds"] if m["rounds"] > 1 else "one round"
    points = [
        "Weft and its peers are sampled alternately, %s of most rows, so that other load affects both. A time "
        "is the minimum over all samples of all rounds, since disturbance can only add. Medians are in the raw data, "
        "`build/benchmarks.jsonl`." % rounds,
        "*ratio*: the peer's time by Weft's. 2.00: Weft takes half as long. Below %s it is bold: Weft loses. From %s to %.2f "
        "is even." % (EVEN, EVEN, 1 / EVEN),
        "*1 thread* is pinned to one core. *Up to %d*: Weft chooses its number of threads, PyTorch has %d." % (m["cores"], m["cores"]),
        "PyTorch runs with its fastest settings: no gradients where none are needed, preallocated results where possible, "
        "foreach optimisers, images with channels last. Weft runs a compiled plan, PyTorch one operation after the other, as "
        "each is normally used; so small operations differ most.",
        "Every benchmark checks its result before it is timed: against a plain computation, training steps also "
        "against finite differences of the loss by the reference backend and the formula of the optimiser. A wrong "
        "gradient or a missing update ends it with an error.",
        "Noise: the load average was %.1f when the run began and %.1f when it ended, on %d cores. %s" % (
            before, after, m["cores"],
            "**The machine was busy with other work.** Short rows of one thread then differ by a tenth from run to run. What "
            "takes more than a few milliseconds is always disturbed, and the slower side looks worse than it is. Rows of "
            "several threads are unreliable: threads that wait for each other also wait for the other work, PyTorch's most."
            if busy else "A tenth is noise; measure the rows that matter to you yourself."),
    ]
    return "## How to read it\n\n" + "".join("- %s\n" % p for p in points) + "\n"


def write(m):
    """The page as text."""
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "published.json"), encoding="utf-8") as f:
        published = json.load(f)
    text = "# Benchmarks\n\n"
    if m["quick"]:
        text += "**Made with --quick, to test the tool: the figures are meaningless.**\n\n"
    text += ("Weft next to PyTorch and OpenBLAS on one machine, and next to figures that other systems publish, including the rows it loses. "
             "Written by `%s` on %s; do not edit it.\n\n" % (m["command"], m["date"]))
    for name, why in m["skipped"]:
        text += "**%s was not measured:** %s.\n\n" % (name, why)
    text += reading(m) + machine(m) + summary(m) + losses(m)
    for name in SUITES:
        text += suite(m, name)
    text += references(m, published)
    return re.sub(r"\n{3,}", "\n\n", text).rstrip("\n") + "\n"
