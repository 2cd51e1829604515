#!/bin/sh
# test_io_python.sh - what NumPy, and a reader of safetensors written from its definition, make of
# our files. Needs a python3 with NumPy; PyTorch's own reader is asked too where it is installed.
. tests/shell.sh

python=
for p in python3 /usr/bin/python3; do
    if have $p && $p -c 'import numpy' 2>/dev/null; then python=$p && break; fi
done
if [ -z "$python" ]; then
    skip "files in Python" "no python3 with NumPy"
    finish
fi

cat >"$scratch/make.c" <<'C'
#include "weft/io.h"
#include <stdio.h>
#include <string.h>
static int save(weft_archive *a, const char *name, const weft_write_desc *d, weft_ctx *c) {
    if (weft_archive_write(a, name, d) == WEFT_OK) return 0;
    fprintf(stderr, "%s\n", weft_error(c));
    return 1;
}
int main(int argc, char **argv) {
    if (argc < 2) return 2;
    weft_ctx *c = weft_open("cpu");
    weft_archive *a = weft_archive_new(c), *one = weft_archive_new(c);
    unsigned char bytes[8 * 24];
    for (int i = 0; i < (int)sizeof bytes; i++) bytes[i] = (unsigned char)(i % 2 ? 0x3c : i);
    for (int t = 0; t < WEFT_FILE_TYPE_COUNT; t++) {
        weft_array x = {weft_file_type_name((weft_file_type)t), (weft_file_type)t, {3, {2, 3, 4}},
                        bytes, 24 * weft_file_type_size((weft_file_type)t)};
        unsigned char flags[24];
        for (int i = 0; i < 24; i++) flags[i] = i % 3 == 0;
        if (t == WEFT_FILE_BOOL) x.data = flags;
        if (weft_archive_put(a, &x) != WEFT_OK) return 1;
    }
    weft_archive_put(a, &(weft_array){"leer/空", WEFT_FILE_F32, {2, {0, 5}}, NULL, 0});
    weft_archive_put(a, &(weft_array){"number", WEFT_FILE_F64, {0, {0}}, bytes, 8});
    weft_archive_text(a, "said", "\"so\"\n");
    weft_archive_put(one, &(weft_array){"m", WEFT_FILE_I32, {2, {3, 8}}, bytes, 96});
    weft_state *s = weft_state_new(c);
    weft_graph *g = weft_graph_new(c);
    weft_linear(s, weft_input(g, WEFT_F32, weft_dims(1, 3)), 4, "fc");
    weft_graph_free(g);
    char path[600];
    snprintf(path, sizeof path, "%s/a.npz", argv[1]);
    int bad = save(a, path, NULL, c);
    snprintf(path, sizeof path, "%s/a.safetensors", argv[1]);
    bad |= save(a, path, NULL, c);
    snprintf(path, sizeof path, "%s/s.safetensors", argv[1]);
    bad |= save(a, path, &(weft_write_desc){.max_shard_bytes = 200, .checksums = true}, c);
    snprintf(path, sizeof path, "%s/m.npy", argv[1]);
    bad |= save(one, path, NULL, c);
    snprintf(path, sizeof path, "%s/ck.safetensors", argv[1]);
    bad |= weft_checkpoint_save(s, path, &(weft_checkpoint){.step = 7}) != WEFT_OK;
    char hash[65];
    if (weft_archive_hash(a, hash) != WEFT_OK) return 1;
    puts(hash);
    weft_state_free(s), weft_archive_free(a), weft_archive_free(one), weft_close(c);
    return bad;
}
C
check "a program that writes" "$cc" -std=c11 -Wall -Wextra -Iinclude "$scratch/make.c" "$build/libweft.a" -lm -lpthread -ldl -o "$scratch/make"
check "writes" sh -c "'$scratch/make' '$scratch' >'$scratch/hash'"

cat >"$scratch/read.py" <<'PY'
import hashlib, json, os, struct, sys, zipfile
import numpy as np

folder, what = sys.argv[1], sys.argv[2]
KINDS = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I64": "<i8", "I32": "<i4", "I16": "<i2",
         "I8": "i1", "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "u1", "BOOL": "?"}
raw = bytes(0x3c if i % 2 else i for i in range(8 * 24))
flags = bytes(int(i % 3 == 0) for i in range(24))


def want(kind):
    size = np.dtype(KINDS[kind]).itemsize
    return (flags if kind == "BOOL" else raw)[: 24 * size]


