"""golden_lm - small language models of each family, which test_lm_golden.c compares with PyTorch.

Part of tools/golden. A model is a config.json as published, here in lm/NAME.json, and the published
names and shapes of its parameters, whose values follow from their names (`parameters`): the C side
makes a file of them. The networks are written here from their definitions, in double.

lm/NAME.txt has the shape of each parameter (dims.), all logits, the loss, and of the gradient (grad.)
and of the parameter after ten steps of AdamW (after.) a digest: the largest magnitude, some elements,
and the products with fixed vectors of both signs, which no wrong element leaves as they are. Logits and
losses again under "mixed", for one model of each kind, with the operands of all products rounded to bf16.
"""
import json
import math
import os

import numpy as np
import torch
import torch.nn.functional as F

from golden_layers import salt_of

ROWS, TOKENS, STEPS = 2, 9, 10
MIXED = "gpt2", "llama"  # the others have the same products

GPT2 = {
    "activation_function": "gelu_new", "architectures": ["GPT2LMHeadModel"], "attn_pdrop": 0.0, "bos_token_id": 28,
    "embd_pdrop": 0.0, "eos_token_id": 28, "initializer_range": 0.02, "layer_norm_epsilon": 1e-05,
    "model_type": "gpt2", "n_ctx": 16, "n_embd": 48, "n_head": 3, "n_inner": None, "n_layer": 2, "n_positions": 16,
    "resid_pdrop": 0.0, "summary_type": "cls_index", "vocab_size": 29}
LLAMA = {
    "architectures": ["LlamaForCausalLM"], "attention_bias": False, "attention_dropout": 0.0, "bos_token_id": 1,
    "eos_token_id": 2, "hidden_act": "silu", "hidden_size": 32, "initializer_range": 0.02, "intermediate_size": 40,
    "max_position_embeddings": 64, "mlp_bias": False, "model_type": "llama", "num_attention_heads": 4,
    "num_hidden_layers": 2, "num_key_value_heads": 2, "pretraining_tp": 1, "rms_norm_eps": 1e-05,
    "rope_scaling": None, "rope_theta": 500.0, "tie_word_embeddings": False, "torch_dtype": "bfloat16",
    "use_cache": True, "vocab_size": 31}
MODELS = {
    "gpt2": GPT2,
    "llama": LLAMA,
    "llama3": dict(LLAMA, rope_scaling={
        "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 32,
        "rope_type": "llama3"}),
    "mistral": dict(LLAMA, model_type="mistral", architectures=["MistralForCausalLM"], sliding_window=5,
                    rope_scaling={"type": "linear", "factor": 4.0}, rms_norm_eps=1e-06),
    "qwen2": dict(LLAMA, model_type="qwen2", architectures=["Qwen2ForCausalLM"], tie_word_embeddings=True,
                  sliding_window=4, use_sliding_window=False, max_window_layers=2, num_key_value_heads=1),
    "qwen3": {k: v for k, v in dict(
        LLAMA, model_type="qwen3", architectures=["Qwen3ForCausalLM"], tie_word_embeddings=True, head_dim=6,
        sliding_window=None, use_sliding_window=False, num_attention_heads=3, num_key_value_heads=3,
        rope_parameters={"rope_type": "default", "rope_theta": 1000.0}).items() if k not in ("rope_theta", "rope_scaling")},
}


def hashed(salt, count):
    """Multiples of 1/512 in [-1, 1); model_number in models.h."""
    i, m = np.arange(count, dtype=np.uint64), np.uint64(0xFFFFFFFF)
    h = ((i + np.uint64(1)) * np.uint64(2654435761) + np.uint64((salt + 1) * 40503 * 65537 & 0xFFFFFFFF)) & m
    h ^= h >> np.uint64(15)
    h = h * np.uint64(2246822519) & m
    h ^= h >> np.uint64(13)
    return ((h % np.uint64(1024)).astype(np.int64) - 512) / 512.0


def values(name, shape):
    """Exact in f16, too. Norms are about 1; the rest is large enough for logits that differ clearly."""
    v = torch.from_numpy(hashed(salt_of(name), int(np.prod(shape)))).reshape(shape)
    norm = name.endswith("weight") and len(shape) == 1
    return 1 + v / 2 if norm else v / 8


