"""golden_layers - the layers and losses that test_nn.c and test_nn_losses.c compare with PyTorch.

Part of tools/golden. A case is a module (or a function), the extents of its inputs and what is done
with it. Parameters are not stored either: their values follow from their names, by `named`, so a
layer that calls a parameter by another name than PyTorch cannot agree. Fixture lines:

    CASE.STEP.yI         output I of a step
    CASE.STEP.dI         gradient in input I of sum over outputs of (output * seed)
    CASE.STEP.p.NAME     gradient in the parameter NAME
    CASE.b.NAME          the buffer NAME after the last step
"""
import torch
import torch.nn.functional as F
from torch import nn


def salt_of(name):
    h = 7
    for c in name.encode():
        h = (h * 31 + c) % 3989
    return h


class Case:
    """A function or module and the extents of its inputs; without inputs the function gets the module.
    steps: how often it is run, with other inputs each time; ev: in evaluation mode, buffers given."""

    def __init__(self, f, *shapes, steps=1, ev=False, module=None):
        self.f, self.shapes, self.steps, self.ev = f, shapes, steps, ev
        self.module = module if module is not None else f if isinstance(f, nn.Module) else None


def ints(below, *dims):
    n = 1
    for d in dims:
        n *= d
    return (torch.arange(n) * 5 % below).reshape(dims)


def signs(*dims):
    return ints(2, *dims) * 2.0 - 1


class Rms(nn.Module):
    def __init__(self, width, eps):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(width)), eps

    def forward(self, x):
        return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + self.eps) * self.weight


