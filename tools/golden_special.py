#!/usr/bin/env python3
"""golden_special.py - write the reference points of weft/special.h with mpmath.

    tools/golden_special.py [-j JOBS] [NAME ...]     into tests/golden/special; all functions, or those named

Needs mpmath (Debian: python3-mpmath; python3-gmpy2 makes it fast). Tests read what is committed.
A file is a row of records, little-endian: the arguments (doubles), the result rounded to double, what
rounding left of it in 256ths of an ulp (signed byte), and a weight (float): for one argument the
condition |x f'(x) / f(x)|, for several how much larger the function is nearby than here, at least 1.
"""
import math
import os
import random
import struct
import sys
from multiprocessing import Pool

import mpmath
from mpmath import mp, mpf

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "golden", "special")
COUNT = 2000
TINY = [5e-324, 1e-320, 2.2250738585072014e-308, 1e-300, 1e-200, 1e-100, 1e-30, 1e-16, 1e-8]
HUGE = [1e5, 1e7, 1e10, 1e15, 1e16, 1e22, 1e50, 1e100, 1e200, 1e300, 1.7976931348623157e308]
inf, nan = math.inf, math.nan


# ---- truths that mpmath lacks, or computes slowly ----

def erfcinv(q):
    if not 0 < q < 2:
        raise ValueError
    if q > 1:
        return -erfcinv(2 - q)
    if q > mpf("0.5"):
        return mp.erfinv(1 - q)
    x = mp.sqrt(-mp.log(q)) if q < mpf("0.3") else mpf("0.5")
    for _ in range(100):
        c = mp.erfc(x)
        step = mp.log(c / q) * c * mp.sqrt(mp.pi) / 2 * mp.exp(x * x)
        x += step
        if abs(step) < mpf(10) ** -(mp.dps - 4) * abs(x):
            break
    return x


def erfinv(p):
    if not -1 < p < 1:
        raise ValueError
    return mp.erfinv(p) if abs(p) < 0.5 else mp.sign(p) * erfcinv(1 - abs(p))


def besselk_scaled(n, x):
    """e^x K(n, x) by the trapezoidal rule on its integral."""
    if x > 10 ** 4:
        return mp.exp(x) * mp.besselk(n, x)
    h = t = mpf("0.08") / mp.sqrt(1 + x / 25 + abs(n) / 4)
    total = mpf("0.5")
    peak = mp.asinh(abs(n) / x) + 1 / (1 + x)
    while True:
        term = mp.exp(x - x * mp.cosh(t)) * mp.cosh(n * t)
        total += term
        if t > peak and term < mpf(10) ** -(mp.dps + 5) * total:
            return h * total
        t += h


def bessely(n, x):
    return mp.bessely(n, x)


def lgamma(x):
    return mp.re(mp.loggamma(x)) if x > 0 else mp.log(mp.pi / abs(x * mp.sinpi(x))) - mp.loggamma(-x)


def lambert(branch):
    def f(x):
        with mp.workdps(80):
            if x * mp.e < -1:
                raise ValueError
            w = mp.re(mp.lambertw(mpf(x), branch))
        return +w
    return f


def airy(f, d):
    return lambda x: f(x, derivative=d)


# ---- points ----

def nudge(x, k):
    for _ in range(abs(k)):
        x = math.nextafter(x, inf if k > 0 else -inf) if hasattr(math, "nextafter") else x
    return x


def single(x):
    try:
        return struct.unpack("<f", struct.pack("<f", x))[0]
    except OverflowError:
        return x


def around(x):
    """A double next to a root, pole or seam, the float there, and neighbours near and far."""
    x = float(x)
    at = [nudge(x, k) for k in (-3, -1, 0, 1, 3)] + [x * (1 + s * 2.0 ** -k) for k in (44, 36, 28, 20) for s in (-1, 1)]
    f = single(x)
    at += [f]
    if f and abs(f) < 3e38:
        m = struct.unpack("<i", struct.pack("<f", f))[0]
        at += [struct.unpack("<f", struct.pack("<i", m + k))[0] for k in (-1, 1)]
    return at


