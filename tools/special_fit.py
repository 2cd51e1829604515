#!/usr/bin/env python3
"""special_fit.py - compute every coefficient of src/special/fit_*.h.

    tools/special_fit.py [NAME ...]     all headers, or those named: elementary gamma erf ...

Needs mpmath (Debian: python3-mpmath; python3-gmpy2 makes it fast). A fit is interpolation at
Chebyshev nodes in 50 digits, written as powers around a centre, rounded to doubles. Its error,
relative to the function, is measured on a finer grid and printed beside it.

Two kinds of fit:
  poly    one polynomial for an interval
  pieces  octaves of x, each cut into 2^cuts equal parts, a polynomial for each around its middle;
          the part is found in the bits of x, and the distance from the middle is exact
"""
import os
import sys

from mpmath import mp, mpf

mp.dps = 50
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "src", "special")
euler, pi, ln2, sqrt = mp.euler, mp.pi, mp.log(2), mp.sqrt


def interpolate(f, low, high, centre, degree):
    """Coefficients of powers of (x - centre)."""
    low, high, centre = mpf(low), mpf(high), mpf(centre)
    nodes = [(low + high) / 2 + (high - low) / 2 * mp.cos(pi * (2 * i + 1) / (2 * degree + 2))
             for i in range(degree + 1)]
    d = [f(x) for x in nodes]
    for k in range(1, degree + 1):
        for i in range(degree, k - 1, -1):
            d[i] = (d[i] - d[i - 1]) / (nodes[i] - nodes[i - k])
    c = [mpf(0)] * (degree + 1)
    for i in range(degree, -1, -1):
        step = nodes[i] - centre
        for j in range(degree, 0, -1):
            c[j] = c[j - 1] - c[j] * step
        c[0] = d[i] - c[0] * step
    return c


def value(c, t):
    r = mpf(0)
    for a in reversed(c):
        r = r * t + a
    return r


def worst(f, c, low, high, centre, share, points=33):
    """Largest error over the interval of a fit that is `share` of the whole result."""
    most = mpf(0)
    for i in range(points):
        x = mpf(low) + (mpf(high) - mpf(low)) * (i + mpf("0.37")) / (points + 1)
        most = max(most, abs(share(x) * (value(c, x - centre) - f(x))))
    return most


def relative(f):
    return lambda x: 1 / f(x)


def needed(f, low, high, centre, share, bits, least=4):
    for degree in range(least, 40):
        c = interpolate(f, low, high, centre, degree)
        if worst(f, c, low, high, centre, share, 11) < mpf(2) ** -bits:
            return degree
    raise ValueError("no fit")


def remembered(f):
    """f, which is slow, with its values kept."""
    kept = {}

    def look(x):
        if x not in kept:
            kept[x] = f(x)
        return kept[x]
    return look


def text(c):
    return float(c).hex() if c else "0.0"


