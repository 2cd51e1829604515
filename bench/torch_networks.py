"""PyTorch's times for the networks of `weft bench`, as lines `torch T=1 NAME: N us`.

    OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 taskset -c 0 python3 bench/torch_networks.py [PART...]

PART chooses the lines whose name contains it; without one, all are timed. One thread by default;
THREADS=2 in the environment asks for two. Images are in PyTorch's channels-last memory format
where a name says so.
"""
import os
import statistics
import sys
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

T = int(os.environ.get("THREADS", "1"))
torch.set_num_threads(T)
torch.manual_seed(1)


def median_us(call, budget=1.0, repeats=15):
    for _ in range(3):
        call()
    start = time.perf_counter()
    call()
    once = time.perf_counter() - start
    count = max(1, int(budget / repeats / max(once, 1e-6)))
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        for _ in range(count):
            call()
        times.append((time.perf_counter() - start) / count * 1e6)
    return statistics.median(times)


def line(name, make):
    """Times what make() returns, if the name was asked for."""
    if len(sys.argv) < 2 or any(part in name for part in sys.argv[1:]):
        print(f"torch T={T} {name}: {median_us(make()):.1f} us", flush=True)


# ---- convolutions ----

def image(n, c, h, w):
    return torch.randn(n, c, h, w).to(memory_format=torch.channels_last)


def conv(c, o, k, bias):
    layer = nn.Conv2d(c, o, k, padding=k // 2, bias=bias)
    return layer.to(memory_format=torch.channels_last)


def conv_forward(n, h, w, c, o, k, relu):
    def make():
        layer, x = conv(c, o, k, relu), image(n, c, h, w)

        def call():
            with torch.no_grad():
                y = layer(x)
                if relu:
                    F.relu_(y)
        return call
    return make


def conv_backward(n, h, w, c, o, k, wants_dx):
    """Gradients of the weights, and of the image when asked; the forward pass is not timed."""
    def make():
        layer, x = conv(c, o, k, False), image(n, c, h, w).requires_grad_(wants_dx)
        y = layer(x)
        dy = torch.randn_like(y)
        to = [layer.weight] + ([x] if wants_dx else [])
        return lambda: torch.autograd.grad(y, to, dy, retain_graph=True)
    return make


line("conv-forward 1x224x224x3-64 3x3 channels_last", conv_forward(1, 224, 224, 3, 64, 3, True))
CONVOLUTIONS = [(16, 32, 32, 64, 128, 3), (16, 16, 16, 128, 128, 3), (1, 224, 224, 3, 64, 3),
                (64, 28, 28, 1, 32, 5), (64, 28, 28, 1, 32, 3), (64, 14, 14, 32, 64, 3)]
for n, h, w, c, o, k in CONVOLUTIONS:
    shape = f"{n}x{h}x{w}x{c}-{o} {k}x{k} channels_last"
    line(f"conv-backward {shape} forward", conv_forward(n, h, w, c, o, k, False))
    line(f"conv-backward {shape} dw", conv_backward(n, h, w, c, o, k, False))
    line(f"conv-backward {shape} dw+dx", conv_backward(n, h, w, c, o, k, True))


# ---- networks of images ----

def pyramid(channels, kernel, side, hidden):
    """Convolutions with relu, each followed by a 2x2 maximum; then linear layers to ten."""
    layers = []
    for c, o in zip(channels, channels[1:]):
        layers += [nn.Conv2d(c, o, kernel, padding=kernel // 2), nn.ReLU(), nn.MaxPool2d(2)]
    widths = [channels[-1] * (side >> (len(channels) - 1)) ** 2] + hidden + [10]
    layers.append(nn.Flatten())
    for i, (a, b) in enumerate(zip(widths, widths[1:])):
        layers += ([nn.ReLU()] if i else []) + [nn.Linear(a, b)]
    return nn.Sequential(*layers)


def network(channels, kernel, side, hidden, batch, last, train):
    def make():
        memory = torch.channels_last if last else torch.contiguous_format
        net = pyramid(channels, kernel, side, hidden).to(memory_format=memory)
        x = torch.randn(batch, channels[0], side, side).to(memory_format=memory)
        y = torch.randint(0, 10, (batch,))
        optimiser = torch.optim.SGD(net.parameters(), 0.01, momentum=0.9, foreach=True)

        def step():
            loss = F.cross_entropy(net(x), y)
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            optimiser.step()

        def answer():
            with torch.no_grad():
                net(x)
        return step if train else answer
    return make


for last, memory in ((True, " channels_last"), (False, "")):
    line("step-cnn 3-64-128-10 b16" + memory, network([3, 64, 128], 3, 32, [], 16, last, True))
    for kernel in (3, 5):
        for batch in (64, 128):
            line(f"step-mnist {kernel}x{kernel} 1-32-64-128-10 b{batch}{memory}",
                 network([1, 32, 64], kernel, 28, [128], batch, last, True))
    for batch in (1, 8):
        line(f"answer-cnn 3-64-128-10 b{batch}{memory}",
             network([3, 64, 128], 3, 32, [], batch, last, False))


# ---- recurrent networks ----

def sequence(cell, train):
    """100 steps of 256 to 256 units, batch 1; the step moves all outputs towards a target."""
    def make():
        layer, x, target = cell(256, 256), torch.randn(100, 1, 256), torch.randn(100, 1, 256)
        optimiser = torch.optim.Adam(layer.parameters(), 1e-3, foreach=True)

        def step():
            loss = F.mse_loss(layer(x)[0], target)
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            optimiser.step()

        def answer():
            with torch.no_grad():
                layer(x)
        return step if train else answer
    return make


def lstm_rows(batch):
    """28 rows of 28 to 128 units; the last state names one of ten classes."""
    def make():
        layer, fc = nn.LSTM(28, 128, batch_first=True), nn.Linear(128, 10)
        x, y = torch.randn(batch, 28, 28), torch.randint(0, 10, (batch,))
        both = list(layer.parameters()) + list(fc.parameters())
        optimiser = torch.optim.Adam(both, 1e-3, foreach=True)

        def step():
            loss = F.cross_entropy(fc(layer(x)[1][0][0]), y)
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            optimiser.step()
        return step
    return make


line("lstm-forward", sequence(nn.LSTM, False))
line("step-lstm", sequence(nn.LSTM, True))
line("step-gru", sequence(nn.GRU, True))
line("step-lstm-rows", lstm_rows(64))
line("step-lstm-rows b128", lstm_rows(128))
