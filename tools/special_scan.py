#!/usr/bin/env python3
"""special_scan.py - compare every function of weft/special.h with mpmath over its whole range.

    tools/special_scan.py [-j JOBS] [-n POINTS] [-s SEED] [-l LIBRARY] [--keep] [NAME ...]

Points are drawn over all doubles, not where the tests' points lie: by magnitude from the smallest
subnormal to the largest double, in the range where the function does something, near whole numbers
and halves, poles, roots and the seams of the implementation. Each is computed one by one, by arrays
in every vector width, and in float. A row says the worst error (see docs/special.md for its unit)
against the bound, and where it is; a function beyond its bound has its worst points listed.

--keep writes points to tests/golden/scan: the worst ones, and a sample of the rest. Needs a built
libweft.so and mpmath.
"""
import ctypes
import math
import os
import random
import signal
import struct
import sys
from multiprocessing import Pool

import mpmath
from mpmath import mp, mpf

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import golden_special as golden
import special_truth as truth

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
KEPT = os.path.join(ROOT, "tests", "golden", "scan")
KEEP_WORST, KEEP_SAMPLE = 40, 60
BOUND, BOUND_MANY, BOUND_FLOAT = 4.0, 1e-13, 1.0
LARGEST = sys.float_info.max
inf, nan = math.inf, math.nan


# ---- the library ----

class Library:
    def __init__(self, path):
        lib = self.lib = ctypes.CDLL(path)
        lib.weft_open.restype = lib.weft_special_name.restype = ctypes.c_void_p
        lib.weft_special_at.restype = ctypes.c_double
        lib.weft_special_name.restype = ctypes.c_char_p
        lib.weft_device_isa.restype = ctypes.c_char_p
        lib.weft_device_isa.argtypes = [ctypes.c_void_p]
        for f in (lib.weft_special_map, lib.weft_special_map_f32):
            f.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p]
        self.number = {}
        for i in range(1000):
            name = lib.weft_special_name(i)
            if name is None:
                break
            self.number[name.decode()] = i
        self.contexts = {}
        for isa in ("128", "256", "512"):
            os.environ["WEFT_ISA"] = isa
            c = lib.weft_open(b"cpu")
            self.contexts.setdefault(lib.weft_device_isa(c), c)
        del os.environ["WEFT_ISA"]

    def arguments(self, name):
        return self.lib.weft_special_arguments(self.number[name])

    def at(self, name, x):
        return self.lib.weft_special_at(self.number[name], (ctypes.c_double * len(x))(*x))

    def map(self, name, context, points, single=False):
        n, real = len(points), ctypes.c_float if single else ctypes.c_double
        columns = [(real * n)(*column) for column in zip(*points)]
        table = (ctypes.c_void_p * len(columns))(*[ctypes.addressof(c) for c in columns])
        out = (real * n)()
        f = self.lib.weft_special_map_f32 if single else self.lib.weft_special_map
        assert f(context, self.number[name], n, table, out) == 0
        return list(out)


# ---- points ----

def any_double(r):
    """Any finite double, each bit pattern as likely as any other."""
    while True:
        x = struct.unpack("<d", struct.pack("<Q", r.getrandbits(64)))[0]
        if math.isfinite(x):
            return x


def beside(r, x):
    """x, or a double near it: some ulps away, or a power of two of its size."""
    k = r.random()
    if k < 0.1:
        return float(x)
    if k < 0.4:
        return golden.nudge(float(x), r.choice((-1, 1)) * r.randrange(1, 20))
    return float(x) + r.choice((-1, 1)) * max(abs(float(x)), 2.0 ** -20) * 2.0 ** -r.uniform(2, 50)


def wild(r, sign=True):
    """A number as users and their mistakes make them."""
    k = r.random()
    if k < 0.25:
        x = abs(any_double(r))
    elif k < 0.55:
        x = 10 ** r.uniform(-6, 6)
    elif k < 0.7:
        x = r.uniform(0, 30)
    elif k < 0.85:
        x = abs(beside(r, r.randrange(0, 60) / 2))
    else:
        x = 10 ** r.uniform(-30, 30)
    return -x if sign and r.random() < 0.5 else x