def spread(r, spans, count):
    """Random points: (low, high) evenly, ("log", low, high) by magnitude; half of them are floats."""
    points = []
    for i in range(count):
        s = spans[i % len(spans)]
        if s[0] == "log":
            x = math.copysign(math.exp(r.uniform(math.log(abs(s[1])), math.log(abs(s[2])))), s[1])
        else:
            x = r.uniform(s[0], s[1])
        points.append(single(x) if i % 4 < 2 else x)
    return points


def roots(f, k):
    return [f(i) for i in range(1, k + 1)]


def between(f, low, high):
    with mp.workdps(25):
        return mp.findroot(f, (mpf(low), mpf(high)), solver="anderson", tol=1e-40, verify=False)


# name: (function, spans, points to look around, other points, results at edges {x: result})
def one():
    whole = [-k for k in range(1, 30)]
    lg = [between(lgamma, a, b) for a, b in ((-2.5, -2.4), (-2.8, -2.7), (-3.2, -3.1), (-3.97, -3.94), (-4.05, -4.03))]
    dg = [between(mp.digamma, a, b) for a, b in ((1.4, 1.5), (-0.51, -0.5), (-1.6, -1.5), (-2.65, -2.6), (-3.7, -3.6))]
    J = lambda n: lambda x: mp.besselj(n, x)
    Y = lambda n: lambda x: bessely(n, x)
    I = lambda n: lambda x: mp.besseli(n, x)
    K = lambda n: lambda x: mp.exp(-x) * besselk_scaled(n, x)
    wave = [(0, 8), (8, 50), (50, 2000), ("log", 2000, 1e6), ("log", 1e-10, 1)]
    jz = lambda n: [0.5, 1, 2, 8, 2 ** 20] + [mp.besseljzero(n, k) for k in list(range(1, 31)) + [50, 100, 200, 1000]]
    yz = lambda n: [0.5, 1, 2, 8, 2 ** 20] + [mp.besselyzero(n, k) for k in list(range(1, 21)) + [50, 100]]
    modified = [(0, 1), (1, 40), (40, 700), ("log", 1e-20, 1)]
    az = {"ai": [mp.airyaizero(k) for k in range(1, 21)], "bi": [mp.airybizero(k) for k in range(1, 21)],
          "aip": [mp.airyaizero(k, 1) for k in range(1, 21)], "bip": [mp.airybizero(k, 1) for k in range(1, 21)]}
    aspan = [(-8, 1), (-50, -8), (1, 16), (16, 100), ("log", -50, -8000), ("log", 1e-10, 1)]
    seams = [-8, -1, 1, 16]
    branch = -float(1 / mp.e)
    edge0 = lambda v: {0.0: v, nan: nan}
    t = {
        "gamma": (mp.gamma, [(0, 8), (8, 171.6), (-20, 0), (-184, -20), ("log", 1e-300, 1), ("log", -1e-300, -1)],
                  [1, 2, 8, 171.5, 171.6] + whole, TINY[2:] + [-x for x in TINY[2:]] + HUGE + [-170.5, -180.5, -183.9],
                  {0.0: inf, "-0": -inf, inf: inf, -inf: nan, nan: nan, -1.0: nan, -2.0: nan, -170.0: nan, -1e300: nan,
                   5e-324: inf, -5e-324: -inf, 172.0: inf, -200.5: -0.0}),
        "lgamma": (lgamma, [(0, 3), (3, 100), ("log", 100, 1e300), (-20, 0), (-5000, -20), ("log", 1e-300, 1), ("log", -1e-300, -1),
                   ("log", -100, -1e15)], [0.5, 1, 2, 8] + lg + whole, TINY + [-x for x in TINY] + HUGE[:-1] + [2.5e305],
                   {0.0: inf, "-0": inf, inf: inf, -inf: inf, nan: nan, -1.0: inf, -2.0: inf, -1e300: inf, 1e307: inf}),
        "digamma": (mp.digamma, [(0, 3), (3, 100), ("log", 100, 1e300), (-20, 0), (-5000, -20), ("log", 1e-300, 1), ("log", -1e-300, -1),
                    ("log", -100, -1e15)], [1, 2, 8] + dg + whole, TINY[2:] + [-x for x in TINY[2:]] + HUGE,
                    {0.0: -inf, "-0": inf, inf: inf, -inf: nan, nan: nan, -1.0: nan, -2.0: nan, -1e300: nan}),
        "erf": (mp.erf, [(-1, 1), (-6, 6), ("log", 1e-300, 1), ("log", -1e-300, -1)], [0.5, 1, -1, 5.9], TINY + HUGE + [-x for x in TINY + HUGE],
                {0.0: 0.0, "-0": -0.0, inf: 1.0, -inf: -1.0, nan: nan}),
        "erfc": (mp.erfc, [(-1, 1), (-6, 6), (6, 27.2), ("log", 1e-300, 1)], [0.5, 1, -1, 26, 26.5, 27], TINY + [-x for x in TINY],
                 {0.0: 1.0, inf: 0.0, -inf: 2.0, nan: nan, 28.0: 0.0, 1e300: 0.0, -1e300: 2.0}),
        "erfcx": (lambda x: mp.exp(x * x) * mp.erfc(x) if x < 1e4 else 1 / (x + 1 / (2 * x)) / mp.sqrt(mp.pi),
                  [(-1, 1), (-26.6, 0), (0, 30), ("log", 30, 1e300), ("log", 1e-300, 1)],
                  [0.5, -0.5, -26, 2 ** 500], TINY + HUGE + [-x for x in TINY],
                  {0.0: 1.0, inf: 0.0, -inf: inf, nan: nan, -27.0: inf}),
        "erfinv": (erfinv, [(-0.5, 0.5), (-1, 1), (0.99, 1), ("log", 1e-300, 1), ("log", -1e-300, -1)], [0.5, -0.5, 0.9999999],
                   TINY + [-x for x in TINY] + [1 - 2.0 ** -k for k in range(2, 54)] + [2.0 ** -k - 1 for k in range(2, 54)],
                   {0.0: 0.0, "-0": -0.0, 1.0: inf, -1.0: -inf, 1.5: nan, -2.0: nan, inf: nan, nan: nan}),
        "erfcinv": (erfcinv, [(0, 2), (0, 0.5), ("log", 1e-300, 1), ("log", 1e-10, 1)], [0.5, 1.5, 1], TINY + [2 - 2.0 ** -k for k in range(2, 53)],
                    {0.0: inf, 2.0: -inf, 1.0: 0.0, -1.0: nan, 3.0: nan, nan: nan}),
        "bessel_j0": (J(0), wave + [(-50, 0)], jz(0), TINY + HUGE[:9] + [-x for x in HUGE[:6]], {0.0: 1.0, inf: 0.0, -inf: 0.0, nan: nan}),
        "bessel_j1": (J(1), wave + [(-50, 0)], jz(1), TINY + HUGE[:9] + [-x for x in HUGE[:6]],
                      {0.0: 0.0, "-0": -0.0, inf: 0.0, -inf: -0.0, nan: nan}),
        "bessel_y0": (Y(0), wave, yz(0), TINY + HUGE[:9], {0.0: -inf, inf: 0.0, -1.0: nan, -inf: nan, nan: nan}),
        "bessel_y1": (Y(1), wave, yz(1), TINY[2:] + HUGE[:9], {0.0: -inf, 5e-324: -inf, inf: 0.0, -1.0: nan, nan: nan}),
        "bessel_i0": (I(0), modified + [(-700, 0)], [1, 2, 32, 700, 713], TINY, {0.0: 1.0, inf: inf, -inf: inf, 1e300: inf, nan: nan}),
        "bessel_i1": (I(1), modified + [(-700, 0)], [1, 2, 32, 700, 713], TINY + [-x for x in TINY],
                      {0.0: 0.0, "-0": -0.0, inf: inf, -inf: -inf, -1e300: -inf, nan: nan}),
        "bessel_k0": (K(0), modified, [1, 2, 16, 700, 710, 740], TINY, {0.0: inf, inf: 0.0, 1e300: 0.0, -1.0: nan, nan: nan}),
        "bessel_k1": (K(1), modified, [1, 2, 16, 700, 710, 740], TINY[2:], {0.0: inf, 5e-324: inf, inf: 0.0, 1e300: 0.0, -1.0: nan, nan: nan}),
        "bessel_i0e": (lambda x: mp.exp(-abs(x)) * mp.besseli(0, x), modified + [(-700, 0), ("log", 700, 1e15)], [1, 2, 32, 700], TINY,
                       {0.0: 1.0, inf: 0.0, -inf: 0.0, nan: nan}),
        "bessel_i1e": (lambda x: mp.exp(-abs(x)) * mp.besseli(1, x), modified + [(-700, 0), ("log", 700, 1e15)], [1, 2, 32, 700],
                       TINY + [-x for x in TINY], {0.0: 0.0, "-0": -0.0, inf: 0.0, -inf: -0.0, nan: nan}),
        "bessel_k0e": (lambda x: besselk_scaled(0, x), modified + [("log", 700, 1e4)], [1, 2, 16, 700], TINY,
                       {0.0: inf, inf: 0.0, -1.0: nan, nan: nan}),
        "bessel_k1e": (lambda x: besselk_scaled(1, x), modified + [("log", 700, 1e4)], [1, 2, 16, 700], TINY[2:],
                       {0.0: inf, inf: 0.0, -1.0: nan, nan: nan}),
        "airy_ai": (airy(mp.airyai, 0), aspan, seams + az["ai"], TINY + [-1e5, -1e7, 100, 103, 104, 107], {inf: 0.0, -inf: 0.0, nan: nan, 1e300: 0.0}),
        "airy_bi": (airy(mp.airybi, 0), aspan, seams + az["bi"], TINY + [-1e5, -1e7, 100, 103, 104], {inf: inf, -inf: 0.0, nan: nan, 1e300: inf}),
        "airy_ai_prime": (airy(mp.airyai, 1), aspan, seams + az["aip"], TINY + [-1e5, -1e7, 100, 103, 104, 107],
                          {inf: 0.0, -inf: nan, nan: nan, 1e300: 0.0}),
        "airy_bi_prime": (airy(mp.airybi, 1), aspan, seams + az["bip"], TINY + [-1e5, -1e7, 100, 103], {inf: inf, -inf: nan, nan: nan, 1e300: inf}),
        "e1": (mp.e1, [(0, 1), (1, 32), (32, 735), ("log", 1e-300, 1)], [1, 2, 32, 700], TINY, {0.0: inf, inf: 0.0, 1e300: 0.0, -1.0: nan, nan: nan}),
        "ei": (mp.ei, [(0, 1), (1, 64), (64, 715), (-10, 0), (-735, -10), ("log", 1e-300, 1), ("log", -1e-300, -1)],
               [0.25, 1, 64, -1, -32, 700, between(mp.ei, 0.3, 0.4)], TINY + [-x for x in TINY],
               {0.0: -inf, inf: inf, -inf: -0.0, 1e300: inf, nan: nan}),
        "lambert_w": (lambert(0), [(branch, 0), (0, 3), (3, 1000), ("log", 1e-300, 1), ("log", -1e-300, -0.3), ("log", 1000, 1e300)],
                      [-0.33109, 1, 3, math.e, -1e-5, 1e-5], TINY + HUGE + [-x for x in TINY] + [branch, nudge(branch, 1), nudge(branch, 100), branch * (1 - 1e-12)],
                      {0.0: 0.0, inf: inf, -0.4: nan, -inf: nan, nan: nan}),
        "lambert_wm1": (lambert(-1), [(branch, 0), ("log", -1e-300, -0.36), (branch, -0.3)], [-0.33109, -0.1],
                        [-x for x in TINY] + [branch, nudge(branch, 1), nudge(branch, 100), branch * (1 - 1e-12)],
                        {0.0: -inf, 1.0: nan, -0.4: nan, inf: nan, nan: nan}),
        "zeta": (mp.zeta, [(-1, 1), (1, 60), (-20, 0), (-250, -20), ("log", 1e-300, 1), (0.9, 1.1)],
                 [1, -1, 60] + [-2 * k for k in range(1, 30)] + [-3, -5, -101], TINY + [-x for x in TINY] + HUGE,
                 {inf: 1.0, 1.0: inf, -2.0: 0.0, -4.0: 0.0, -100.0: 0.0, nan: nan, -inf: nan}),
        "elliptic_k": (mp.ellipk, [(0, 1), (-1, 0), (-100, 0), ("log", -100, -1e300), ("log", 1e-300, 1), (0.99, 1)], [0.5],
                       TINY + [-x for x in TINY] + [1 - 2.0 ** -k for k in range(2, 54)], {1.0: inf, -inf: 0.0, 2.0: nan, nan: nan}),
        "elliptic_e": (mp.ellipe, [(0, 1), (-1, 0), (-100, 0), ("log", -100, -1e300), ("log", 1e-300, 1), (0.99, 1)], [0.5],
                       TINY + [-x for x in TINY] + [1 - 2.0 ** -k for k in range(2, 54)], {1.0: 1.0, -inf: inf, 2.0: nan, nan: nan}),
    }
    return t


