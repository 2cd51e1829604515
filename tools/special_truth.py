"""special_truth.py - what special_scan.py measures against: the functions of weft/special.h in mpmath,
for arguments of any size, where mpmath's own are slow or wrong as well.

For each function of several arguments: the truth, a way to draw points, how large the function is
nearby (as in golden_special.py), and where it is defined."""
import math

from mpmath import mp, mpf

import golden_special as golden

inf = math.inf
INVERSES = golden.INVERSES
COST = {"gamma_p": 3, "gamma_q": 3, "gamma_p_inverse": 4, "gamma_q_inverse": 4, "beta_i": 4, "beta_i_inverse": 6, "bessel_j": 2,
        "bessel_y": 4, "bessel_k": 2, "bessel_ke": 2, "beta": 2, "lbeta": 2}

# points that were wrong once: always scanned, always kept
FOUND = {
    "lgamma": [(-2.6145017441001595,), (-2.61,), (-2.5975,)],
    "polygamma": [(1.0, 1e300), (1.0, 1e156), (2.0, 1e105), (3.0, 1e79), (5.0, 1e53)],
    "gamma_p_inverse": [(0.02, 1e-311), (5e-4, 0.24), (1e-8, 1e-110), (2.0, 5e-320)],
    "gamma_q_inverse": [(0.6872035499508591, 6.05884578684758e-122), (1e-5, 0.9999999), (20.0, 1e-200), (3.0, 4e-320)],
    "beta_i_inverse": [(848.9737649856305, 0.3045808457620026, 7.570577692210206e-19), (8.25, 45.0, 6e-321), (58.0, 0.001, 5e-321)],
    "beta_i": [(0.0012507742503657937, 2.3301222663242584e-30, 0.93695896863937378), (2.5, 5e-27, 0.999999), (20.0, 1e-25, 0.99)],
    "bessel_i": [(283.0, 17.255265409194546), (1.5, 1400.0), (0.0, 1385.0), (100.0, 1600.0)],
    "gamma_q": [(9e-16, 1e-300), (9e-16, 1e-3)],
    "bessel_y": [(-0.5, 1e-306), (0.5, 1e-306)],
    "bessel_ke": [(0.5, 1e-306)],
    "bessel_j": [(-30.0000000001, 1e-9), (-1410.5, 445.0)],
    "bessel_ie": [(-1410.6426993166833, 445.27948812270819), (-0.5, 1.2392954356256543e-306), (-773.724609375, 370.81954956054688)],
    "bessel_k": [(283.0, 20.0), (150.0, 0.5)],
    "hurwitz": [(31.08752259659003, 506.8716511062517), (1.0000000000022513, 2.7e305), (1.0000000000000051, 3e-28)],
    "beta": [(-0.3, -0.7), (-1.1, -2.9), (-1.6e-151, 1.96), (-27.000000000000021, -1.7e-299), (-576.4, 4.4e260), (-1.5, 1e300), (1e-300, -1e-200)],
    "lbeta": [(-14.0, 2.5e-6), (-0.3, -0.7), (-8.5e-8, -1.1e-183), (3.1e178, -3.3e-183), (-1.8e-220, 26.0), (-1.5, 1e300)],
    "elliptic_e": [(-3.06e307,), (-1e300,)],
}

# of one argument: where it is a number or an infinity
DOMAIN = {
    "gamma": lambda x: x > 0 or x != math.floor(x), "digamma": lambda x: x > 0 or x != math.floor(x),
    "erfinv": lambda x: -1 <= x <= 1, "erfcinv": lambda x: 0 <= x <= 2, "bessel_y0": lambda x: x >= 0, "bessel_y1": lambda x: x >= 0,
    "bessel_k0": lambda x: x >= 0, "bessel_k1": lambda x: x >= 0, "bessel_k0e": lambda x: x >= 0, "bessel_k1e": lambda x: x >= 0,
    "e1": lambda x: x >= 0, "lambert_w": lambda x: x >= -1 / mp.e, "lambert_wm1": lambda x: -1 / mp.e <= x <= 0,
    "elliptic_k": lambda x: x <= 1, "elliptic_e": lambda x: x <= 1,
}


