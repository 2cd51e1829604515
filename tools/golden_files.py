"""golden_files - small files of arrays by NumPy and PyTorch, which test_io_golden.c reads.

Part of tools/golden. Values follow from the name and the place (`values`), so that the C side makes
the same. There is one set of arrays in four files (plain.npz, packed.npz, arrays.safetensors, and
each array with an odd header as its own .npy) and its hash, computed here from its definition:
SHA-256 over, in order of name, the name, a zero byte, the type as safetensors calls it, a zero byte,
rank and extents in 64 bits, the values. torch.safetensors is the state of a network as PyTorch names it.
"""
import hashlib
import json
import os
import struct

import numpy as np
import torch

TYPES = {"f8": "F64", "f4": "F32", "f2": "F16", "i8": "I64", "i4": "I32", "i2": "I16", "i1": "I8",
         "u8": "U64", "u4": "U32", "u2": "U16", "u1": "U8", "b1": "BOOL"}
SHAPES = {"number": (), "vector": (7,), "empty": (3, 0, 2), "matrix": (3, 5), "cube": (2, 3, 4)}


def values(name, dtype, shape):
    n = int(np.prod(shape))
    v = (np.arange(n) * 7 + len(name.encode())) % 100
    if dtype.endswith("b1"):
        v = v % 3 == 0
    elif dtype[-2] == "f":
        v = (v - 20) / 8
    elif dtype[-2] == "i":
        v = v - 20
    return v.reshape(shape).astype(dtype)


def arrays():
    out = {}
    for short in TYPES:
        for shape_name, shape in SHAPES.items():
            name = f"{short}.{shape_name}"
            out[name] = values(name, short, shape)
    for name in ("f4.large", "u1.large"):
        out[name] = values(name, name[:2], (40, 50))
    out["größe/重み"] = values("größe/重み", "f4", (2,))
    return out


def safetensors(path, named, metadata=None):
    """named: name -> (safetensors' type, shape, bytes)"""
    header, at = {}, 0
    if metadata:
        header["__metadata__"] = metadata
    for name, (kind, shape, data) in named.items():
        header[name] = {"dtype": kind, "shape": list(shape), "data_offsets": [at, at + len(data)]}
        at += len(data)
    text = json.dumps(header, ensure_ascii=True).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + b"".join(d for _, _, d in named.values()))


def content_hash(named):
    h = hashlib.sha256()
    for name in sorted(named, key=lambda s: s.encode()):
        kind, shape, data = named[name]
        h.update(name.encode() + b"\0" + kind.encode() + b"\0")
        h.update(struct.pack(f"<{len(shape) + 1}Q", len(shape), *shape) + data)
    return h.hexdigest()


def network():
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4), torch.nn.Linear(4, 2)).float()
    state = net.state_dict()
    for name, t in state.items():
        if t.dtype == torch.float32:
            t.copy_(torch.from_numpy(values(name, "f4", tuple(t.shape))))
    state["2.weight"] = state["2.weight"].to(torch.bfloat16)
    state["2.bias"] = state["2.bias"].to(torch.float16)
    return state


def skewed():
    """Bytes whose frequencies are Fibonacci's: deflate needs codes of all lengths up to 15 for them."""
    a, b, out = 1, 1, []
    for byte in range(17):
        out += [byte] * a
        a, b = b, a + b
    return np.random.RandomState(1).permutation(np.array(out, dtype="u1"))


def write_files(folder):
    a = arrays()
    plain = {n: (TYPES[n[:2]] if n[:2] in TYPES else "F32", v.shape, v.tobytes()) for n, v in a.items()}
    np.savez(os.path.join(folder, "plain.npz"), **a)
    turned = {n: np.asfortranarray(v) if i % 2 and v.ndim else v.astype(v.dtype.newbyteorder(">"))
              for i, (n, v) in enumerate(a.items())}
    np.savez_compressed(os.path.join(folder, "packed.npz"), **turned)
    safetensors(os.path.join(folder, "arrays.safetensors"), plain, {"by": "hand"})
    with open(os.path.join(folder, "arrays_hash.txt"), "w") as f:
        f.write(content_hash(plain) + "\n")
    for version in (1, 2, 3):
        with open(os.path.join(folder, f"v{version}.npy"), "wb") as f:
            v = values(f"v{version}", "f4", (3, 5))
            np.lib.format.write_array(f, np.asfortranarray(v.astype(">f4")) if version == 2 else v, (version, 0))
    np.savez_compressed(os.path.join(folder, "skewed.npz"), skewed=skewed())
    kinds = {torch.float32: "F32", torch.bfloat16: "BF16", torch.float16: "F16", torch.int64: "I64"}
    named = {}
    for name, t in network().items():
        raw = t.view(torch.int16) if t.dtype == torch.bfloat16 else t
        named[name] = (kinds[t.dtype], tuple(t.shape), raw.numpy().tobytes())
    safetensors(os.path.join(folder, "torch.safetensors"), named, {"format": "pt"})