# ---- functions of several arguments: a truth, a way to draw points, edges ----

def log_uniform(r, low, high):
    return math.exp(r.uniform(math.log(low), math.log(high)))


def amplitude(v, x):
    return mp.sqrt(mp.besselj(v, x) ** 2 + bessely(v, x) ** 2)


def order(r):
    k = r.randrange(6)
    if k == 0:
        return float(r.randrange(0, 40))
    if k == 1:
        return r.randrange(0, 30) + 0.5
    if k == 2:
        return r.uniform(-20, 0)
    if k == 3:
        return r.randrange(0, 10) + r.choice((-1, 1)) * 10 ** r.uniform(-12, -2)
    return r.uniform(0, 150) if k == 4 else r.uniform(0, 5)


def bessel_point(r):
    v = order(r)
    x = log_uniform(r, 1e-6, 1) if r.random() < 0.15 else log_uniform(r, 1, 2000) if r.random() < 0.5 else r.uniform(0.1, 60)
    return (v, x)


def gamma_point(r):
    a = log_uniform(r, 1e-4, 1e5) if r.random() < 0.7 else r.uniform(0.1, 30)
    k = r.random()
    if k < 0.5:
        x = a * (1 + r.gauss(0, 2) / math.sqrt(a))
    else:
        x = a * log_uniform(r, 0.05, 6) if k < 0.8 else log_uniform(r, 1e-5, 50)
    return (a, abs(x))