def draw_one(r, row):
    """Points of a function of one argument; row: of golden.one()."""
    _, spans, seams, others, edges = row
    k = r.random()
    if k < 0.2:
        return wild(r)
    if k < 0.3:
        return any_double(r)
    if k < 0.55 and (seams or others):
        return beside(r, r.choice(list(seams) + [x for x in others if x != 0]))
    if k < 0.62:
        return beside(r, r.randrange(-40, 40) / 2)
    s = r.choice(spans)
    if s[0] == "log":
        return math.copysign(math.exp(r.uniform(math.log(abs(s[1])), math.log(abs(s[2])))), s[1])
    return r.uniform(s[0], s[1])


# ---- errors ----

class Late(Exception):
    pass


def alarm(*_):
    raise Late


def exact(f, args, digits):
    """f(args) to so many digits; None: undefined there, or mpmath cannot; Late: it takes too long."""
    signal.setitimer(signal.ITIMER_REAL, 4)
    try:
        with mp.workdps(digits):
            y = f(*[mpf(a) for a in args])
            y = mp.re(y) if isinstance(y, mpmath.mpc) else mpf(y)
            return y if mp.isfinite(y) else None
    except (ValueError, ZeroDivisionError, OverflowError, TypeError, mpmath.libmp.NoConvergence):
        return None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def ulp(y):
    """Of a double near the mpf y."""
    if y == 0:
        return mpf(2) ** -1074
    return mpf(2) ** max(mp.frexp(abs(y))[1] - 53, -1074)


def ulps(got, want):
    if math.isnan(got):
        return inf
    if math.isinf(got):
        # beyond the last double by less than its rounding, infinity and that double are one
        return float(max(mpf(0), (mpf(2) ** 1024 - abs(want)) / mpf(2) ** 971)) if (got > 0) == (want > 0) else inf
    if abs(want) > mpf(2) ** 1025:
        return inf
    return float(abs(mpf(got) - want) / ulp(want))


def single(x):
    if abs(x) < 2.0 ** -160:
        return x * 0.0 if x else x
    try:
        return struct.unpack("<f", struct.pack("<f", x))[0]
    except OverflowError:
        return math.copysign(inf, x)


def singles_apart(got, want):
    """Floats between got and the rounded truth."""
    near = single(float(want)) if abs(want) < LARGEST else math.copysign(inf, want)
    if math.isnan(got):
        return inf
    a, b = (struct.unpack("<i", struct.pack("<f", v))[0] for v in (got, near))
    a, b = (v if v >= 0 else -(v & 0x7fffffff) for v in (a, b))
    return abs(a - b)


def condition(f, x, y):
    """|x f'(x) / f(x)|"""
    h = mpf(2) ** -60
    z = exact(f, (mpf(x) * (1 + h),), mp.dps + 20)
    y = exact(f, (mpf(x),), mp.dps + 20)
    if z is None or y is None or y == 0:
        return mpf(0)
    return abs((z - y) / (h * y))


def scan(job):
    name, count, seed, path, keep = job
    signal.signal(signal.SIGALRM, alarm)
    mp.dps = 36
    lib = Library(path)
    r = random.Random("%s %d" % (name, seed))
    many = lib.arguments(name) > 1
    if many:
        f, draw, weight, inside = truth.many()[name]
        points = [draw(r) for _ in range(count)]
    else:
        row = golden.one()[name]
        f, inside, weight = truth.better(name, row[0]), truth.DOMAIN.get(name, lambda x: True), None
        points = [(draw_one(r, row),) for _ in range(count)]
    found = truth.FOUND.get(name, [])
    points = [tuple(single(a) for a in p) if i % 3 == 0 and all(abs(a) < 3e38 for a in p) else p for i, p in enumerate(points)]
    points = [p for p in points if all(math.isfinite(a) for a in p) and (p[-1] != 0 or name == "xlogy")]
    points = found + points
    got = {"single": [lib.at(name, p) for p in points]}
    for isa, c in lib.contexts.items():
        got[isa.decode()] = lib.map(name, c, points)
    floats = [i for i, p in enumerate(points) if all(single(a) == a for a in p)]
    float_got = dict(zip(floats, lib.map(name, list(lib.contexts.values())[-1], [points[i] for i in floats], True))) if floats else {}
    bound = BOUND_MANY if many else BOUND
    rows, skipped, worst_float, tested = [], 0, 0, 0
    for i, p in enumerate(points):
        values = {k: v[i] for k, v in got.items()}
        try:
            want = None
            if inside(*p):
                want = exact(lambda *a: f(*a), p, mp.dps) if name not in truth.INVERSES else truth.inverse(name, p, values["single"])
                if want is None:
                    skipped += 1
                    continue
            tested += 1
            if want is None:
                if any(not math.isnan(v) for v in values.values()):
                    rows.append((inf, p, values, "nan", 1.0))
                continue
            share, w = error(f, p, want, values, weight, many)
            if share is None:
                skipped += 1
                continue
            if share > bound and name not in truth.INVERSES:   # is it mpmath?
                again = exact(f, p, 90)
                if again is None or abs(again - want) > abs(want) * mpf(10) ** -18:
                    want = exact(f, p, 150)
                    if want is None or again is None or abs(again - want) > abs(want) * mpf(10) ** -18:
                        skipped += 1
                        continue
                    share, w = error(f, p, want, values, weight, many)
            rows.append((share, p, values, want, w))
            if i in float_got:
                worst_float = max(worst_float, singles_apart(float_got[i], want))
        except (Late, ValueError, OverflowError, ZeroDivisionError):
            skipped += 1
    rows.sort(key=lambda row: -row[0])
    rest = [row for row in rows[200:] if row[1] in found] + r.sample(rows[200:], min(len(rows) - 200, 300)) if len(rows) > 200 else []
    return name, tested, skipped, bound, worst_float, rows[:200] + rest


