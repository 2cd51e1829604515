fn k_bits(a: u32) -> f32 { return bitcast<f32>(a); }
fn k_nan(a: f32) -> bool { return (bitcast<u32>(a) & 0x7fffffffu) > 0x7f800000u; }
fn k_exp(a: f32) -> f32 { return exp(a); }
fn k_max(a: f32, b: f32) -> f32 { return select(b, a, k_nan(a) || (a > b && !k_nan(b))); }
fn k_load_f32(b: u32, i: i32) -> f32 { return bitcast<f32>(words[b + u32(i)]); }
fn k_store_f32(b: u32, i: i32, v: f32) { words[b + u32(i)] = bitcast<u32>(v); }
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
fn softmax(@builtin(workgroup_id) group_id: vec3<u32>,
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
        for (var j = t; j < 300; j += 256) {
            let i1 = j;
            let r0 = k_load_f32(b0, i0 * 300 + i1);
            r1 = k_max(r1, r0);
        }
        r1 = k_fold_max_f32(r1, t);
        var r4 = 0.0f;
        for (var j = t; j < 300; j += 256) {
            let i1 = j;
            let r0 = k_load_f32(b0, i0 * 300 + i1);
            let r2 = r0 - r1;
            let r3 = k_exp(r2);
            r4 = r4 + r3;
        }
        r4 = k_fold_sum_f32(r4, t);
        for (var j = t; j < 300; j += 256) {
            let i1 = j;
            let r0 = k_load_f32(b0, i0 * 300 + i1);
            let r2 = r0 - r1;
            let r3 = k_exp(r2);
            let r5 = r3 / r4;
            k_store_f32(b1, i0 * 300 + i1, r5);
        }
    }
}