def beta_point(r):
    a, b = log_uniform(r, 0.01, 300), log_uniform(r, 0.01, 300)
    m, s = a / (a + b), math.sqrt(a * b / (a + b + 1)) / (a + b)
    x = m + s * r.gauss(0, 2) if r.random() < 0.6 else r.random()
    return (a, b, x if 0 < x < 1 else r.random())


def gamma_tail(upper):
    def f(a, x):
        if a > 150:                    # as two sums of positive terms, mpmath's own is slow there
            with mp.workdps(60):
                front = mp.exp(a * mp.log(x) - x - mp.loggamma(a + 1))
                if x < a:
                    term, total, k = mpf(1), mpf(1), 1
                    while term > total * mpf(10) ** -50:
                        term *= x / (a + k)
                        total += term
                        k += 1
                    p = front * total
                    return 1 - p if upper else p
                value, n = mpf(0), int(60 + 40 * mp.sqrt(a) / (1 + abs(x - a) / mp.sqrt(a)))
                for k in range(n, 0, -1):
                    value = k * (k - a) / (x + 2 * k + 1 - a - value)
                q = front * a / (x + 1 - a - value)
                return q if upper else 1 - q
        with mp.workdps(60):
            return mp.gammainc(a, x, mp.inf, regularized=True) if upper else mp.gammainc(a, 0, x, regularized=True)
    return f


