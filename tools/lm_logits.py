#!/usr/bin/env python3
"""lm_logits - the logits of a published model and an adapter, by PyTorch, beside those of Weft.

    tools/lm_logits.py FOLDER       needs torch and numpy (Debian: python3-torch)

FOLDER has config.json and model.safetensors, adapter_config.json and adapter_model.safetensors as PEFT
writes them, and what Weft made of the two: tokens.npy, logits.npy. Prints how far the logits are from
those of the networks in golden_lm.py; status 1: further than 1e-4 of the largest.
"""
import json
import os
import struct
import sys

import numpy as np
import torch

sys.dont_write_bytecode = True
import golden_lm  # noqa: E402

torch.set_default_dtype(torch.float64)


def safetensors(path):
    with open(path, "rb") as f:
        data = f.read()
    (n,) = struct.unpack("<Q", data[:8])
    out = {}
    for name, x in json.loads(data[8 : 8 + n]).items():
        if name == "__metadata__":
            continue
        assert x["dtype"] == "F32", name
        begin, end = (8 + n + at for at in x["data_offsets"])
        out[name] = torch.from_numpy(np.frombuffer(data[begin:end], "<f4").astype("f8").reshape(x["shape"]))
    return out


def adapt(params, folder):
    """Adds alpha / r B A to each weight that has an adapter; weights of Conv1D are transposed."""
    with open(os.path.join(folder, "adapter_config.json")) as f:
        config = json.load(f)
    assert config["peft_type"] == "LORA" and config["bias"] == "none"
    halves, prefix = safetensors(os.path.join(folder, "adapter_model.safetensors")), "base_model.model."
    used = set()
    for name in params:
        layer = prefix + name.removesuffix(".weight")
        a, b = layer + ".lora_A.weight", layer + ".lora_B.weight"
        wanted = name.split(".")[-2] in config["target_modules"] and name.endswith(".weight")
        assert wanted == (a in halves) == (b in halves), name
        if not wanted:
            continue
        used |= {a, b}
        assert halves[a].shape[0] == halves[b].shape[1] == config["r"]
        more = halves[b] @ halves[a] * (config["lora_alpha"] / config["r"])
        params[name] = params[name] + (more.T if config["fan_in_fan_out"] else more)
    assert used == set(halves), "adapters of no layer"


def main(folder):
    with open(os.path.join(folder, "config.json")) as f:
        config = json.load(f)
    params = safetensors(os.path.join(folder, "model.safetensors"))
    assert {k: tuple(v.shape) for k, v in params.items()} == golden_lm.shapes(config), "other names or shapes"
    adapt(params, folder)
    ids = torch.from_numpy(np.load(os.path.join(folder, "tokens.npy")).astype("i8"))
    want = golden_lm.Net(config, params, False).logits(ids).numpy()
    got = np.load(os.path.join(folder, "logits.npy"))
    assert got.shape == want.shape, (got.shape, want.shape)
    apart = np.abs(got - want).max() / np.abs(want).max()
    print(f"{config['model_type']}: {apart:.2g} of the largest logit apart")
    return apart < 1e-4


if __name__ == "__main__":
    sys.exit(0 if main(sys.argv[1]) else 1)