# ---- of one argument, far out ----

def hankel_sums(v, x, sign):
    """1 - sign a2 / x^2 + ... and a1 / x - sign a3 / x^3 + ... of Hankel's expansion."""
    even, odd, term, k = mpf(1), mpf(0), mpf(1), 0
    while abs(term) > mp.eps / 100:
        k += 1
        last, term = abs(term), term * (4 * v * v - (2 * k - 1) ** 2) / (8 * k * x)
        if term == 0:
            break
        if abs(term) > last and k > v:
            raise ValueError
        part = -term if sign > 0 and (k // 2) % 2 else term
        if k % 2:
            odd += part
        else:
            even += part
    return even, odd


def far(v, x):
    return x > 200 and x > 3 * v * v


def scaled_i(v, x):
    if far(v, x):
        even, odd = hankel_sums(v, x, -1)
        return (even - odd) / mp.sqrt(2 * mp.pi * x)
    return mp.exp(-abs(x)) * mp.besseli(v, x)


def scaled_k(v, x):
    if far(v, x):
        even, odd = hankel_sums(v, x, -1)
        return (even + odd) * mp.sqrt(mp.pi / (2 * x))
    return golden.scaled_k(v, x)


def wave(v, x):
    """J and Y far out."""
    even, odd = hankel_sums(v, x, 1)
    with mp.workdps(mp.dps + max(0, int(mp.log10(x)))):
        w = x - (v / 2 + mpf(1) / 4) * mp.pi
        c, s = mp.cos(w), mp.sin(w)
    size = mp.sqrt(2 / (mp.pi * x))
    return size * (even * c - odd * s), size * (even * s + odd * c)


def bessel_j(v, x):
    if x < 0:
        return (-1) ** int(v) * bessel_j(v, -x)
    return wave(v, x)[0] if far(v, x) else mp.besselj(v, x)


def bessel_y(v, x):
    return wave(v, x)[1] if far(v, x) else mp.bessely(v, x)


def bessel_i(v, x):
    if x < 0:
        return (-1) ** int(v) * bessel_i(v, -x)
    if x > 20000:
        return mpf(2) ** 5000
    return mp.exp(x) * scaled_i(v, x) if far(v, x) else mp.besseli(v, x)


def bessel_ie(v, x):
    return (-1) ** int(v) * bessel_ie(v, -x) if x < 0 else scaled_i(v, x)


def bessel_k(v, x):
    return mp.exp(-x) * scaled_k(v, x) if x < 20000 else mpf(2) ** -5000


def erfcx(x):
    if x > 1e8:
        return 1 / (x + 1 / (2 * x)) / mp.sqrt(mp.pi)
    if x < -1000:
        return mpf(2) ** 5000
    return mp.exp(x * x) * mp.erfc(x)


def vanishing(f, low, high=1e300, below=0, above=0):
    """f, but outside low to high what it has become there."""
    return lambda x: mpf(below) if x < low else mpf(above) if x > high else f(x)


def airy_to(f, above):
    """Below -10^20 their phase is lost, which docs/special.md says."""
    def g(x):
        if x < -1e20:
            raise ValueError
        return mpf(above) if x > 1000 else f(x)
    return g


HUGE = mpf(2) ** 5000


def lgamma(x):
    if x <= 0 and x == mp.floor(x):
        return HUGE
    with mp.workdps(mp.dps + 20):
        return mp.loggamma(x) if x > 0 else mp.log(mp.pi / abs(x * mp.sinpi(x))) - mp.loggamma(-x)


def gamma(x):
    if x > 1000 or x == 0:
        return HUGE if x > 0 or math.copysign(1, x) > 0 else -HUGE
    return mpf(0) if x < -1000 else mp.gamma(x)


def zeta(s):
    if s == 1:
        return HUGE
    if s > 200:
        return mpf(1)
    if s < -300:
        if s % 2 == 0:
            return mpf(0)
        return HUGE * (1 if mp.floor(s / 2) % 2 == 0 else -1)
    return mp.zeta(s)


def elliptic(f):
    return lambda m: HUGE if m == 1 and f is mp.ellipk else f(m)


def better(name, f):
    table = {
        "gamma": gamma, "lgamma": lgamma, "zeta": zeta, "erfcx": erfcx,
        "erf": vanishing(mp.erf, -1e3, 1e3, -1, 1), "erfc": vanishing(mp.erfc, -1e3, 1e3, 2, 0),
        "erfinv": lambda p: HUGE * p if abs(p) == 1 else golden.erfinv(p) if p else mpf(0),
        "erfcinv": lambda q: HUGE if q == 0 else -HUGE if q == 2 else golden.erfcinv(q),
        "bessel_j0": lambda x: bessel_j(0, abs(x)), "bessel_j1": lambda x: mp.sign(x) * bessel_j(1, abs(x)),
        "bessel_y0": lambda x: bessel_y(0, x) if x else -HUGE, "bessel_y1": lambda x: bessel_y(1, x) if x else -HUGE,
        "bessel_i0": lambda x: bessel_i(0, abs(x)), "bessel_i1": lambda x: bessel_i(1, x),
        "bessel_k0": lambda x: bessel_k(0, x) if x else HUGE, "bessel_k1": lambda x: bessel_k(1, x) if x else HUGE,
        "bessel_i0e": lambda x: bessel_ie(0, abs(x)), "bessel_i1e": lambda x: bessel_ie(1, x),
        "bessel_k0e": lambda x: scaled_k(0, x) if x else HUGE, "bessel_k1e": lambda x: scaled_k(1, x) if x else HUGE,
        "airy_ai": airy_to(f, 0), "airy_ai_prime": airy_to(f, 0), "airy_bi": airy_to(f, HUGE), "airy_bi_prime": airy_to(f, HUGE),
        "e1": lambda x: HUGE if x == 0 else mpf(0) if x > 1e4 else mp.e1(x),
        "ei": lambda x: -HUGE if x == 0 else mpf(0) if x < -1e4 else HUGE if x > 1e4 else mp.ei(x),
        "lambert_w": lambda x: f(x) if x else mpf(0), "lambert_wm1": lambda x: f(x) if x else -HUGE,
        "elliptic_k": elliptic(mp.ellipk),
    }
    return table.get(name, f)


# ---- zeta and its derivatives ----

def hurwitz_scaled(s, q):
    """q^s zeta(s, q), by Euler and Maclaurin's sum; mpmath 1.2's own has 9 digits for some large q."""
    with mp.workdps(mp.dps + 25):
        n = int(min(3000, 60 + s))
        total, k = mpf(0), 0
        while k < n:
            term = mp.exp(-s * mp.log1p(k / q)) if q > 1e-5 or k == 0 else ((q + k) / q) ** -s
            total += term
            k += 1
            if term < mp.eps * total:
                return total
        a = q + n
        last = mp.exp(-s * mp.log1p(n / q))
        total += last * (a / (s - 1) + mpf(1) / 2)
        factor = last * s / a
        for k in range(1, 40):
            part = mp.bernoulli(2 * k) / mp.factorial(2 * k) * factor
            total += part
            if abs(part) < mp.eps * total:
                return total
            factor *= (s + 2 * k - 1) / a * ((s + 2 * k) / a)
        raise ValueError


def hurwitz(s, q):
    if s == 1:
        return HUGE
    power = -s * mp.log(q)
    if power > 3000:
        return HUGE
    if power < -3000 - 2 * mp.log(q + 1):
        return mpf(0)
    with mp.workdps(mp.dps + 25):
        return mp.exp(-s * mp.log(q)) * hurwitz_scaled(s, q)


def polygamma_up(n, x):
    with mp.workdps(mp.dps + 25):
        power = mp.loggamma(n + 1) - (n + 1) * mp.log(x)
        if power > 3000:
            return HUGE
        if power < -3000 - 2 * mp.log(x + 1):
            return mpf(0)
        return mp.exp(power) * hurwitz_scaled(n + 1, x)


def cot_slope(n, x):
    """The n-th derivative of pi cot(pi x): a polynomial of the cotangent, with whole coefficients."""
    a = [0, 1]
    for _ in range(n):
        b = [0] * (len(a) + 1)
        for i in range(1, len(a)):
            b[i - 1] -= i * a[i]
            b[i + 1] -= i * a[i]
        a = b
    c = mp.cospi(x) / mp.sinpi(x)
    return mp.pi ** (n + 1) * mp.polyval(a[::-1], c)


def polygamma(n, x):
    n = int(n)
    if n == 0:
        return mp.digamma(x)
    if x > 0:
        return (1 if n % 2 else -1) * polygamma_up(n, x)
    if x == mp.floor(x):
        return HUGE
    with mp.workdps(mp.dps + 60 + max(0, int(mp.log10(abs(x))))):
        up = -polygamma_up(n, 1 - x)       # (-1)^n psi_n(1 - x)
        return up - cot_slope(n, x)


# ---- incomplete functions ----

def gamma_front(a, x):
    """x^a e^-x / Gamma(a)"""
    with mp.workdps(mp.dps + 10 + max(0, int(mp.log10(a + x)))):
        return mp.exp(a * mp.log(x) - x - mp.loggamma(a))


def gamma_tail_left(a, x, upper):
    term, total, k = mpf(1), mpf(1), 0
    while term > total * mp.eps:
        k += 1
        term *= x / (a + k)
        total += term
    p = gamma_front(a, x) / a * total
    return 1 - p if upper else p


def gamma_tail(a, x, upper):
    """Of P and Q the one on x's side of a by a sum or an integral of positive terms."""
    with mp.workdps(mp.dps + 15):
        if a > 1e200 or x > 1e200:
            p = mpf(0) if x < a else mpf(1) if x > a else mpf(1) / 2
            return 1 - p if upper else p
        if x < a + 1 and (a < 1e6 or x < a / 2):
            if a < 1 and upper and mp.dps < 300:    # P is nearly 1
                with mp.workdps(mp.dps + int(-mp.log10(a)) + 5):
                    return gamma_tail_left(a, x, upper)
            return gamma_tail_left(a, x, upper)
        if x >= a + 1 and x > 1:
            if a < 1e6 or x > 2 * a:
                n, best = 64, None
                while True:
                    value = mpf(0)
                    for k in range(n, 0, -1):
                        value = k * (k - a) / (x + 2 * k + 1 - a - value)
                    q = 1 / (x + 1 - a - value)
                    if best is not None and abs(q - best) < mpf(10) ** (15 - mp.dps) * abs(q):
                        break
                    best, n = q, n * 2
                    if n > 200000:
                        raise ValueError
                q *= gamma_front(a, x)
                return q if upper else 1 - q
            side = 1
        else:
            side = -1
        if a < 1e6:
            q = mp.gammainc(a, x, mp.inf, regularized=True)
            return q if upper else 1 - q
        # integral of e^(a ln(1 + s y / x) - s y) / (x + s y)
        extra = int(mp.log10(a))
        with mp.workdps(mp.dps + extra):
            slope = abs(x - a) / x
            reach = min(120 / slope if slope else mp.inf, mp.sqrt(240 * a) + 120)
            if side < 0:
                reach = min(reach, x)
            cuts = [reach * i / 8 for i in range(9)]
            tail = mp.quad(lambda y: mp.exp(a * mp.log1p(side * y / x) - side * y) / (x + side * y), cuts) * gamma_front(a, x)
        q = tail if side > 0 else 1 - tail
        return q if upper else 1 - q


def beta_tails(a, b, x, y):
    """I(a, b, x) and I(b, a, y), y = 1 - x."""
    with mp.workdps(mp.dps + 15 + max(0, int(mp.log10(a + b)))):
        if x * (a + b + 2) > a + 1:
            q, p = beta_tails(b, a, y, x)
            return p, q
        if x > mpf("0.99") and y * max(b, 1) < 0.01:
            p = mp.betainc(a, b, 0, x, regularized=True)
            return p, 1 - p
        term, total, k = mpf(1), mpf(1), 0
        while term > total * mp.eps * y:
            term *= (a + b + k) / (a + 1 + k) * x
            total += term
            k += 1
        lbeta = mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)
        p = mp.exp(a * mp.log(x) + b * mp.log(y) - lbeta) / a * total
        return p, 1 - p