def beta_tail(a, b, x):
    with mp.workdps(50):
        return mp.betainc(a, b, 0, x, regularized=True)


def inverse(f, slope, args, guess, want):
    """Newton's method in 50 digits from a point that is right to some 15."""
    x = mpf(guess)
    with mp.workdps(50):
        for _ in range(3):
            x -= (f(*args, x) - want) / slope(*args, x)
    return x


def gamma_slope(a, x):
    return mp.exp((a - 1) * mp.log(x) - x - mp.loggamma(a))


def beta_slope(a, b, x):
    return x ** (a - 1) * (1 - x) ** (b - 1) / mp.beta(a, b)


def polygamma(n, x):
    with mp.workdps(50):
        return mp.psi(int(n), x)


def polygamma_point(r):
    n = float(r.choice((1, 1, 1, 2, 2, 3, 4, 5, 8, 13, 20, 50, 100)))
    if n <= 8 and r.random() < 0.2:
        return (n, r.uniform(-15, 0))
    return (n, log_uniform(r, 1e-3, 1e4) if r.random() < 0.6 else r.uniform(0.01, 30))


def any_point(low, high, both=False):
    def f(r):
        p = [log_uniform(r, low, high) if r.random() < 0.7 else r.uniform(0.1, 20) for _ in range(2)]
        if both and r.random() < 0.2:
            p[0] = -r.uniform(0.05, 20)
        return tuple(p)
    return f


