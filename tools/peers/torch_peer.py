#!/usr/bin/env python3
"""torch_peer.py - PyTorch's times for the benchmarks of `weft bench`, row by row.

    tools/peers/torch_peer.py [--threads N] [--seconds X] [NAME...]

A row is what one line of `weft bench --json` is: the benchmark and its part, "ops-add 1K". NAME chooses
the rows whose names begin with it; without one, all are timed. Each gives a line of JSON: row, threads,
median_us, min_us, samples. With --serve the names come on standard input, one a line; each line is
answered with the rows it chose and a line {"done": ...}. So tools/benchmarks takes turns with Weft.

PyTorch gets what suits it best: no gradients where none are wanted, results into memory it already has
where it can, foreach optimisers, channels last for images. Times are taken as Weft takes them: calls are
doubled until they fill a sample of 4 ms, which is the warm-up too; then samples until the time is over.
"""
import argparse
import json
import os
import statistics
import sys
import time

arguments = argparse.ArgumentParser(description="PyTorch's times for the benchmarks of weft bench")
arguments.add_argument("--threads", type=int, default=1)
arguments.add_argument("--seconds", type=float, default=1.0, help="for a row")
arguments.add_argument("--serve", action="store_true", help="names come on standard input")
arguments.add_argument("--versions", action="store_true", help="tell PyTorch's version and its BLAS")
arguments.add_argument("names", nargs="*")
asked = arguments.parse_args()

# Both pools of threads are made while the library is loaded.
for pool in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[pool] = str(asked.threads)
import torch  # noqa: E402
import torch.nn as nn  # noqa: E402
import torch.nn.functional as F  # noqa: E402

torch.set_num_threads(asked.threads)
torch.set_flush_denormal(True)  # as a run of Weft does

ROWS = {}  # name: a function that prepares, and gives the call to be timed and how much one call does


def row(name, make, things=1):
    ROWS[name] = (make, things)


# ---- single operations ----

def numbers(*dims):
    return torch.rand(*dims) * 2 - 1


def free(call):
    """Without gradients."""
    def wrapped():
        with torch.inference_mode():
            call()
    return wrapped


def binary(function, n):
    def make():
        a, b, out = numbers(n), numbers(n), torch.empty(n)
        return lambda: function(a, b, out=out)
    return make


def unary(function, n):
    def make():
        x, out = numbers(n), torch.empty(n)
        return lambda: function(x, out=out)
    return make


def product(n):
    def make():
        a, b, out = numbers(n, n), numbers(n, n), torch.empty(n, n)
        return lambda: torch.mm(a, b, out=out)
    return make


def linear(inputs, outputs, batch):
    def make():
        x, w, b = numbers(batch, inputs), numbers(outputs, inputs), numbers(outputs)
        return free(lambda: F.linear(x, w, b))
    return make


COUNTS = {"100": 100, "1K": 1000, "10K": 10000, "100K": 100000, "1M": 1000000}
for part in COUNTS:
    row("ops-add " + part, binary(torch.add, COUNTS[part]))
for part in ("1K", "10K", "1M"):
    row("ops-relu " + part, unary(torch.ops.aten.relu.out, COUNTS[part]))
    row("ops-sigmoid " + part, unary(torch.sigmoid, COUNTS[part]))
for side in (64, 128, 256, 512, 1024):
    row("ops-matmul %d" % side, product(side))
for inputs, outputs in ((784, 128), (2048, 512)):
    for batch in (1, 32):
        row("ops-linear %d-%d batch %d" % (inputs, outputs, batch), linear(inputs, outputs, batch))


# ---- rows of large arrays ----

def softmax(backward):
    def make():
        x, dy = numbers(4096, 1024).requires_grad_(backward), numbers(4096, 1024)

        def both():
            y = torch.softmax(x, -1)
            torch.autograd.grad(y, x, dy)
        return both if backward else free(lambda: torch.softmax(x, -1))
    return make


def layer_norm(backward, rows=4096, width=768):
    def make():
        x, w, b = (numbers(*d).requires_grad_(backward) for d in ((rows, width), (width,), (width,)))
        dy = numbers(rows, width)

        def both():
            torch.autograd.grad(F.layer_norm(x, (width,), w, b), (x, w, b), dy)
        return both if backward else free(lambda: F.layer_norm(x, (width,), w, b))
    return make