def error(f, p, want, values, weight, many):
    worst = max(ulps(v, want) for v in values.values())
    if many:
        w = mpf(1)
        if weight is not None and want != 0:
            near = exact(weight, p, mp.dps)
            if near is None:
                return None, 1
            w = max(mpf(1), abs(near / want))
        if math.isinf(worst):
            return inf, float(w)
        # of a subnormal, its last bit is as near as can be
        return float(max(worst - 1 if abs(want) < mpf(2) ** -1022 else worst, 0) * ulp(want) / abs(want) / w) if want else worst, float(w)
    w = mpf(0)
    if worst > 1:
        w = condition(f, p[0], want)
        worst = worst / (1 + float(min(w, mpf(10) ** 300)))
    return worst, float(min(w, mpf(10) ** 38))


def tell(name, row):
    share, p, values, want, _ = row
    shown = want if isinstance(want, str) else mp.nstr(want, 18)
    return "    %.3g  %s(%s) = %s, not %s" % (share, name, ", ".join("%.17g" % a for a in p), "; ".join(
        sorted({"%.17g" % v for v in values.values()})), shown)


def write(name, rows):
    """The worst and a sample of the rest, as golden_special.py writes them."""
    r = random.Random(name)
    rows = [row for row in rows if not isinstance(row[3], str)]
    known = [row for row in rows if row[1] in truth.FOUND.get(name, ())]
    kept = known + rows[:KEEP_WORST] + r.sample(rows[KEEP_WORST:], min(KEEP_SAMPLE, max(len(rows) - KEEP_WORST, 0)))
    out = b""
    for _, p, _, want, weight in kept:
        if abs(want) > mpf(2) ** 1024 * (1 - mpf(2) ** -54):
            want = math.copysign(inf, want)
        out += golden.record(p, want, weight)
    os.makedirs(KEPT, exist_ok=True)
    with open(os.path.join(KEPT, name + ".bin"), "wb") as f:
        f.write(out)


def main():
    args, options = sys.argv[1:], {"-j": "1", "-n": "2000", "-s": "1", "-l": os.path.join(ROOT, "build", "libweft.so")}
    keep = "--keep" in args
    args = [a for a in args if a != "--keep"]
    while args and args[0] in options:
        options[args[0]] = args[1]
        args = args[2:]
    jobs = [(name, int(options["-n"]) // truth.COST.get(name, 1), int(options["-s"]), options["-l"], keep) for name in args or golden.names()]
    bad = 0
    with Pool(int(options["-j"])) as pool:
        for name, tested, skipped, bound, worst_float, rows in pool.imap_unordered(scan, jobs, 1):
            worst = rows[0][0] if rows else 0
            beyond = [row for row in rows if not row[0] <= bound]
            bad += bool(beyond) or worst_float > BOUND_FLOAT
            print("%-16s %5d points, %d skipped: %.3g of %g%s%s" % (name, tested, skipped, worst, bound,
                  ", float %g" % worst_float if worst_float else "", "  *** %d beyond" % len(beyond) if beyond else ""), flush=True)
            for row in rows[:6 if beyond else 1]:
                print(tell(name, row), flush=True)
            if keep:
                write(name, rows)
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