class Header:
    def __init__(self, name, about):
        self.name, self.lines = name, []
        self.guard = "WEFT_SPECIAL_FIT_%s_H" % name.upper()
        self.about = about

    def poly(self, name, f, low, high, centre=0, share=None, bits=57, about=""):
        """static double fit_NAME(t), t = x - centre."""
        f = remembered(f)
        share = share or relative(f)
        degree = needed(f, low, high, centre, share, bits)
        c = interpolate(f, low, high, centre, degree)
        error = worst(f, [mpf(float(a)) for a in c], low, high, centre, share)
        self.lines.append("/* %s: 2^%.1f */" % (about, mp.log(error, 2)))
        self.lines.append("LANE double fit_%s(double t) {" % name)
        self.lines.append("    double r = %s;" % text(c[-1]))
        for a in reversed(c[:-1]):
            self.lines.append("    r = r * t + %s;" % text(a))
        self.lines += ["    return r;", "}", ""]
        print("%-12s %-20s degree %2d  2^%.1f" % (self.name, name, degree, mp.log(error, 2)))

    def number(self, name, v, about, parts=None):
        """A constant as parts: `parts` gives the bits of all but the last."""
        v = mpf(v)
        self.lines.append("/* %s */" % about)
        for i, width in enumerate(list(parts or []) + [0]):
            part = mpf(float(v))
            if width:
                e = mp.floor(mp.log(abs(v), 2)) + 1
                part = mp.floor(v * mpf(2) ** (width - e)) * mpf(2) ** (e - width)
            word = name if not parts else "%s_%d" % (name, i + 1)
            self.lines.append("#define FIT_%s %s" % (word.upper(), text(part)))
            v -= part
        self.lines.append("")

    def pieces(self, name, f, first, last, cuts=2, share=None, bits=57, about=""):
        """static double fit_NAME(x) for 2^first <= x < 2^last."""
        f = remembered(f)
        share = share or relative(f)
        spans = []
        for e in range(first, last):
            for i in range(1 << cuts):
                w = mpf(2) ** e / (1 << cuts)
                spans.append((mpf(2) ** e + i * w, w))
        degree = 4
        for a, w in spans:
            degree = needed(f, a, a + w, a + w / 2, share, bits, degree)
        fits = [interpolate(f, a, a + w, a + w / 2, degree) for a, w in spans]
        error = max(worst(f, [mpf(float(x)) for x in c], a, a + w, a + w / 2, share)
                    for c, (a, w) in zip(fits, spans))
        self.lines.append("/* %s, 2^%d <= x < 2^%d: 2^%.1f */" % (about, first, last, mp.log(error, 2)))
        self.lines.append("static const double fit_%s_table[%d][%d] = {" % (name, degree + 1, len(spans)))
        for j in range(degree + 1):
            row, line = [text(c[j]) for c in fits], "    {"
            for k, word in enumerate(row):
                word += "," if k + 1 < len(row) else "},"
                if len(line) + len(word) > 98:
                    self.lines.append(line.rstrip())
                    line = "     "
                line += word + " "
            self.lines.append(line.rstrip())
        self.lines.append("};")
        self.lines.append("LANE double fit_%s(double x) {" % name)
        self.lines.append("    const lane_piece p = lane_piece_of(x, 0x1p%d, 0x1p%d, %d);" % (first, last, cuts))
        self.lines.append("    double r = fit_%s_table[%d][p.k];" % (name, degree))
        for j in range(degree - 1, -1, -1):
            self.lines.append("    r = r * p.t + fit_%s_table[%d][p.k];" % (name, j))
        self.lines += ["    return r;", "}", ""]
        print("%-12s %-20s degree %2d  %d pieces  2^%.1f"
              % (self.name, name, degree, len(spans), mp.log(error, 2)))

    def array(self, name, values, about, double=False):
        """static const double fit_NAME[]; double: pairs of value and remainder."""
        self.lines.append("/* %s */" % about)
        self.lines.append("static const double fit_%s[%d]%s = {"
                          % (name, len(values), "[2]" if double else ""))
        for v in values:
            v = mpf(v)
            high = float(v)
            self.lines.append("    {%s, %s}," % (text(v), text(v - mpf(high))) if double
                              else "    %s," % text(v))
        self.lines += ["};", ""]

    def write(self):
        lanes = any(line.startswith("LANE ") for line in self.lines)
        with open(os.path.join(ROOT, "fit_%s.h" % self.name), "w") as out:
            out.write("/* fit_%s.h - %s\n *\n * Made by tools/special_fit.py." % (self.name, self.about))
            out.write(" The numbers after the colons are the errors of the fits alone. */\n" if lanes else " */\n")
            out.write("#ifndef %s\n#define %s\n\n" % (self.guard, self.guard))
            if lanes:
                out.write("#include \"lane.h\"\n\nLANE_BEGIN\n\n")
            out.write("\n".join(self.lines))
            out.write("\nLANE_END\n\n#endif\n" if lanes else "\n#endif\n")