def adam():
    p = [numbers(65536).requires_grad_() for _ in range(16)]
    for q in p:
        q.grad = numbers(65536)
    return torch.optim.Adam(p, 1e-6, foreach=True).step


def chain(n):
    def make():
        a, b, c, d = (numbers(n) for _ in range(4))
        return free(lambda: a * b + F.relu(c) * torch.sigmoid(d))
    return make


for name, make in (("softmax", softmax), ("layernorm", layer_norm)):
    row(name + " forward", make(False))
    row(name + " with backward", make(True))
row("layernorm 16M with backward", layer_norm(True, 16384, 1024))
row("adam", adam)
for part, n in (("1K", 1 << 10), ("64K", 1 << 16), ("16M", 1 << 24)):
    row("chain " + part, chain(n))


# ---- convolutions ----

def image(n, c, side):
    return torch.randn(n, c, side, side).to(memory_format=torch.channels_last)


def conv(c, o, k, bias):
    layer = nn.Conv2d(c, o, k, padding=k // 2, bias=bias)
    return layer.to(memory_format=torch.channels_last)


def conv_forward():
    layer, x = conv(3, 64, 3, True), image(1, 3, 224)
    return free(lambda: F.relu_(layer(x)))


def conv_backward(n, side, c, o, k, wants_dx):
    """Gradients of the weights, and of the image when asked; the forward pass is not timed."""
    def make():
        layer, x = conv(c, o, k, False), image(n, c, side).requires_grad_(wants_dx)
        y = layer(x)
        dy = torch.randn_like(y)
        to = [layer.weight] + ([x] if wants_dx else [])
        return lambda: torch.autograd.grad(y, to, dy, retain_graph=True)
    return make


row("conv-forward", conv_forward)
for n, side, c, o, k in ((16, 32, 64, 128, 3), (16, 16, 128, 128, 3), (1, 224, 3, 64, 3),
                         (64, 28, 1, 32, 5), (64, 28, 1, 32, 3), (64, 14, 32, 64, 3)):
    for wants_dx, part in ((False, "dw"), (True, "dw dx")):
        row("conv-backward %dx%dx%dx%d-%d %dx%d %s" % (n, side, side, c, o, k, k, part),
            conv_backward(n, side, c, o, k, wants_dx))


# ---- training steps ----

def trained(net, loss_of, optimiser):
    """The whole step: forward, backward, update."""
    def step():
        loss = loss_of()
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
    net.train()
    return step


def layers(widths):
    stack = []
    for i, (a, b) in enumerate(zip(widths, widths[1:])):
        stack += ([nn.ReLU()] if i else []) + [nn.Linear(a, b)]
    return nn.Sequential(*stack)


def q_network(batch, widths):
    """The value of the action taken moves towards its target."""
    def make():
        net, x, target = layers(widths), numbers(batch, widths[0]), numbers(batch, 1)
        action = torch.randint(0, widths[-1], (batch, 1))
        return trained(net, lambda: F.mse_loss(net(x).gather(1, action), target),
                       torch.optim.Adam(net.parameters(), 1e-6, foreach=True))
    return make


def classes(net, x, optimiser):
    y = torch.randint(0, 10, (x.shape[0],))
    return trained(net, lambda: F.cross_entropy(net(x), y), optimiser)


def mlp784():
    net = layers([784, 128, 10])
    return classes(net, numbers(32, 784), torch.optim.SGD(net.parameters(), 1e-6, momentum=0.9, foreach=True))


def pyramid(channels, side, hidden):
    """Convolutions with relu, each followed by a 2x2 maximum; then linear layers to ten."""
    stack = []
    for c, o in zip(channels, channels[1:]):
        stack += [nn.Conv2d(c, o, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)]
    flat = channels[-1] * (side >> (len(channels) - 1)) ** 2
    return nn.Sequential(*stack, nn.Flatten(), layers([flat] + hidden + [10]))


def images(channels, side, hidden, batch):
    def make():
        net = pyramid(channels, side, hidden).to(memory_format=torch.channels_last)
        optimiser = torch.optim.SGD(net.parameters(), 1e-6, momentum=0.9, foreach=True)
        return classes(net, image(batch, channels[0], side), optimiser)
    return make


def sequence(cell, train):
    """100 steps of 256 to 256 units, batch 1; the step moves all outputs towards a target."""
    def make():
        layer, x, target = cell(256, 256), numbers(100, 1, 256), numbers(100, 1, 256)
        if not train:
            return free(lambda: layer(x))
        return trained(layer, lambda: F.mse_loss(layer(x)[0], target),
                       torch.optim.Adam(layer.parameters(), 1e-6, foreach=True))
    return make


def lstm_rows():
    """28 rows of 28 to 128 units; the last state names one of ten classes."""
    layer, last = nn.LSTM(28, 128, batch_first=True), nn.Linear(128, 10)
    both, x, y = nn.ModuleList([layer, last]), numbers(64, 28, 28), torch.randint(0, 10, (64,))
    return trained(both, lambda: F.cross_entropy(last(layer(x)[1][0][0]), y),
                   torch.optim.Adam(both.parameters(), 1e-6, foreach=True))


row("lstm-forward", sequence(nn.LSTM, False))
row("step-dqn2048", q_network(32, [16, 64, 64, 4]))
row("step-cube", q_network(64, [144, 128, 64, 6]))
row("step-mlp784", mlp784)
row("step-lstm", sequence(nn.LSTM, True))
row("step-gru", sequence(nn.GRU, True))
row("step-rnn", sequence(nn.RNN, True))
row("step-lstm-rows", lstm_rows)
row("step-cnn", images([3, 64, 128], 32, [], 16))
row("step-mnist", images([1, 32, 64], 28, [128], 64))


def logistic():
    layer, x, y = nn.Linear(30, 1), numbers(256, 30), torch.randint(0, 2, (256, 1)).float()
    return trained(layer, lambda: F.binary_cross_entropy_with_logits(layer(x), y),
                   torch.optim.SGD(layer.parameters(), 1e-6, foreach=True))


def embedding():
    """The mean of 32 rows of a table, ten classes; gradients of the table are sparse, which suits SGD."""
    table, last = nn.EmbeddingBag(20000, 64, mode="mean", sparse=True), nn.Linear(64, 10)
    both, words, y = nn.ModuleList([table, last]), torch.randint(0, 20000, (64, 32)), torch.randint(0, 10, (64,))
    return trained(both, lambda: F.cross_entropy(last(table(words)), y), torch.optim.SGD(both.parameters(), 1e-6))


row("step-logistic", logistic)
row("step-embedding", embedding)


# ---- GPT-2, small ----

class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attn, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.fc, self.out = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x, past=None, ahead=None):
        """past: keys and values of the words before, [2][B, heads, T, each]; ahead: what may not be seen."""
        q, k, v = (y.unflatten(2, (self.heads, -1)).transpose(1, 2) for y in self.attn(self.ln_1(x)).chunk(3, 2))
        if past is not None:
            k, v = torch.cat((past[0], k), 2), torch.cat((past[1], v), 2)
        shares = q @ k.transpose(2, 3) / q.shape[3] ** 0.5
        y = torch.softmax(shares if ahead is None else shares + ahead, 3) @ v
        x = x + self.proj(y.transpose(1, 2).flatten(2))
        return x + self.out(F.gelu(self.fc(self.ln_2(x)), approximate="tanh"))