def shapes(c):
    """The published names and shapes."""
    if c["model_type"] == "gpt2":
        e, out = c["n_embd"], {"transformer.wte.weight": (c["vocab_size"], c["n_embd"]),
                               "transformer.wpe.weight": (c["n_positions"], c["n_embd"])}
        for i in range(c["n_layer"]):
            h = f"transformer.h.{i}."
            for name, n, m in (("attn.c_attn", e, 3 * e), ("attn.c_proj", e, e), ("mlp.c_fc", e, 4 * e), ("mlp.c_proj", 4 * e, e)):
                out[h + name + ".weight"], out[h + name + ".bias"] = (n, m), (m,)
            for name in ("ln_1", "ln_2"):
                out[h + name + ".weight"] = out[h + name + ".bias"] = (e,)
        out["transformer.ln_f.weight"] = out["transformer.ln_f.bias"] = (e,)
        return out
    e, f = c["hidden_size"], c["intermediate_size"]
    size = c.get("head_dim") or e // c["num_attention_heads"]
    q, kv = c["num_attention_heads"] * size, c["num_key_value_heads"] * size
    out = {"model.embed_tokens.weight": (c["vocab_size"], e), "model.norm.weight": (e,)}
    for i in range(c["num_hidden_layers"]):
        h = f"model.layers.{i}."
        for name, n, m in (("self_attn.q_proj", q, e), ("self_attn.k_proj", kv, e), ("self_attn.v_proj", kv, e),
                           ("self_attn.o_proj", e, q), ("mlp.gate_proj", f, e), ("mlp.up_proj", f, e), ("mlp.down_proj", e, f)):
            out[h + name + ".weight"] = (n, m)
            if c["model_type"] == "qwen2" and name[-6] in "qkv" and name.startswith("self"):
                out[h + name + ".bias"] = (n,)
        out[h + "input_layernorm.weight"] = out[h + "post_attention_layernorm.weight"] = (e,)
        if c["model_type"] == "qwen3":
            out[h + "self_attn.q_norm.weight"] = out[h + "self_attn.k_norm.weight"] = (size,)
    if not c["tie_word_embeddings"]:
        out["lm_head.weight"] = (c["vocab_size"], e)
    return out


# ---- products, plain and with rounded operands ----

def rounded(x):
    return x.to(torch.bfloat16).to(x.dtype)