def elementary():
    h = Header("elementary", "what logarithm, exponential and circle functions are made of.")
    h.number("ln2", ln2, "ln 2; the first part has 40 bits", [40])
    h.number("half_pi", pi / 2, "pi / 2; the first parts have 28 bits", [28, 28])
    h.number("per_ln2", 1 / ln2, "1 / ln 2")
    h.number("per_half_pi", 2 / pi, "2 / pi")
    h.poly("atanh", lambda z: 2 * (mp.atanh(sqrt(z)) / sqrt(z) - 1) / z if z else mpf(2) / 3, 0, "0.0295",
           share=lambda z: z / 2, bits=62, about="(2 atanh(s) / s - 2) / s^2 by z = s^2")
    h.poly("exp", lambda r: (mp.exp(r) - 1 - r) / r ** 2 if abs(r) > 1e-12 else mpf("0.5") + r / 6,
           "-0.35", "0.35", share=lambda r: r * r, bits=58, about="(e^r - 1 - r) / r^2")
    h.poly("sin", lambda z: (mp.sin(sqrt(z)) / sqrt(z) - 1) / z if z > mpf(10) ** -20 else mpf(-1) / 6, 0, "0.68",
           share=lambda z: z, bits=58, about="(sin(r) / r - 1) / r^2 by z = r^2")
    h.poly("cos", lambda z: (mp.cos(sqrt(z)) - 1 + z / 2) / z ** 2 if z > mpf(10) ** -10 else mpf(1) / 24 - z / 720,
           0, "0.68", share=lambda z: z * z, bits=58, about="(cos(r) - 1 + r^2 / 2) / r^4 by z = r^2")
    h.poly("sinpi", lambda z: mp.sinpi(sqrt(z)) / sqrt(z) if z else pi, 0, "0.25", about="sin(pi r) / r by z = r^2")
    return h


def gamma():
    h = Header("gamma", "Gamma(x), its logarithm and the derivative of that.")
    stirling = lambda u: (mp.loggamma(1 / sqrt(u)) - (1 / sqrt(u) - mpf("0.5")) * mp.log(1 / sqrt(u)) + 1 / sqrt(u)
                          - mp.log(2 * pi) / 2) / sqrt(u)
    series = lambda u: (mp.log(1 / sqrt(u)) - sqrt(u) / 2 - mp.digamma(1 / sqrt(u))) / u
    h.number("half_log_2pi", mp.log(2 * pi) / 2, "ln(2 pi) / 2")
    h.number("pi", pi, "pi")
    h.number("log_pi", mp.log(pi), "ln pi")
    h.number("sqrt_2pi", sqrt(2 * pi), "sqrt(2 pi)", [53])
    h.number("digamma_root", mp.findroot(mp.digamma, 1.46), "the positive root of digamma, two doubles", [53])
    h.poly("stirling", stirling, mpf(10) ** -18, mpf(1) / 64, share=lambda u: sqrt(u), bits=58,
           about="(ln Gamma(x) - (x - 1/2) ln x + x - ln(2 pi) / 2) x by u = x^-2, x >= 8")
    h.poly("digamma_tail", series, mpf(10) ** -18, mpf(1) / 64, share=lambda u: u, bits=58,
           about="(ln x - 1 / (2 x) - digamma(x)) x^2 by u = x^-2, x >= 8")
    h.poly("gamma", lambda t: mp.gamma(t + mpf(5) / 2), mpf(-1) / 2, mpf(1) / 2, about="Gamma(t + 5/2)")
    lg = lambda x: mp.loggamma(x) / ((x - 1) * (x - 2)) if (x - 1) * (x - 2) else (-euler if x == 2 else euler)
    h.pieces("lgamma", lg, -1, 3, cuts=2, about="ln Gamma(x) / ((x - 1) (x - 2))")
    # where both ln |Gamma(x)| and its slope are small, the parts of the reflection cancel too much
    h.poly("lgamma_dip", lambda t: mp.re(mp.loggamma(t - mpf("2.609375"))), mpf("-0.04"), mpf("0.04"),
           about="ln |Gamma(x)| by t = x + 2.609375")
    root = mp.findroot(mp.digamma, 1.46)
    h.pieces("digamma", lambda x: mp.digamma(x) / (x - root), 0, 3, cuts=2,
             about="digamma(x) / (x - its root)")
    return h