class GPT(nn.Module):
    def __init__(self, layers, width, heads, words, places):
        super().__init__()
        self.wte, self.wpe, self.ln_f = nn.Embedding(words, width), nn.Embedding(places, width), nn.LayerNorm(width)
        self.h = nn.ModuleList(Block(width, heads) for _ in range(layers))

    def forward(self, words, first=0, past=None):
        length = words.shape[1]
        ahead = torch.full((length, length), float("-inf")).triu(1) if length > 1 else None
        x = self.wte(words) + self.wpe(torch.arange(first, first + length))
        for i, block in enumerate(self.h):
            x = block(x, past[i] if past else None, ahead)
        return self.ln_f(x) @ self.wte.weight.T


def language(batch, length, *sizes):
    net, words = GPT(*sizes), torch.randint(0, sizes[3], (2, batch, length))
    optimiser = torch.optim.AdamW(net.parameters(), 1e-6, weight_decay=0.1, foreach=True)
    return trained(net, lambda: F.cross_entropy(net(words[0]).flatten(0, 1), words[1].flatten()), optimiser)


def decode():
    net, words = GPT(6, 512, 8, 8192, 128), torch.randint(0, 8192, (8, 1))
    past = [(numbers(8, 8, 64, 64), numbers(8, 8, 64, 64)) for _ in range(6)]
    return free(lambda: net(words, 64, past))