def hurwitz_point(r):
    s = 1 + (log_uniform(r, 1e-6, 100) if r.random() < 0.7 else r.uniform(0, 20))
    return (s, log_uniform(r, 1e-3, 1e4) if r.random() < 0.6 else r.uniform(0.1, 10))


def hurwitz(s, q):
    """Euler and Maclaurin's sum; mpmath 1.2's own has 9 digits for some large q."""
    with mp.workdps(60):
        a = q + 60
        total = mp.fsum((q + k) ** -s for k in range(60)) + a ** (1 - s) / (s - 1) + a ** -s / 2
        factor = s * a ** (-s - 1)
        for k in range(1, 26):
            total += mp.bernoulli(2 * k) / mp.factorial(2 * k) * factor
            factor *= (s + 2 * k - 1) * (s + 2 * k) / a ** 2
        return total


def lbeta(a, b):
    with mp.workdps(60 + 2 * int(mp.log10(1 + abs(a) + abs(b)))):
        return lgamma(a) + lgamma(b) - lgamma(a + b)


def beta(a, b):
    with mp.workdps(80):
        return mp.gamma(a) * mp.gamma(b) / mp.gamma(a + b)


def scaled_k(v, x):
    with mp.workdps(40):
        return besselk_scaled(v, x) if x > 0.5 else mp.exp(x) * mp.besselk(v, x)


def near_root(v, x):
    """How much larger J and Y are around than one of them is here, where they oscillate."""
    return amplitude(v, x) if abs(v) < x or v < 0 else None