def erfc_inverse(q):
    """x with erfc(x) = q, by Newton's method on the logarithm."""
    q = mpf(q)
    x = sqrt(-mp.log(q)) if q < mpf("0.3") else mpf("0.5")
    for _ in range(100):
        c = mp.erfc(x)
        step = mp.log(c / q) * c * sqrt(pi) / 2 * mp.exp(x * x)
        x += step
        if abs(step) < mpf(10) ** -45 * abs(x):
            break
    return x


def erf():
    h = Header("erf", "error functions and their inverses.")
    k = mpf("2.5")
    h.number("erfcx_shift", k, "erfcx(x) is a polynomial of 1 / (x + shift)")
    h.poly("erf", lambda z: mp.erf(sqrt(z)) / sqrt(z) if z else 2 / sqrt(pi), 0, 1, about="erf(x) / x by z = x^2")
    h.poly("erfcx", lambda q: mp.exp((1 / q - k) ** 2) * mp.erfc(1 / q - k) / q, mpf(10) ** -6, 1 / (k + mpf("0.5")),
           about="erfcx(x) / q by q = 1 / (x + shift), x >= 1/2")
    # what erf needs of it: an absolute error below that of 1, and nothing beyond 6, where erf is 1
    h.poly("erf_tail", lambda q: mp.exp((1 / q - k) ** 2) * mp.erfc(1 / q - k) / q, 1 / (k + 6), 1 / (k + 1),
           centre=mpf("0.203125"), share=lambda q: q * mp.exp(-(1 / q - k) ** 2), bits=57,
           about="the same for 1 <= x <= 6 by q - 13/64, as much as erf needs")
    h.poly("erfinv", lambda z: mp.erfinv(sqrt(z)) / sqrt(z) if z else sqrt(pi) / 2, 0, mpf(1) / 4,
           about="erfinv(x) / x by z = x^2")
    h.pieces("erfcinv", lambda t: erfc_inverse(mp.exp(-t * t)), -1, 5, about="erfcinv(e^(-x^2))")
    return h


def bessel():
    h = Header("bessel", "J and Y of orders 0 and 1.")
    h.number("two_per_pi", 2 / pi, "2 / pi")
    h.number("sqrt_two_per_pi", sqrt(2 / pi), "sqrt(2 / pi)")
    J, Y = mp.besselj, mp.bessely
    size = lambda n: lambda x: 1 / sqrt(J(n, x) ** 2 + J(n + 1, x) ** 2)
    both = lambda n: lambda x: 1 / sqrt(Y(n, x) ** 2 + Y(n + 1, x) ** 2 + J(n, x) ** 2)
    for n in (0, 1):
        h.poly("j%d" % n, lambda z: J(n, sqrt(z)) / sqrt(z) ** n, mpf(10) ** -20, 1,
               about="J%d(x)%s by z = x^2, x < 1" % (n, " / x" * n))
        plain = lambda x: (Y(n, x) - 2 / pi * (mp.log(x) * J(n, x) - (1 / x if n else 0))) / x ** n
        h.poly("y%d" % n, lambda z: plain(sqrt(z)), mpf(10) ** -12, mpf(1) / 4, share=lambda z: mpf(1),
               about="Y%d(x) without its logarithm and pole%s by z = x^2, x < 1/2" % (n, ", / x" * n))
        h.pieces("j%d_table" % n, lambda x: J(n, x), 0, 3, cuts=3, share=size(n), about="J%d(x)" % n)
        h.pieces("y%d_table" % n, lambda x: Y(n, x), -1, 3, cuts=3, share=both(n), about="Y%d(x)" % n)
        wave = lambda x: (J(n, x) + 1j * Y(n, x)) * mp.expj(-(x - pi / 4 - n * pi / 2)) * sqrt(pi * x / 2)
        h.poly("modulus%d" % n, lambda u: abs(wave(1 / sqrt(u))), mpf(10) ** -9, mpf(1) / 64,
               about="sqrt(J%d^2 + Y%d^2) sqrt(pi x / 2) by u = x^-2, x >= 8" % (n, n))
        h.poly("phase%d" % n, lambda u: mp.arg(wave(1 / sqrt(u))) / sqrt(u), mpf(10) ** -9, mpf(1) / 64, bits=55,
               about="x times the phase beyond x - pi / 4 - %d pi / 2, by u = x^-2" % n)
    return h