def safetensors(name):
    data = open(os.path.join(folder, name), "rb").read()
    (n,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + n])
    assert (8 + n) % 64 == 0
    meta = header.pop("__metadata__", {})
    assert all(isinstance(v, str) for v in meta.values())
    at, out = 0, {}
    for key, t in sorted(header.items(), key=lambda i: i[1]["data_offsets"]):
        begin, end = t["data_offsets"]
        assert begin == at, "holes"
        at = end
        out[key] = (t["dtype"], tuple(t["shape"]), data[8 + n + begin : 8 + n + end])
    assert 8 + n + at == len(data)
    return meta, out


def content_hash(named):
    h = hashlib.sha256()
    for name in sorted(named, key=lambda s: s.encode()):
        kind, shape, data = named[name]
        h.update(name.encode() + b"\0" + kind.encode() + b"\0")
        h.update(struct.pack(f"<{len(shape) + 1}Q", len(shape), *shape) + data)
    return h.hexdigest()


def same(named):
    for kind in KINDS:
        assert named[kind] == (kind, (2, 3, 4), want(kind)), kind
    assert named["leer/空"] == ("F32", (0, 5), b"")
    assert named["number"] == ("F64", (), raw[:8])
    assert content_hash(named) == open(os.path.join(folder, "hash")).read().strip()


if what == "npz":
    path = os.path.join(folder, "a.npz")
    assert zipfile.ZipFile(path).testzip() is None
    with np.load(path, allow_pickle=False) as z:
        assert "__metadata__.json" not in z.files and all(z[k] is not None for k in z.files)
        assert all(isinstance(z[k], np.ndarray) for k in z.files), z.files
        assert json.loads(zipfile.ZipFile(path).comment) == {"said": '"so"\n'}
        for kind, d in KINDS.items():
            a = z[kind]
            assert a.shape == (2, 3, 4) and a.tobytes() == want(kind), kind
            if kind != "BF16":
                assert a.dtype == np.dtype(d), kind
        assert z["leer/空"].shape == (0, 5) and z["number"].shape == ()
elif what == "npy":
    a = np.load(os.path.join(folder, "m.npy"), allow_pickle=False)
    assert a.shape == (3, 8) and a.dtype == np.int32 and a.tobytes() == raw[:96]
    assert np.lib.format.open_memmap(os.path.join(folder, "m.npy"), mode="r").offset % 64 == 0
elif what == "safetensors":
    meta, named = safetensors("a.safetensors")
    assert meta == {"said": '"so"\n'}
    same(named)
elif what == "shards":
    index = json.load(open(os.path.join(folder, "s.safetensors.index.json")))
    named = {}
    for shard in sorted(set(index["weight_map"].values())):
        _, part = safetensors(shard)
        assert all(index["weight_map"][name] == shard for name in part)
        named.update(part)
    assert set(named) == set(index["weight_map"])
    assert index["metadata"]["total_size"] == sum(len(d) for _, _, d in named.values())
    same(named)
elif what == "checkpoint":
    meta, named = safetensors("ck.safetensors")
    assert meta["weft.checkpoint"] == "1" and meta["weft.step"] == "7" and meta["format"] == "pt"
    assert named["fc.weight"][:2] == ("F32", (4, 3))
    table = []
    for b in range(256):
        for _ in range(8):
            b = b >> 1 ^ (0x82F63B78 if b & 1 else 0)
        table.append(b)

    def crc32c(data):
        v = 0xFFFFFFFF
        for b in data:
            v = v >> 8 ^ table[(v ^ b) & 255]
        return f"{v ^ 0xFFFFFFFF:08x}"

    for name, (_, _, data) in named.items():
        assert meta["weft.crc32c." + name] == crc32c(data), name
    data = open(os.path.join(folder, "ck.safetensors"), "rb").read()
    (n,) = struct.unpack("<Q", data[:8])
    mine = meta["weft.crc32c"].encode()
    header = data[8 : 8 + n].replace(b'"weft.crc32c":"' + mine, b'"weft.crc32c":"00000000', 1)
    assert crc32c(header) == mine.decode()
elif what == "theirs":
    import safetensors.numpy

    found = safetensors.numpy.load_file(os.path.join(folder, "ck.safetensors"))
    assert found["fc.weight"].shape == (4, 3)
PY
for what in npz npy safetensors shards checkpoint; do
    check "$what in Python" "$python" -B "$scratch/read.py" "$scratch" $what
done
if "$python" -c 'import safetensors.numpy' 2>/dev/null; then
    check "a checkpoint by the safetensors package" "$python" -B "$scratch/read.py" "$scratch" theirs
else
    skip "a checkpoint by the safetensors package" "not installed"
fi
finish