class Last(nn.Module):
    """A module for channels first, used with channels last; adds nothing to names."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        r = x.dim()
        return self.inner(x.permute(0, r - 1, *range(1, r - 1))).permute(0, *range(2, r), 1)

    def named_parameters(self, *a, **k):
        return self.inner.named_parameters(*a, **k)

    def named_buffers(self, *a, **k):
        return self.inner.named_buffers(*a, **k)


class Turned(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.zeros(inputs, outputs)), nn.Parameter(torch.zeros(outputs))

    def forward(self, x):
        return x @ self.weight + self.bias


class Gpt2(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attn, self.mlp = nn.Module(), nn.Module()
        self.attn.c_attn, self.attn.c_proj = Turned(width, 3 * width), Turned(width, width)
        self.mlp.c_fc, self.mlp.c_proj = Turned(width, 4 * width), Turned(4 * width, width)

    def forward(self, x):
        b, t, e = x.shape
        q, k, v = [p.reshape(b, t, self.heads, -1).transpose(1, 2) for p in self.attn.c_attn(self.ln_1(x)).split(e, 2)]
        s = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5
        s = s.masked_fill(~torch.ones(t, t).tril().bool(), float("-inf"))
        x = x + self.attn.c_proj((torch.softmax(s, -1) @ v).transpose(1, 2).reshape(b, t, e))
        return x + self.mlp.c_proj(F.gelu(self.mlp.c_fc(self.ln_2(x)), approximate="tanh"))


class Padded(nn.Module):
    """A recurrent module over sequences of these lengths; given states come as further inputs."""

    def __init__(self, inner, lengths):
        super().__init__()
        self.inner, self.lengths = inner, torch.tensor(lengths)

    def forward(self, x, *states):
        first = self.inner.batch_first
        p = nn.utils.rnn.pack_padded_sequence(x, self.lengths, batch_first=first, enforce_sorted=False)
        s = None if not states else states[0] if len(states) == 1 else states
        y, last = self.inner(p, s)
        y, _ = nn.utils.rnn.pad_packed_sequence(y, batch_first=first, total_length=x.shape[1 if first else 0])
        return (y,) + (last if isinstance(last, tuple) else (last,))

    def named_parameters(self, *a, **k):
        return self.inner.named_parameters(*a, **k)


class Carried(nn.Module):
    """Truncated back-propagation: the last state of a step, detached, begins the next; row 1 begins
    anew in step 2."""

    def __init__(self, inner):
        super().__init__()
        self.inner, self.state, self.step = inner, None, 0

    def forward(self, x):
        if self.state is not None and self.step == 2:
            self.state = [s * torch.tensor([1.0, 0.0]).reshape(1, 2, 1) for s in self.state]
        s = self.state
        y, last = self.inner(x, None if s is None else s[0] if len(s) == 1 else tuple(s))
        last = last if isinstance(last, tuple) else (last,)
        self.state, self.step = [h.detach() for h in last], self.step + 1
        return (y,) + last

    def named_parameters(self, *a, **k):
        return self.inner.named_parameters(*a, **k)


class Net(nn.Module):
    """A convolutional network of several layers; a list, a residual list and a head."""

    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(2, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2))
        self.mix = nn.Sequential(nn.Conv2d(4, 4, 3, padding=1), nn.GELU(), nn.Conv2d(4, 4, 1, bias=False))
        self.head = nn.Sequential(nn.Flatten(), nn.Linear(16, 6), nn.LayerNorm(6), nn.Tanh(), nn.Linear(6, 3))

    def forward(self, x):
        x = self.features(x)
        return self.head(x + self.mix(x))


def flat(y):
    """y, h, c of a recurrent module as one tuple."""
    out = []
    for t in y if isinstance(y, tuple) else (y,):
        out += list(flat(t)) if isinstance(t, tuple) else [t]
    return tuple(out)


def with_states(module, *shapes):
    """States come as inputs of their own; nn.LSTM wants them as a pair."""
    return Case(lambda x, *s: module(x, s[0] if len(s) == 1 else tuple(s)), *shapes, module=module)


def attention(module, *shapes, **options):
    """To x itself, or to a second input."""
    return Case(lambda x, *m: module(x, *(m or (x,)) * 2, need_weights=False, **options)[0], *shapes, module=module)


def block(module, *shapes, **options):
    return Case(lambda *x: module(*x, **options), *shapes, module=module)


def mask(t, s):
    return (torch.arange(t * s).reshape(t, s) * 7 % 10) >= 6  # PyTorch's: true may not be seen


def causal(t):
    return ~torch.ones(t, t).tril().bool()


BLOCK = dict(dropout=0.0, batch_first=True)


def layers():
    rnn = dict(rnn_tanh=(nn.RNN, {}), rnn_relu=(nn.RNN, dict(nonlinearity="relu")), lstm=(nn.LSTM, {}), gru=(nn.GRU, {}))
    cases = {
        "linear": Case(nn.Linear(5, 4), (3, 5)),
        "linear_3d": Case(nn.Linear(5, 4, bias=False), (2, 3, 5)),
        "linear_1d": Case(nn.Linear(5, 4), (5,)),
        "embedding": Case(lambda m: m(ints(7, 3, 4)), module=nn.Embedding(7, 3)),
        "embedding_padded": Case(lambda m: m(ints(7, 3, 4)), module=nn.Embedding(7, 3, padding_idx=2)),
        "conv1d": Case(nn.Conv1d(3, 4, 3, stride=2, padding=1), (2, 3, 9)),
        "conv1d_dilated": Case(nn.Conv1d(4, 6, 3, dilation=3, groups=2, bias=False), (2, 4, 11)),
        "conv2d": Case(nn.Conv2d(3, 4, (3, 2), stride=(2, 1), padding=(1, 2), dilation=(1, 2)), (2, 3, 5, 6)),
        "conv2d_same": Case(nn.Conv2d(2, 3, 3, padding=1), (2, 2, 4, 5)),
        "conv2d_grouped": Case(nn.Conv2d(4, 6, 3, groups=2, padding=1, bias=False), (2, 4, 4, 4)),
        "conv2d_last": Case(Last(nn.Conv2d(3, 5, 3, padding=1)), (2, 4, 4, 3)),
        "conv_transpose1d": Case(nn.ConvTranspose1d(3, 2, 3, stride=2, padding=1, output_padding=1), (2, 3, 5)),
        "conv_transpose2d": Case(nn.ConvTranspose2d(4, 6, (2, 3), stride=(1, 2), dilation=(2, 1), groups=2), (1, 4, 3, 3)),
        "conv_transpose2d_last": Case(Last(nn.ConvTranspose2d(3, 2, 3, stride=2, padding=1)), (2, 3, 4, 3)),
        "batch_norm": Case(nn.BatchNorm1d(4), (6, 4), steps=3),
        "batch_norm_2d": Case(nn.BatchNorm2d(3, eps=1e-3, momentum=0.3), (2, 3, 4, 3), steps=3),
        "batch_norm_1d": Case(nn.BatchNorm1d(4, affine=False), (3, 4, 5), steps=2),
        "batch_norm_cumulative": Case(nn.BatchNorm1d(4, momentum=None), (3, 4, 5), steps=3),
        "batch_norm_last": Case(Last(nn.BatchNorm2d(3)), (2, 4, 3, 3), steps=2),
        "batch_norm_eval": Case(nn.BatchNorm2d(3), (2, 3, 2, 3), ev=True),
        "batch_norm_eval_plain": Case(nn.BatchNorm1d(4, affine=False), (5, 4), ev=True),
        "batch_norm_no_statistics": Case(nn.BatchNorm1d(4, track_running_stats=False), (5, 4), ev=True),
        "layer_norm": Case(nn.LayerNorm(12), (5, 12)),
        "layer_norm_axes": Case(nn.LayerNorm((3, 4), eps=1e-3), (2, 3, 4)),
        "layer_norm_plain": Case(nn.LayerNorm(9, elementwise_affine=False), (2, 3, 9)),
        "rms_norm": Case(Rms(12, 2.0 ** -23), (5, 12)),
        "rms_norm_eps": Case(Rms(8, 1e-2), (2, 3, 8)),
        "group_norm": Case(nn.GroupNorm(3, 6), (2, 6, 4)),
        "group_norm_plain": Case(nn.GroupNorm(2, 4, affine=False), (2, 4, 2, 3)),
        "group_norm_last": Case(Last(nn.GroupNorm(2, 4)), (2, 3, 2, 4)),
        "max_pool1d": Case(lambda x: F.max_pool1d(x, 3, 2, 1), (2, 3, 9)),
        "avg_pool1d": Case(lambda x: F.avg_pool1d(x, 2, 2, 1), (2, 3, 8)),
        "adaptive_even": Case(lambda x: F.adaptive_avg_pool2d(x, (2, 3)), (2, 3, 4, 6)),
        "adaptive_odd": Case(lambda x: F.adaptive_avg_pool2d(x, (3, 4)), (2, 2, 7, 6)),
        "adaptive_more": Case(lambda x: F.adaptive_avg_pool1d(x, 7), (2, 2, 5)),
        "adaptive_last": Case(Last(nn.AdaptiveAvgPool2d((2, 3))), (2, 5, 6, 2)),
        "global_avg": Case(lambda x: x.mean((2, 3)), (2, 3, 4, 5)),
        "global_max": Case(lambda x: x.amax((1, 2)), (2, 4, 5, 3)),
        "activations": Case(lambda x: (F.relu(x), F.gelu(x), F.gelu(x, approximate="tanh"), F.silu(x), torch.tanh(x),
                                       torch.sigmoid(x), F.leaky_relu(x, 0.01), F.elu(x), F.softplus(x)), (3, 8)),
        "attention": attention(nn.MultiheadAttention(6, 2, batch_first=True), (2, 5, 6)),
        "attention_causal": attention(nn.MultiheadAttention(6, 3, batch_first=True, bias=False), (2, 4, 6), attn_mask=causal(4)),
        "attention_masked": attention(nn.MultiheadAttention(6, 2, batch_first=True), (2, 5, 6), attn_mask=mask(5, 5)),
        "attention_cross": attention(nn.MultiheadAttention(6, 2, batch_first=True), (2, 3, 6), (2, 5, 6)),
        "attention_other": attention(nn.MultiheadAttention(6, 2, batch_first=True, kdim=4, vdim=4), (2, 3, 6), (2, 5, 4)),
        "encoder": block(nn.TransformerEncoderLayer(6, 2, 10, **BLOCK), (2, 4, 6)),
        "encoder_first": block(nn.TransformerEncoderLayer(6, 3, 10, activation="gelu", norm_first=True, **BLOCK),
                               (2, 4, 6), src_mask=causal(4)),
        "decoder": block(nn.TransformerDecoderLayer(6, 2, 8, **BLOCK), (2, 3, 6), (2, 5, 6), tgt_mask=causal(3)),
        "gpt2": Case(Gpt2(6, 2), (2, 4, 6)),
        "net": Case(Net(), (5, 2, 4, 4), steps=2),
        "net_eval": Case(Net(), (2, 2, 4, 4), ev=True),
    }
    for name, (make, options) in rnn.items():
        states = 2 if name == "lstm" else 1
        cases[name] = Case(make(3, 4, **options), (5, 2, 3))
        cases[name + "_two"] = Case(make(3, 2, num_layers=2, bias=False, batch_first=True, **options), (2, 4, 3))
        cases[name + "_both"] = with_states(make(3, 2, num_layers=2, bidirectional=True, **options),
                                            (4, 2, 3), *[(4, 2, 2)] * states)
        cases[name + "_lengths"] = Case(Padded(make(3, 2, bidirectional=True, batch_first=True, **options), (4, 2, 3)), (3, 4, 3))
        cases[name + "_carried"] = Case(Carried(make(3, 2, num_layers=2, **options)), (3, 2, 3), steps=3)
    return cases


def hinge(x, y):
    return (1 - x * y).clamp(min=0)


def losses():
    w = torch.tensor([0.5, 1.0, 2.0, 0.25, 1.5])
    t = (torch.arange(6) * 7 + 2) % 5
    t2 = t.reshape(2, 3)
    part = t.clone()
    part[1] = part[4] = -100
    zero = torch.where(t == 3, 0, t)
    soft = torch.softmax(ints(11, 6, 5).double() / 4, -1)
    y, some = signs(4, 3), torch.tensor([[0.0, 0.5, 0.5], [1.0, 0.0, 0.0], [0.25, 0.25, 0.5], [0.1, 0.2, 0.7]])
    one = signs(5)
    pw = torch.tensor([2.0, 0.5, 3.0])
    bw = torch.tensor([[1.0], [0.5], [2.0], [0.25]])
    bits = (ints(3, 4, 3) == 1).double()

    cases = {}

    def each(name, f, *shapes):
        for r in ("mean", "sum", "none"):
            cases[name + "_" + r] = Case(lambda *x, r=r: f(*x, reduction=r), *shapes)

    each("ce", lambda x, **k: F.cross_entropy(x, t, **k), (6, 5))
    each("ce_smooth", lambda x, **k: F.cross_entropy(x, t, label_smoothing=0.1, **k), (6, 5))
    each("ce_ignore", lambda x, **k: F.cross_entropy(x, part, **k), (6, 5))
    each("ce_weight", lambda x, **k: F.cross_entropy(x, t, weight=w, **k), (6, 5))
    each("ce_all", lambda x, **k: F.cross_entropy(x, zero, weight=w, ignore_index=0, label_smoothing=0.2, **k), (6, 5))
    each("ce_smooth_ignore", lambda x, **k: F.cross_entropy(x, part, label_smoothing=0.3, **k), (6, 5))
    each("ce_soft", lambda x, **k: F.cross_entropy(x, soft, weight=w, label_smoothing=0.1, **k), (6, 5))
    cases["ce_3d"] = Case(lambda x: F.cross_entropy(x.transpose(1, 2), t2, label_smoothing=0.1), (2, 3, 5))
    each("nll", lambda x, **k: F.nll_loss(torch.log_softmax(x, 1), part, weight=w, **k), (6, 5))
    each("multi_margin", lambda x, **k: F.multi_margin_loss(x, t, **k), (6, 5))
    each("bce", lambda x, **k: F.binary_cross_entropy_with_logits(x, bits, **k), (4, 3))
    each("bce_weights", lambda x, **k: F.binary_cross_entropy_with_logits(x, some, weight=bw, pos_weight=pw, **k), (4, 3))
    each("mse", F.mse_loss, (4, 3), (4, 3))
    each("l1", F.l1_loss, (4, 3), (4, 3))
    each("huber", lambda a, b, **k: F.huber_loss(a, b, delta=0.7, **k), (4, 3), (4, 3))
    each("smooth_l1", lambda a, b, **k: F.smooth_l1_loss(a, b, beta=0.4, **k), (4, 3), (4, 3))
    each("kl", lambda x, **k: F.kl_div(torch.log_softmax(x, 1), some, **k), (4, 3))
    each("kl_log", lambda a, b, **k: F.kl_div(a, b, log_target=True, **k), (4, 3), (4, 3))
    cases["kl_batch"] = Case(lambda x: F.kl_div(torch.log_softmax(x, 1), some, reduction="batchmean"), (4, 3))
    cases["hinge"] = Case(lambda x: hinge(x, y).mean(), (4, 3))
    each("hinge_embedding", lambda x, **k: F.hinge_embedding_loss(x, y, margin=0.8, **k), (4, 3))
    cases["cosine"] = Case(lambda a, b: F.cosine_similarity(a, b, 1), (3, 4, 2), (3, 4, 2))
    each("cosine_embedding", lambda a, b, **k: F.cosine_embedding_loss(a, b, one, margin=0.1, **k), (5, 4), (5, 4))
    return cases


def named(numbers, name, t):
    """A value for a parameter or buffer, from its name."""
    if name.endswith("num_batches_tracked"):
        return torch.tensor(3)
    v = 0.25 * numbers(salt_of(name), *t.shape)
    return v + 1 if name.endswith("running_var") else v


def write_cases(path, cases, numbers, write):
    with open(path, "w") as f:
        f.write("# written by tools/golden with PyTorch %s\n" % torch.__version__)
        for case, c in cases.items():
            params, buffers = {}, {}
            if c.module is not None:
                c.module.double()
                c.module.train(not c.ev)
                params, buffers = dict(c.module.named_parameters()), dict(c.module.named_buffers())
                with torch.no_grad():
                    for name, t in list(params.items()) + (list(buffers.items()) if c.ev else []):
                        t.copy_(named(numbers, name, t))
            for step in range(c.steps):
                xs = [numbers(10 * step + i, *s).requires_grad_() for i, s in enumerate(c.shapes)]
                for p in params.values():
                    p.grad = None
                ys = flat(c.f(*xs) if c.shapes else c.f(c.module))
                sum((y * numbers(90 + i, *y.shape)).sum() for i, y in enumerate(ys)).backward()
                at = "%s.%d." % (case, step)
                for i, y in enumerate(ys):
                    write(f, at + "y%d" % i, y)
                for i, x in enumerate(xs):
                    write(f, at + "d%d" % i, x.grad)
                for name, p in params.items():
                    write(f, at + "p." + name, p.grad if p.grad is not None else torch.zeros_like(p))
            for name, b in buffers.items():
                write(f, "%s.b.%s" % (case, name), b.double())