def besselk_scaled(n, x):
    """e^x K(n, x), the integral of e^(x - x cosh t) cosh(n t); the trapezoidal rule is exact to 10^-50."""
    h = t = mpf("0.08") / sqrt(1 + x / 25)
    total = mpf("0.5")
    while True:
        term = mp.exp(x - x * mp.cosh(t)) * mp.cosh(n * t)
        total += term
        if term < mpf(10) ** -55:
            return h * total
        t += h


def modified():
    h = Header("modified", "the modified Bessel functions I and K of orders 0 and 1.")
    I = mp.besseli
    K = lambda n, x: mp.exp(-x) * besselk_scaled(n, x)
    for n in (0, 1):
        h.poly("i%d" % n, lambda z: I(n, sqrt(z)) / sqrt(z) ** n, mpf(10) ** -20, 1,
               about="I%d(x)%s by z = x^2, x < 1" % (n, " / x" * n))
        plain = lambda x: (K(n, x) - (-1) ** (n + 1) * mp.log(x) * I(n, x) - (1 / x if n else 0)) / x ** n
        h.poly("k%d" % n, lambda z: plain(sqrt(z)), mpf(10) ** -12, 1,
               about="K%d(x) without its logarithm and pole%s by z = x^2, x < 1" % (n, ", / x" * n))
        h.pieces("i%d_table" % n, lambda x: mp.exp(-x) * I(n, x) * sqrt(x), 0, 5, about="e^-x sqrt(x) I%d(x)" % n)
        h.pieces("k%d_table" % n, lambda x: mp.exp(x) * K(n, x) * sqrt(x), 0, 4, about="e^x sqrt(x) K%d(x)" % n)
        h.poly("i%d_tail" % n, lambda u: mp.exp(-1 / u) * I(n, 1 / u) / sqrt(u), mpf(10) ** -4, mpf(1) / 32,
               about="e^-x sqrt(x) I%d(x) by u = 1 / x, x >= 32" % n)
        h.poly("k%d_tail" % n, lambda u: mp.exp(1 / u) * K(n, 1 / u) / sqrt(u), mpf(10) ** -4, mpf(1) / 16,
               about="e^x sqrt(x) K%d(x) by u = 1 / x, x >= 16" % n)
    return h


def airy_of(h, prime):
    d = 1 if prime else 0
    end = "p" if prime else ""
    zeta = lambda x: 2 * x * sqrt(x) / 3
    back = lambda v: (3 * v / 2) ** (mpf(2) / 3)
    for name, f, sign in (("ai" + end, mp.airyai, -1), ("bi" + end, mp.airybi, 1)):
        g = lambda x: f(x, derivative=d)
        fourth = lambda x: x ** (mpf(1) / 4 if prime else mpf(-1) / 4)
        scaled = lambda x: g(x) * mp.exp(-sign * zeta(x)) / fourth(x)
        h.poly(name, g, -1, 1, share=lambda x: 1 / (abs(g(x)) + mpf(1) / 4), about="%s(x), |x| < 1" % name)
        h.pieces(name + "_up", scaled, 0, 4, about="%s(x) without its exponential and power, x > 0" % name)
        h.poly(name + "_tail", lambda u: scaled(back(1 / u)), mpf(10) ** -4, mpf(3) / 128,
               about="the same by u = 1 / zeta, zeta = 2/3 x^(3/2), x >= 16")
        size = lambda x: 1 / (abs(f(-x, derivative=d)) + abs(x * f(-x, derivative=d + 1 if not d else 2)) / 8)
        h.pieces(name + "_down", lambda x: g(-x), 0, 3, cuts=3, share=size, about="%s(-x)" % name)
    first, second, sign = (mp.airybi, mp.airyai, 1) if prime else (mp.airyai, mp.airybi, -1)
    name = "_prime" if prime else ""

    def wave(x):
        z = first(-x, derivative=d) + 1j * sign * second(-x, derivative=d)
        return z * mp.expj(-(zeta(x) - pi / 4)) * sqrt(pi) * x ** (mpf(1) / 4 if not d else mpf(-1) / 4)
    h.poly("airy_modulus" + name, lambda u: abs(wave(back(1 / sqrt(u)))), mpf(10) ** -8, mpf(9) / 2048,
           about="size of Ai%s and Bi%s of -x by u = zeta^-2, x >= 8" % (("'", "'") if d else ("", "")))
    h.poly("airy_phase" + name, lambda u: mp.arg(wave(back(1 / sqrt(u)))) / sqrt(u), mpf(10) ** -8, mpf(9) / 2048,
           bits=54, about="zeta times the phase beyond zeta - pi / 4")
    return h