def beta_i(a, b, x):
    return mpf(x) if x in (0, 1) else beta_tails(a, b, x, 1 - x)[0]


def inverse(name, p, got):
    """The truth next to what was got, by steps of Newton's method in many digits; HUGE if it is nowhere near."""
    level = mpf(p[-1])
    if level in (0, 1):
        return None
    if name != "beta_i_inverse":
        a = mpf(p[0])
        upper = (name == "gamma_q_inverse") == (level <= 0.5)  # the smaller tail
        with mp.workdps(50):
            want = level if level <= 0.5 else 1 - level
            if got == 0 or got == inf or math.isnan(got):
                at = mpf(2) ** -1075 if got == 0 else mpf(2) ** 1023
                if math.isnan(got):
                    return HUGE
                tail = gamma_tail(a, at, upper)
                below = (tail > want) != upper if got == 0 else (tail < want) != upper
                return mpf(0 if got == 0 else HUGE) if below else mpf(1)
            x = mpf(got)
            if x < mpf(2) ** -1022:       # of a subnormal: one term is all
                lower = level if name == "gamma_p_inverse" else 1 - level
                return mp.exp((mp.log(lower) + mp.loggamma(a + 1)) / a)
            for _ in range(2):
                tail = gamma_tail(a, x, upper)
                if tail <= 0:
                    return HUGE
                step = mp.log(tail / want) * tail / gamma_front(a, x) * (-1 if upper else 1)
                if not abs(step) < 0.3:
                    return HUGE
                x *= mp.exp(-step)
            return x
    a, b = mpf(p[0]), mpf(p[1])
    with mp.workdps(50):
        x = mpf(got)
        want = level if level <= 0.5 else 1 - level
        if got == 0:
            return mp.exp((mp.log(level) + mp.log(a) + mp.log(mp.beta(a, b))) / a)
        if got == 1:
            return 1 - mp.exp((mp.log(1 - level) + mp.log(b) + mp.log(mp.beta(a, b))) / b)
        if not 0 < x < 1:
            return HUGE
        for _ in range(2):
            tails = beta_tails(a, b, x, 1 - x)
            tail = tails[0] if level <= 0.5 else tails[1]
            slope = mp.exp(a * mp.log(x) + b * mp.log(1 - x)) / mp.beta(a, b)  # by the log of the odds
            step = mp.log(tail / want) * tail / slope * (1 if level <= 0.5 else -1)
            if not abs(step) < 0.3 and not abs(step * (1 - x)) < 1e-10:
                return HUGE
            odds = x / (1 - x) * mp.exp(-step)
            x = odds / (1 + odds)
        return x