def two():
    none = lambda *a: None
    bj = {(0.0, 0.0): 1.0, (2.0, 0.0): 0.0, (1.5, -1.0): nan, (3.0, -2.0): None, (4.0, -2.0): None, (0.5, inf): 0.0,
          (nan, 1.0): nan, (1.0, nan): nan, (20000.0, 5.0): nan, (-2.0, 3.0): None, (-3.0, 3.0): None}
    by = {(0.0, 0.0): -inf, (1.5, 0.0): -inf, (1.0, -1.0): nan, (0.5, inf): 0.0, (nan, 1.0): nan, (-2.0, 3.0): None}
    bi = {(0.0, 0.0): 1.0, (2.0, 0.0): 0.0, (1.5, -1.0): nan, (3.0, -2.0): None, (4.0, -2.0): None, (nan, 1.0): nan}
    bk = {(0.0, 0.0): inf, (1.0, -1.0): nan, (1.0, inf): 0.0, (nan, 1.0): nan, (0.0, 1e-300): None, (0.3, 1e-200): None, (1.5, 1e-150): None}
    pq = {(2.0, 0.0): 0.0, (2.0, inf): 1.0, (0.0, 1.0): nan, (-1.0, 1.0): nan, (1.0, -1.0): nan, (nan, 1.0): nan, (1.0, nan): nan,
          (1e-20, 1.0): None, (1e-10, 0.5): None, (1e-3, 1e-10): None, (0.5, 1e-300): None, (3.0, 1e-50): None}
    qq = dict(pq)
    qq.update({(2.0, 0.0): 1.0, (2.0, inf): 0.0})
    t = {
        "polygamma": (polygamma, polygamma_point, lambda n, x: abs(polygamma(n, 1 - x)) if x < 0 else None,
                      {(0.0, 2.5): None, (1.0, 0.0): inf, (1.0, -1.0): inf, (2.0, -1.0): nan, (-1.0, 1.0): nan, (1.5, 1.0): nan,
                       (1.0, inf): 0.0, (1.0, nan): nan}),
        "beta": (beta, any_point(1e-3, 80, True), none, {(0.0, 1.0): inf, (nan, 1.0): nan, (inf, 1.0): 0.0, (1e-300, 2.0): None,
                                                         (1e-5, 1e5): None, (1e10, 2.0): None, (1e10, 0.5): None}),
        "lbeta": (lbeta, any_point(1e-3, 1e6, True), lambda a, b: mpf(1), {(nan, 1.0): nan, (1e-300, 2.0): None, (1e15, 2.0): None, (1e10, 0.5): None,
                                                                (1e100, 3.5): None, (1e20, 1e20): None}),
        "gamma_p": (gamma_tail(False), gamma_point, none, pq),
        "gamma_q": (gamma_tail(True), gamma_point, none, qq),
        "bessel_j": (lambda v, x: mp.besselj(v, x), bessel_point, near_root, bj),
        "bessel_y": (lambda v, x: bessely(v, x), bessel_point, near_root, by),
        "bessel_i": (lambda v, x: mp.besseli(v, x), lambda r: (abs(order(r)), log_uniform(r, 1e-4, 700)), none, bi),
        "bessel_k": (lambda v, x: mp.exp(-x) * scaled_k(v, x), lambda r: (order(r), log_uniform(r, 1e-4, 700)), none, bk),
        "bessel_ie": (lambda v, x: mp.exp(-abs(x)) * mp.besseli(v, x), lambda r: (abs(order(r)), log_uniform(r, 1e-4, 1e4)), none, bi),
        "bessel_ke": (scaled_k, lambda r: (order(r), log_uniform(r, 1e-4, 1e4)), none, {(0.0, 0.0): inf, (1.0, -1.0): nan}),
        "hurwitz": (hurwitz, hurwitz_point, none, {(1.0, 2.0): inf, (0.5, 1.0): nan, (2.0, -1.0): nan, (2.0, inf): 0.0,
                                                                     (nan, 1.0): nan, (1000.0, 500.0): None, (300.0, 200.0): None}),
        "xlogy": (lambda x, y: x * mp.log(y) if x else mpf(0), any_point(1e-300, 1e300), none,
                  {(0.0, 0.0): 0.0, (0.0, inf): 0.0, (0.0, -1.0): 0.0, (1.0, -1.0): nan, (2.0, 0.0): -inf, (nan, 1.0): nan, (0.0, nan): nan}),
    }
    return t


INVERSES = {"gamma_p_inverse": ("gamma_p", 1), "gamma_q_inverse": ("gamma_q", -1), "beta_i_inverse": ("beta_i", 1)}


def inverse_record(name, r):
    """A point of an inverse: from x to p, rounded, and back to the x of that p."""
    if name == "beta_i_inverse":
        a, b, x = beta_point(r)
        p = float(beta_tail(a, b, mpf(x)))
        args, f, slope = (mpf(a), mpf(b)), beta_tail, beta_slope
        plain = (a, b, p)
    else:
        upper = name == "gamma_q_inverse"
        a, x = gamma_point(r)
        f = gamma_tail(upper)
        p = float(f(mpf(a), mpf(x)))
        slope = (lambda a, x: -gamma_slope(a, x)) if upper else gamma_slope
        args, plain = (mpf(a),), (a, p)
    if not 1e-290 < p < 1 - 1e-13:
        return None
    return plain, inverse(f, slope, args, x, mpf(p)), 1.0


# ---- records ----

def record(args, value, weight):
    if isinstance(value, mpmath.mpf):
        v = float(value)
        low = 0
        if math.isfinite(v):
            e = max(math.frexp(v)[1] - 53, -1074)
            low = int(mp.nint((value - mpf(v)) * mpf(2) ** (8 - e)))
    else:
        v, low = float(value), 0
    return struct.pack("<%dddbf" % len(args), *args, v, max(-128, min(127, low)), min(float(weight), 3e38))


def good(value):
    return isinstance(value, mpmath.mpf) and mp.isfinite(value) and abs(value) < 1.79e308