def airy():
    h = Header("airy", "Airy functions.")
    h.number("per_sqrt_pi", 1 / sqrt(pi), "1 / sqrt(pi)")
    return airy_of(h, False)


def airy_prime():
    return airy_of(Header("airy_prime", "the derivatives of Airy functions."), True)


def integral():
    h = Header("integral", "exponential integrals.")
    h.poly("e1", lambda x: mp.e1(x) + mp.log(x), mpf(10) ** -12, 1, share=lambda x: mpf(1) if x < 0.5 else 1 / mp.e1(x),
           about="E1(x) + ln x, x < 1")
    h.pieces("e1_table", lambda x: x * mp.exp(x) * mp.e1(x), 0, 5, about="x e^x E1(x)")
    h.poly("e1_tail", lambda u: mp.exp(1 / u) * mp.e1(1 / u) / u, mpf(10) ** -4, mpf(1) / 32,
           about="x e^x E1(x) by u = 1 / x, x >= 32")
    h.poly("ei", lambda x: mp.ei(x) - mp.log(x), mpf(10) ** -12, mpf(1) / 4, share=lambda x: mpf(1),
           about="Ei(x) - ln x, x < 1/4")
    scaled = lambda x: x * mp.exp(-x) * mp.ei(x)
    h.pieces("ei_table", scaled, -2, 6, share=lambda x: 1 / (abs(scaled(x)) + x / 8), about="x e^-x Ei(x)")
    h.poly("ei_tail", lambda u: mp.exp(-1 / u) * mp.ei(1 / u) / u, mpf(10) ** -4, mpf(1) / 64,
           about="x e^-x Ei(x) by u = 1 / x, x >= 64")
    return h


def temme(terms, count):
    """Taylor coefficients of the C_k(eta) of Temme's expansion of the incomplete gamma function.

    eta^2 / 2 = mu - ln(1 + mu). From it mu' = eta (1 + mu) / mu gives mu as a series of eta, then 1 / mu;
    C_0 = 1 / mu - 1 / eta, and C_k = C'_(k-1) / eta + g / mu with the g that takes away the pole."""
    n = count + 2 * terms + 4
    mu = [mpf(0), mpf(1)]                      # mu mu' = eta + eta mu, coefficient by coefficient
    for k in range(2, n):
        known = sum(mu[i] * (k + 1 - i) * mu[k + 1 - i] for i in range(2, k)) if k > 2 else mpf(0)
        mu.append((mu[k - 1] - known) / (k + 1))
    inverse = [mpf(1)]                         # of mu / eta
    for k in range(1, n - 1):
        inverse.append(-sum(mu[i + 1] * inverse[k - i] for i in range(1, k + 1)))
    c = [inverse[1:]]                          # eta^0 on
    for k in range(1, terms):
        last = c[-1]
        slope = [(i + 1) * last[i + 1] for i in range(len(last) - 1)]
        g = -slope[0]
        size = min(len(slope), len(inverse)) - 1
        c.append([slope[i + 1] + g * inverse[i + 1] for i in range(size)])
    return [row[:count] for row in c]


