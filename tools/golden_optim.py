"""golden_optim - the optimisers and schedules that test_optim.c and test_schedule.c compare with PyTorch.

Part of tools/golden. Ten steps of an optimiser over three parameters ("a" [3, 4], "b" [5], "c" without
axes) from given gradients, which are numbers(10 + 3 * step + parameter): after each step the parameters,
one behind the other. A schedule is the rate of every step, from a base rate of 1.
"""
import torch
from torch.optim import SGD, Adagrad, Adam, AdamW, RMSprop
from torch.optim.lr_scheduler import (
    CosineAnnealingLR, CosineAnnealingWarmRestarts, ExponentialLR, LinearLR, OneCycleLR, ReduceLROnPlateau,
    SequentialLR, StepLR)

STEPS = 10


class Clipped:
    """An optimiser that first clips the gradients by value, then by norm."""

    def __init__(self, inner, params, value=0, norm=0):
        self.inner, self.params, self.value, self.norm = inner, params, value, norm

    def step(self):
        if self.value:
            torch.nn.utils.clip_grad_value_(self.params, self.value)
        if self.norm:
            torch.nn.utils.clip_grad_norm_(self.params, self.norm)
        self.inner.step()


OPTIMISERS = {
    "sgd": lambda p: SGD(p, lr=0.1),
    "sgd_decay": lambda p: SGD(p, lr=0.1, weight_decay=0.2),
    "momentum": lambda p: SGD(p, lr=0.1, momentum=0.9),
    "nesterov": lambda p: SGD(p, lr=0.05, momentum=0.8, nesterov=True),
    "momentum_decay": lambda p: SGD(p, lr=0.05, momentum=0.9, weight_decay=0.05),
    "adam": lambda p: Adam(p, lr=0.05),
    "adam_other": lambda p: Adam(p, lr=0.1, betas=(0.8, 0.95), eps=1e-3),
    "adam_l2": lambda p: Adam(p, lr=0.05, weight_decay=0.1),
    "adam_amsgrad": lambda p: Adam(p, lr=0.05, betas=(0.5, 0.6), weight_decay=0.1, amsgrad=True),
    "adamw": lambda p: AdamW(p, lr=0.05),
    "adamw_decay": lambda p: AdamW(p, lr=0.05, weight_decay=0.3),
    "adamw_amsgrad": lambda p: AdamW(p, lr=0.05, betas=(0.5, 0.6), amsgrad=True),
    "rmsprop": lambda p: RMSprop(p, lr=0.02),
    "rmsprop_decay": lambda p: RMSprop(p, lr=0.02, alpha=0.9, eps=1e-4, weight_decay=0.1),
    "rmsprop_momentum": lambda p: RMSprop(p, lr=0.02, momentum=0.7),
    "rmsprop_centered": lambda p: RMSprop(p, lr=0.02, alpha=0.8, centered=True, momentum=0.5),
    "adagrad": lambda p: Adagrad(p, lr=0.1),
    "adagrad_other": lambda p: Adagrad(p, lr=0.1, weight_decay=0.1, initial_accumulator_value=0.5, eps=1e-3),
    "sgd_clip_value": lambda p: Clipped(SGD(p, lr=0.1), p, value=0.7),
    "sgd_clip_norm": lambda p: Clipped(SGD(p, lr=0.1), p, norm=1.5),
    "momentum_clip_both": lambda p: Clipped(SGD(p, lr=0.1, momentum=0.9), p, value=1.2, norm=2.5),
    "adamw_clip_norm": lambda p: Clipped(AdamW(p, lr=0.05), p, norm=0.5),
    "adam_clip_both": lambda p: Clipped(Adam(p, lr=0.05), p, value=1, norm=3),
    "sgd_loose": lambda p: Clipped(SGD(p, lr=0.1), p, norm=1000),
    "groups": lambda p: AdamW([
        {"params": [p[0]], "lr": 0.1, "weight_decay": 0.2},
        {"params": [p[1]], "weight_decay": 0}], lr=0.05, weight_decay=0.1),
}


def write_steps(path, numbers, write):
    with open(path, "w") as f:
        f.write("# written by tools/golden with PyTorch %s\n" % torch.__version__)
        for name, make in OPTIMISERS.items():
            params = [numbers(1, 3, 4), numbers(2, 5), numbers(3, 1).reshape(())]
            for p in params:
                p.requires_grad_()
            optimiser, steps = make(params), []
            for step in range(STEPS):
                for i, p in enumerate(params):
                    p.grad = numbers(10 + 3 * step + i, p.numel()).reshape(p.shape).clone()
                optimiser.step()
                steps.append(torch.cat([p.detach().reshape(-1) for p in params]))
            write(f, name, torch.stack(steps))


# ---- schedules ----

def warm(opt, warmup, after):
    """A rise from 1 / warmup to 1 in warmup steps, then another schedule."""
    rise = LinearLR(opt, start_factor=1 / warmup, total_iters=warmup - 1)
    return SequentialLR(opt, [rise, after], milestones=[warmup])


SCHEDULES = {
    "step": (40, lambda o: StepLR(o, step_size=7, gamma=0.5)),
    "exponential": (40, lambda o: ExponentialLR(o, gamma=0.9)),
    "linear": (40, lambda o: LinearLR(o, start_factor=1, end_factor=0.2, total_iters=25)),
    "cosine": (31, lambda o: CosineAnnealingLR(o, T_max=30, eta_min=0.1)),
    "cosine_warm": (40, lambda o: warm(o, 8, CosineAnnealingLR(o, T_max=32, eta_min=0.05))),
    "restarts": (40, lambda o: CosineAnnealingWarmRestarts(o, T_0=9)),
    "restarts_longer": (80, lambda o: CosineAnnealingWarmRestarts(o, T_0=5, T_mult=2, eta_min=0.01)),
    "one_cycle": (40, lambda o: OneCycleLR(o, max_lr=1, total_steps=40)),
    "one_cycle_other": (50, lambda o: OneCycleLR(
        o, max_lr=1, total_steps=50, pct_start=0.4, div_factor=10, final_div_factor=100)),
}

#   name: options of ReduceLROnPlateau; the metric is reported after every step
PLATEAUS = {
    "plateau": dict(patience=2, factor=0.5),
    "plateau_rest": dict(patience=1, factor=0.1, cooldown=3, min_lr=0.005),
    "plateau_most": dict(mode="max", patience=2, factor=0.5, threshold=0.05),
}


def metric(step):
    """Falls for a while, then hovers; rises just as well. Multiples of 1 / 64."""
    return ((step * step * 37) % 23 + max(0, 40 - 3 * step)) / 64


def write_schedules(path, write):
    with open(path, "w") as f:
        f.write("# written by tools/golden with PyTorch %s\n" % torch.__version__)
        for name, (steps, make) in SCHEDULES.items():
            opt, rates = SGD([torch.zeros(1)], lr=1.0), []
            schedule = make(opt)
            for _ in range(steps):
                rates.append(opt.param_groups[0]["lr"])
                opt.step()
                schedule.step()
            write(f, name, torch.tensor(rates))
        for name, options in PLATEAUS.items():
            opt, rates = SGD([torch.zeros(1)], lr=1.0), []
            schedule = ReduceLROnPlateau(opt, **options)
            for step in range(40):
                rates.append(opt.param_groups[0]["lr"])
                opt.step()
                schedule.step(metric(step))
            write(f, name, torch.tensor(rates))