def start():
    return lambda: language(1, 31, 6, 768, 12, 50257, 1024)()


def one_picture():
    net = nn.Sequential(nn.Conv2d(3, 64, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(64, 128, 3, padding=1),
                        nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(128 * 64, 10))
    net, x = net.to(memory_format=torch.channels_last), image(1, 3, 32)
    return free(lambda: net(x))


row("step-transformer", lambda: language(8, 128, 4, 256, 8, 2048, 128))
row("step-distilgpt2", lambda: language(1, 31, 6, 768, 12, 50257, 1024))
row("decode", decode)
row("start", start)
row("infer-cnn", one_picture)


# ---- pictures, as bench_digits.c has them but fewer; moved by a pixel or two, the whole batch alike ----

def digits(net, batch, batches, shift, flat):
    def make():
        count = batch * batches
        bytes_, kinds = torch.randint(0, 256, (count, 1, 28, 28), dtype=torch.uint8), torch.randint(0, 10, (count,))
        optimiser = torch.optim.AdamW(net.parameters(), 1e-7, foreach=True)
        net.train()

        def epoch():
            order = torch.randperm(count)
            for i in range(batches):
                rows = order[i * batch:(i + 1) * batch]
                x = (bytes_[rows].float() / 255 - 0.46) / 0.29
                x = torch.roll(x, (i % (2 * shift + 1) - shift, i % 3 - 1), (2, 3))
                x = x.flatten(1) if flat else x.contiguous(memory_format=torch.channels_last)
                loss = F.cross_entropy(net(x), kinds[rows])
                optimiser.zero_grad(set_to_none=True)
                loss.backward()
                optimiser.step()
        return epoch
    return make


def hidden(a, b, dropout):
    return [nn.Linear(a, b), nn.ReLU(), nn.Dropout(dropout)]


mlp = nn.Sequential(*hidden(784, 256, 0.1), *hidden(256, 128, 0.1), nn.Linear(128, 10))
cnn = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
                    nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
                    *hidden(32 * 49, 128, 0.25), nn.Linear(128, 10)).to(memory_format=torch.channels_last)
row("digits-mlp", digits(mlp, 128, 20, 1, True), 128 * 20)
row("digits-cnn", digits(cnn, 64, 12, 2, False), 64 * 12)


# ---- timing ----

SAMPLE, LEAST, MOST = 0.004, 5, 127


def sample(call, calls):
    start = time.perf_counter()
    for _ in range(calls):
        call()
    return time.perf_counter() - start


def timed(make, things, seconds):
    torch.manual_seed(1)
    call = make()
    calls = 1
    while (took := sample(call, calls)) < SAMPLE:
        calls *= 2
    samples = min(max(int(seconds / took), LEAST if seconds > 0.1 else 3), MOST)
    us = [1e6 * sample(call, calls) / calls / things for _ in range(samples)]
    return {"median_us": statistics.median(us), "min_us": min(us), "samples": samples}


def answer(name):
    for known, (make, things) in ROWS.items():
        if known == name or known.startswith(name + " ") or not name:
            result = {"row": known, "threads": asked.threads, **timed(make, things, asked.seconds)}
            print(json.dumps(result), flush=True)


def blas():
    """The library that does PyTorch's products: what is loaded, without its links."""
    with open("/proc/self/maps") as maps:
        files = {os.path.basename(line.split()[-1]) for line in maps if "blas" in line}
    real = {f for f in files if not f.startswith(("libblas.", "liblapack."))}
    return ", ".join(sorted(real or files)) or "unknown"


if asked.versions:
    numbers(4, 4) @ numbers(4, 4)
    print(json.dumps({"torch": torch.__version__, "blas": blas()}))
elif asked.serve:
    for line in sys.stdin:
        answer(line.strip())
        print(json.dumps({"done": line.strip()}), flush=True)
else:
    for name in asked.names or [""]:
        answer(name)