def wide():
    h = Header("wide", "numbers for functions of several arguments.")
    h.array("bernoulli", [mp.bernoulli(2 * k) / (2 * k * (2 * k - 1)) for k in range(1, 17)],
            "B(2k) / (2k (2k - 1)), in two doubles", True)
    h.array("maclaurin", [mp.bernoulli(2 * k) / mp.factorial(2 * k) for k in range(1, 13)], "B(2k) / (2k)!")
    h.lines.append("/* Temme's C_k(eta): coefficients of eta^0, eta^1, ..., a row for each k */")
    rows = temme(8, 27)
    h.lines.append("static const double fit_temme[%d][%d] = {" % (len(rows), len(rows[0])))
    for row in rows:
        h.lines.append("    {" + ", ".join(text(v) for v in row[:3]) + ",")
        for i in range(3, len(row), 3):
            h.lines.append("     " + ", ".join(text(v) for v in row[i:i + 3]) + ("," if i + 3 < len(row) else "},"))
    h.lines += ["};", ""]
    return h


def zeta():
    h = Header("zeta", "Riemann's zeta function around 0.")
    h.poly("zeta", lambda s: (s - 1) * mp.zeta(s), -1, 1, about="(s - 1) zeta(s), -1 <= s < 1")
    return h


def lambert():
    h = Header("lambert", "Lambert's W around its branch point.")

    def w(p):
        x = (p * p / 2 - 1) / mp.e
        return mp.re(mp.lambertw(x, 0 if p > 0 else -1))
    bound = sqrt(mpf("0.2")) * mpf("1.001")
    h.poly("lambert", w, -bound, bound, about="W(x), p = +-sqrt(2 (e x + 1))")
    return h


def single():
    """For results in float, computed in double without tables: 2^-34 is enough."""
    h = Header("single", "special functions for results in float.")
    J, I = mp.besselj, mp.besseli
    squares = lambda n: [mp.besseljzero(n, k) ** 2 for k in (1, 2)]
    for n in (0, 1):
        a, b = squares(n)
        h.number("single_j%d_root" % n, a, "the square of J%d's first root, two doubles" % n, [53])
        h.number("single_j%d_second" % n, b, "and of its second", [53])
        def rest(z):
            x = sqrt(z)
            return J(n, x) / x ** n / ((z - a) * (z - b))
        h.poly("single_j%d" % n, rest, mpf(10) ** -12, 64, bits=34,
               about="J%d(x)%s / ((z - first) (z - second)) by z = x^2, x < 8" % (n, " / x" * n))
        h.poly("single_i%d" % n, lambda z: I(n, sqrt(z)) / sqrt(z) ** n, mpf(10) ** -12, 64, bits=34,
               about="I%d(x)%s by z = x^2, x < 8" % (n, " / x" * n))
        h.poly("single_i%d_tail" % n, lambda u: mp.exp(-1 / u) * I(n, 1 / u) / sqrt(u), mpf(10) ** -4, mpf(1) / 8, bits=34,
               about="e^-x sqrt(x) I%d(x) by u = 1 / x, x >= 8" % n)
    def by_w(w):
        x = sqrt(-mp.expm1(-w))
        return erfc_inverse(1 - x) / x
    h.poly("single_erfinv", by_w, mpf(10) ** -9, 5, bits=34, about="erfinv(x) / x by w = -ln(1 - x^2), w < 5")
    h.poly("single_erfinv_tail", lambda s: by_w(s * s), mpf("2.2"), mpf("4.1"), centre=3, bits=34,
           about="the same by sqrt(w) - 3, 5 < w < 16.7")
    return h


HEADERS = {f.__name__: f for f in (elementary, gamma, erf, bessel, modified, airy, airy_prime, integral, wide, zeta, lambert, single)}


def main():
    for name in sys.argv[1:] or HEADERS:
        HEADERS[name]().write()


main()