def beta(a, b):
    def pole(x):
        return x <= 0 and x == mp.floor(x)
    if pole(a) or pole(b):
        raise ValueError
    if pole(a + b):
        return mpf(0)
    with mp.workdps(60 + int(mp.log10(1 + abs(a) + abs(b)))):
        size = lbeta(a, b)
        if size < -3000:
            return mpf(0)
        sign = mpf(1)
        for x in (a, b, a + b):
            if x < 0 and mp.floor(x) % 2:
                sign = -sign
        return sign * (HUGE if size > 3000 else mp.exp(size))


def lbeta(a, b):
    if any(x <= 0 and x == mp.floor(x) for x in (a, b)):
        for p, w in ((a, b), (b, a)):
            if p <= 0 and p == mp.floor(p) and w > 0 and w == mp.floor(w) and p + w <= 0:
                return lbeta(1 - p - w, w)
        return HUGE
    if a + b <= 0 and a + b == mp.floor(a + b):
        return -HUGE
    if max(abs(a), abs(b)) > 1e250 and min(a, b) > 0:
        small, large = min(a, b), max(a, b)
        with mp.workdps(400):
            if small < 1e200:
                return mp.loggamma(small) - small * mp.log(large)
            return -large * mp.log1p(small / large) - small * mp.log1p(large / small)
    return lbeta_sum(a, b)