class Rounded(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(rounded(a), rounded(b))
        return rounded(a) @ rounded(b)

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        g = rounded(g)
        return g @ b.transpose(-1, -2), a.transpose(-1, -2) @ g


class Net:
    """The two networks. x is [B, T, width] throughout; heads are [B, heads, T, size]."""

    def __init__(self, config, params, mixed):
        self.c, self.p = config, params
        self.mul = self.mixed_product if mixed else torch.matmul

    @staticmethod
    def mixed_product(a, b):
        if b.dim() == 2 and a.dim() == 3:  # one product, so that its operands have as many axes
            return Rounded.apply(a.reshape(-1, a.shape[-1]), b).reshape(*a.shape[:-1], b.shape[-1])
        return Rounded.apply(a, b)

    def attend(self, q, k, v, window=None):
        b, heads, t, size = q.shape
        k, v = (x.repeat_interleave(heads // x.shape[1], 1) for x in (k, v))
        i, j = torch.arange(t)[:, None], torch.arange(t)[None]
        seen = j <= i
        if window:
            seen = seen & (i - j < window)
        s = self.mul(q, k.transpose(-1, -2)) / math.sqrt(size)
        y = self.mul(torch.softmax(s.masked_fill(~seen, -math.inf), -1), v)
        return y.transpose(1, 2).reshape(b, t, heads * size)

    def heads(self, x, n):
        return x.reshape(x.shape[0], x.shape[1], n, -1).transpose(1, 2)

    def gpt2(self, ids):
        c, p, e = self.c, self.p, self.c["n_embd"]
        norm = lambda x, n: F.layer_norm(x, (e,), p[n + ".weight"], p[n + ".bias"], c["layer_norm_epsilon"])
        linear = lambda x, n: self.mul(x, p[n + ".weight"]) + p[n + ".bias"]
        x = p["transformer.wte.weight"][ids] + p["transformer.wpe.weight"][: ids.shape[1]]
        for i in range(c["n_layer"]):
            h = f"transformer.h.{i}."
            q, k, v = linear(norm(x, h + "ln_1"), h + "attn.c_attn").split(e, -1)
            x = x + linear(self.attend(*(self.heads(t, c["n_head"]) for t in (q, k, v))), h + "attn.c_proj")
            x = x + linear(F.gelu(linear(norm(x, h + "ln_2"), h + "mlp.c_fc"), approximate="tanh"), h + "mlp.c_proj")
        return self.mul(norm(x, "transformer.ln_f"), p["transformer.wte.weight"].T)

    def rms(self, x, name):
        return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + self.c["rms_norm_eps"]) * self.p[name + ".weight"]

    def frequencies(self, size):
        c = self.c
        r = c.get("rope_parameters") or {}
        base, scaling = c.get("rope_theta") or r["rope_theta"], c.get("rope_scaling") or {}
        freq = [base ** (-2 * i / size) for i in range(size // 2)]
        kind = scaling.get("rope_type") or scaling.get("type")
        if kind == "linear":
            return [f / scaling["factor"] for f in freq]
        if kind != "llama3":
            return freq
        out = []
        for f in freq:  # by wavelength, as Llama 3 defines it
            length, factor = 2 * math.pi / f, scaling["factor"]
            low, high = scaling["low_freq_factor"], scaling["high_freq_factor"]
            context = scaling["original_max_position_embeddings"]
            if length < context / high:
                out.append(f)
            elif length > context / low:
                out.append(f / factor)
            else:
                smooth = (context / length - low) / (high - low)
                out.append((1 - smooth) * f / factor + smooth * f)
        return out

    def turned(self, x):
        """Rotary positions: element i is paired with element i + size / 2."""
        half = x.shape[-1] // 2
        angle = torch.arange(x.shape[2])[:, None] * torch.tensor(self.frequencies(2 * half))
        a, b, cos, sin = x[..., :half], x[..., half:], torch.cos(angle), torch.sin(angle)
        return torch.cat((a * cos - b * sin, b * cos + a * sin), -1)

    def llama(self, ids):
        c, p = self.c, self.p

        def linear(x, name):
            y = self.mul(x, p[name + ".weight"].T)
            return y + p[name + ".bias"] if name + ".bias" in p else y

        x = p["model.embed_tokens.weight"][ids]
        for i in range(c["num_hidden_layers"]):
            h = f"model.layers.{i}."
            y, q = self.rms(x, h + "input_layernorm"), {}
            for n, heads in (("q", "num_attention_heads"), ("k", "num_key_value_heads"), ("v", "num_key_value_heads")):
                q[n] = self.heads(linear(y, f"{h}self_attn.{n}_proj"), c[heads])
            if c["model_type"] == "qwen3":
                q["q"], q["k"] = self.rms(q["q"], h + "self_attn.q_norm"), self.rms(q["k"], h + "self_attn.k_norm")
            window = c.get("sliding_window") if c["model_type"] == "mistral" else None
            x = x + linear(self.attend(self.turned(q["q"]), self.turned(q["k"]), q["v"], window), h + "self_attn.o_proj")
            y = self.rms(x, h + "post_attention_layernorm")
            x = x + linear(F.silu(linear(y, h + "mlp.gate_proj")) * linear(y, h + "mlp.up_proj"), h + "mlp.down_proj")
        table = "model.embed_tokens.weight" if c["tie_word_embeddings"] else "lm_head.weight"
        return self.mul(self.rms(x, "model.norm"), p[table].T)

    def logits(self, ids):
        return self.gpt2(ids) if self.c["model_type"] == "gpt2" else self.llama(ids)


# ---- what is written ----

def tokens(vocab):
    i = torch.arange(ROWS * (TOKENS + 1)).reshape(ROWS, TOKENS + 1)
    all_of = (i * 7919 + i * i * 31 + 11) % vocab
    after = all_of[:, 1:].clone()
    after[1, -2:] = -1  # left out
    return all_of[:, :-1], after


def digest(t):
    v = t.detach().reshape(-1)
    n = len(v)
    out = [v.abs().max().item()] + [v[n * (2 * k + 1) // 8].item() for k in range(4)]
    return out + [(v @ torch.from_numpy(hashed(500 + k, n))).item() / math.sqrt(n) for k in range(2)]


def write_model(folder, name, config):
    dims = shapes(config)
    ids, after = tokens(config["vocab_size"])
    with open(os.path.join(folder, name + ".json"), "w") as f:
        f.write(json.dumps(config, indent=2) + "\n")
    with open(os.path.join(folder, name + ".txt"), "w") as f:
        f.write("# written by tools/golden with PyTorch %s\n" % torch.__version__)

        def line(key, shape, v):
            f.write(key + "".join(" %d" % d for d in shape) + "\n" + " ".join("%.6g" % x for x in v) + "\n")

        for key, shape in dims.items():
            line("dims." + key, (len(shape),), shape)
        for mixed in ("", "mixed.") if name in MIXED else ("",):
            p = {key: values(key, shape).requires_grad_() for key, shape in dims.items()}
            net = Net(config, p, bool(mixed))
            # biases and norms do not decay. A large eps: a bias of keys has no gradient but rounding
            adamw = torch.optim.AdamW([
                {"params": [v for v in p.values() if v.dim() > 1], "weight_decay": 0.1},
                {"params": [v for v in p.values() if v.dim() == 1], "weight_decay": 0}], lr=3e-3, betas=(0.9, 0.95), eps=1e-5)
            losses = []
            for step in range(STEPS):
                adamw.zero_grad()
                logits = net.logits(ids)
                loss = F.cross_entropy(logits.reshape(-1, config["vocab_size"]), after.reshape(-1), ignore_index=-1)
                loss.backward()
                losses.append(loss.item())
                if step == 0:
                    line(mixed + "logits", logits.shape, logits.reshape(-1).tolist())
                    for key, v in p.items() if not mixed else ():
                        line("grad." + key, (7,), digest(v.grad))
                adamw.step()
            line(mixed + "losses", (STEPS,), losses)
            if not mixed:
                for key, v in p.items():
                    line("after." + key, (7,), digest(v))


def write_models(folder):
    os.makedirs(folder, exist_ok=True)
    for name, config in MODELS.items():
        write_model(folder, name, config)