def write_one(name, row):
    f, spans, seams, others, edges = row
    r = random.Random(name)
    points = [x for s in seams for x in around(s)] + [float(x) for x in others]
    points += spread(r, spans, max(COUNT - len(points), COUNT // 2))
    out, count, i = [], 0, 0
    while i < len(points) or count < COUNT:
        if i == len(points):
            points += spread(r, spans, 100)
        x = points[i]
        i += 1
        if x in edges or x == 0:
            continue
        try:
            X = mpf(x)
            y = f(X)
            y = mp.re(y) if isinstance(y, mpmath.mpc) else y
            h = mpf(2) ** -50
            z = f(X * (1 + h))
            z = mp.re(z) if isinstance(z, mpmath.mpc) else z
        except (ValueError, ZeroDivisionError, OverflowError, mpmath.libmp.NoConvergence):
            continue
        if not good(y) or not good(z):
            continue
        condition = abs((z - y) / (h * y)) if y else mpf(0)
        out.append(record((x,), y, condition))
        count += 1
    out += [record((float(x),), v, 0) for x, v in edges.items()]   # "-0", since 0.0 and -0.0 are one key
    return out, count


def write_two(name, row):
    f, draw, size, edges = row
    r = random.Random(name)
    out, count = [], 0
    fixed = [a for a, v in edges.items() if v is None]
    while count < COUNT:
        args = fixed.pop() if fixed else draw(r)
        if r.random() < 0.5:
            args = tuple(single(a) for a in args)
        try:
            exact = tuple(mpf(a) for a in args)
            y = f(*exact)
            y = mp.re(y) if isinstance(y, mpmath.mpc) else y
            scale = size(*exact)
        except (ValueError, ZeroDivisionError, OverflowError, mpmath.libmp.NoConvergence):
            continue
        if not good(y) or (y and abs(y) < 1e-300):
            continue
        out.append(record(args, y, max(mpf(1), abs(scale / y)) if scale is not None and y else 1))
        count += 1
    return out + [record(a, v, 1) for a, v in edges.items() if v is not None], count


def write_inverse(name):
    r = random.Random(name)
    out, count = [], 0
    while count < COUNT:
        got = inverse_record(name, r)
        if got is None or not good(got[1]) or got[1] < 1e-300:
            continue
        out.append(record(*got))
        count += 1
    edges = {"gamma_p_inverse": {(2.0, 0.0): 0.0, (2.0, 1.0): inf, (2.0, 1.5): nan, (-1.0, 0.5): nan, (2.0, nan): nan},
             "gamma_q_inverse": {(2.0, 0.0): inf, (2.0, 1.0): 0.0, (2.0, -0.5): nan, (-1.0, 0.5): nan, (2.0, nan): nan},
             "beta_i_inverse": {(2.0, 3.0, 0.0): 0.0, (2.0, 3.0, 1.0): 1.0, (2.0, 3.0, 1.5): nan, (-1.0, 1.0, 0.5): nan}}[name]
    return out + [record(a, v, 1) for a, v in edges.items()], count


def write_beta():
    edges = {(2.0, 3.0, 0.0): 0.0, (2.0, 3.0, 1.0): 1.0, (2.0, 3.0, 1.5): nan, (-1.0, 1.0, 0.5): nan, (nan, 1.0, 0.5): nan,
             (1e-5, 2.0, 0.3): None, (2.0, 1e-5, 0.3): None, (2000.0, 3000.0, 0.41): None, (1e5, 1e5, 0.501): None}
    return write_two("beta_i", (beta_tail, beta_point, lambda *a: None, edges))


def names():
    return list(one()) + list(two()) + ["beta_i"] + list(INVERSES)


def make(name):
    mp.dps = 40
    if name in INVERSES:
        out, count = write_inverse(name)
    elif name == "beta_i":
        out, count = write_beta()
    else:
        singles = one()
        out, count = write_one(name, singles[name]) if name in singles else write_two(name, two()[name])
    with open(os.path.join(FOLDER, name + ".bin"), "wb") as f:
        f.write(b"".join(out))
    return "%-16s %d points" % (name, count)


def main():
    args = sys.argv[1:]
    jobs = 1
    if args[:1] == ["-j"]:
        jobs, args = int(args[1]), args[2:]
    os.makedirs(FOLDER, exist_ok=True)
    mp.dps = 30
    with Pool(jobs) as pool:
        for line in pool.imap_unordered(make, args or names(), 1):
            print(line, flush=True)


if __name__ == "__main__":
    main()
