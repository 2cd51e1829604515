fn k_bits(a: u32) -> f32 { return bitcast<f32>(a); }
fn k_nan(a: f32) -> bool { return (bitcast<u32>(a) & 0x7fffffffu) > 0x7f800000u; }
fn k_exp(a: f32) -> f32 { return exp(a); }
fn k_max(a: f32, b: f32) -> f32 { return select(b, a, k_nan(a) || (a > b && !k_nan(b))); }
fn k_bf16_bits(a: f32) -> u32 {
    let u = bitcast<u32>(a);
    if (k_nan(a)) {
        return (u >> 16u) | 64u;
    }
    return (u + 0x7fffu + ((u >> 16u) & 1u)) >> 16u;
}
fn k_bf16(h: u32) -> f32 { return bitcast<f32>(h << 16u); }
fn k_get16(b: u32, i: i32) -> u32 {
    return (words[b + u32(i >> 1u)] >> (16u * u32(i & 1))) & 0xffffu;
}
fn k_put16(b: u32, i: i32, v: u32) {
    let w = b + u32(i >> 1u);
    let s = 16u * u32(i & 1);
    words[w] = (words[w] & ~(0xffffu << s)) | (v << s);
}
fn k_load_bf16(b: u32, i: i32) -> f32 { return k_bf16(k_get16(b, i)); }
fn k_store_bf16(b: u32, i: i32, v: f32) { k_put16(b, i, k_bf16_bits(v)); }
var<workgroup> k_tile_f32: array<f32, 256>;
fn k_fold_sum_f32(v: f32, t: i32) -> f32 {
    k_tile_f32[t] = v;
    workgroupBarrier();
    for (var s = 128; s > 0; s >>= 1u) {
        if (t < s) {
            k_tile_f32[t] = k_tile_f32[t] + k_tile_f32[t + s];
        }
        workgroupBarrier();
    }
    let r = k_tile_f32[0];
    workgroupBarrier();
    return r;
}
fn k_fold_max_f32(v: f32, t: i32) -> f32 {
    k_tile_f32[t] = v;
    workgroupBarrier();
    for (var s = 128; s > 0; s >>= 1u) {
        if (t < s) {
            k_tile_f32[t] = k_max(k_tile_f32[t], k_tile_f32[t + s]);
        }
        workgroupBarrier();
    }
    let r = k_tile_f32[0];
    workgroupBarrier();
    return r;
}

@group(0) @binding(0) var<storage, read_write> words: array<u32>;
@group(0) @binding(1) var<uniform> args: array<vec4<u32>, 1>;
@compute @workgroup_size(256)
fn softmax_bf16(@builtin(workgroup_id) group_id: vec3<u32>,
      @builtin(num_workgroups) group_count: vec3<u32>,
      @builtin(local_invocation_index) local: u32) {
    let t = i32(local);
    let group = i32(group_id.x + group_id.y * group_count.x);
    let groups = i32(group_count.x * group_count.y);
    let b0 = args[0].x;
    let b1 = args[0].y;
    for (var e = group; e < 7; e += groups) {
        let i0 = e;
        var r1 = k_bits(0xff800000u);
        for (var j = t; j < 36; j += 256) {
            let i1 = j;
            let r0 = k_load_bf16(b0, i0 * 36 + i1);
            r1 = k_max(r1, r0);
        }
        r1 = k_fold_max_f32(r1, t);
        var r4 = 0.0f;
        for (var j = t; j < 36; j += 256) {
            let i1 = j;
            let r0 = k_load_bf16(b0, i0 * 36 + i1);
            let r2 = r0 - r1;
            let r3 = k_exp(r2);
            r4 = r4 + r3;
        }
        r4 = k_fold_sum_f32(r4, t);
        for (var w = t; w < 18; w += 256) {
            for (var q = 0; q < 2; q++) {
                let j = w * 2 + q;
                if (j < 36) {
                    let i1 = j;
                    let r0 = k_load_bf16(b0, i0 * 36 + i1);
                    let r2 = r0 - r1;
                    let r3 = k_exp(r2);
                    let r5 = r3 / r4;
                    k_store_bf16(b1, i0 * 36 + i1, r5);
                }
            }
        }
    }
}