def lbeta_sum(a, b):
    with mp.workdps(60 + 2 * int(mp.log10(1 + abs(a) + abs(b))) + 2 * int(abs(mp.log10(min(abs(a), abs(b)))))):
        return lgamma(a) + lgamma(b) - lgamma(a + b)


# ---- points ----

def whole_or_not(x):
    return x == math.floor(x)


def many():
    from special_scan import wild, beside, any_double

    def polygamma_point(r):
        n = float(r.choice((1, 1, 1, 2, 2, 3, 4, 5, 6, 8, 13, 20, 50, 100, 169, 170, 171, 300, 1000)))
        if r.random() < 0.05:
            n = float(int(10 ** r.uniform(0, 12)))
        x = wild(r, sign=False)
        if r.random() < 0.25 and n <= 100:
            x = -x if abs(x) < 1e12 else -r.uniform(0, 100)
        return n, x

    def pair(r):
        a, b = wild(r), wild(r)
        if r.random() < 0.6:
            a, b = abs(a), abs(b)
        return (a, b)

    def gamma_point(r):
        a = abs(wild(r, sign=False)) if r.random() < 0.4 else 10 ** r.uniform(-3, 6)
        k = r.random()
        if k < 0.4:
            x = a + r.gauss(0, 3) * math.sqrt(a)
        elif k < 0.5:
            x = a * 2.0 ** r.uniform(-3, 3)
        elif k < 0.6:
            x = beside(r, a)
        else:
            x = wild(r, sign=False)
        return (a, abs(x))

    def level(r):
        k = r.random()
        if k < 0.3:
            return r.random()
        if k < 0.6:
            return 10 ** r.uniform(-300, 0)
        if k < 0.7:
            return 10 ** r.uniform(-323, -290)
        if k < 0.85:
            return 10 ** r.uniform(-10, 0)
        return 1 - 2.0 ** -r.uniform(1, 53)

    def gamma_level(r):
        a = 10 ** r.uniform(-8, 6) if r.random() < 0.7 else 10 ** r.uniform(-2, 2) if r.random() < 0.8 else r.randrange(1, 500) / 2
        return (a, level(r))

    def sizes(r):
        k = r.random()
        if k < 0.4:
            return 10 ** r.uniform(-2, 3)
        if k < 0.7:
            return 10 ** r.uniform(-6, 5)
        return r.randrange(1, 300) / 2 if k < 0.9 else 10 ** r.uniform(-30, 7)

    def beta_point(r):
        a, b = sizes(r), sizes(r)
        m, s = a / (a + b), math.sqrt(a * b / (a + b + 1)) / (a + b)
        k = r.random()
        x = m + s * r.gauss(0, 4) if k < 0.5 else r.random() if k < 0.7 else 10 ** r.uniform(-300, 0) if k < 0.85 else 1 - 2.0 ** -r.uniform(1, 53)
        return (a, b, x if 0 < x < 1 else r.random())

    def beta_level(r):
        return (sizes(r), sizes(r), level(r))

    def order(r):
        k = r.random()
        if k < 0.3:
            v = r.randrange(0, 100) / 2
        elif k < 0.5:
            v = beside(r, r.randrange(0, 20) / 2)
        elif k < 0.85:
            v = 10 ** r.uniform(-3, 2.5)
        elif k < 0.95:
            v = 10 ** r.uniform(2, 3.3)
        else:
            v = 10 ** r.uniform(-300, 0)
        return v

    def bessel_point(top):
        def f(r):
            v = order(r)
            k = r.random()
            x = 10 ** r.uniform(-3, 3.3) if k < 0.5 else abs(v * (1 + r.gauss(0, 0.2))) if k < 0.65 else r.uniform(0, 80) if k < 0.8 else wild(r, sign=False)
            if x > top and r.random() < 0.8:
                x = top * r.random()
            if r.random() < 0.2:
                v = -v
            if whole_or_not(v) and r.random() < 0.1:
                x = -x
            return (v, x)
        return f

    def positive(v, x):
        return x > 0 or x == 0 and v >= 0

    def hurwitz_point(r):
        s = 1 + (10 ** r.uniform(-15, 3) if r.random() < 0.7 else wild(r, sign=False))
        return (s, wild(r, sign=False))

    def size_j(v, x):
        if not (abs(v) < abs(x) or v < 0) or x == 0:
            return mpf(0)
        a = abs(x)
        return mp.sqrt(bessel_j(v, a) ** 2 + bessel_y(v, a) ** 2)

    def modified_size(v, x):
        # of order below 0 two large parts may nearly cancel
        return mpf(0)

    any_where = lambda *a: True
    tail = lambda a, x: a > 0 and x >= 0
    part = lambda a, p: a > 0 and 0 <= p <= 1
    bessel_in = lambda v, x: abs(v) <= 10000 and (x > 0 or x < 0 and whole_or_not(v))
    above = lambda v, x: abs(v) <= 10000 and x > 0

    def beta_in(a, b):
        return True

    return {
        "polygamma": (polygamma, polygamma_point, lambda n, x: abs(polygamma_up(int(n), 1 - x)) if x < 0 else mpf(0),
                      lambda n, x: x > 0 or not whole_or_not(x) or int(n) % 2 == 1 and x != 0),
        "beta": (beta, pair, None, beta_in),
        "lbeta": (lbeta, pair, lambda a, b: mpf(1), beta_in),
        "gamma_p": (lambda a, x: gamma_tail(a, x, False) if x else mpf(0), gamma_point, None, tail),
        "gamma_q": (lambda a, x: gamma_tail(a, x, True) if x else mpf(1), gamma_point, None, tail),
        "gamma_p_inverse": (None, gamma_level, None, part),
        "gamma_q_inverse": (None, gamma_level, None, part),
        "beta_i": (beta_i, beta_point, None, any_where),
        "beta_i_inverse": (None, beta_level, None, any_where),
        "bessel_j": (bessel_j, bessel_point(3000), size_j, bessel_in),
        "bessel_y": (bessel_y, bessel_point(3000), size_j, above),
        "bessel_i": (bessel_i, bessel_point(2000), modified_size, bessel_in),
        "bessel_k": (bessel_k, bessel_point(1000), None, above),
        "bessel_ie": (bessel_ie, bessel_point(20000), modified_size, bessel_in),
        "bessel_ke": (scaled_k, bessel_point(20000), None, above),
        "hurwitz": (hurwitz, hurwitz_point, None, lambda s, q: s >= 1 and q > 0),
        "xlogy": (lambda x, y: x * mp.log(y) if x else mpf(0), lambda r: (wild(r), wild(r, sign=False)), None, any_where),
    }
