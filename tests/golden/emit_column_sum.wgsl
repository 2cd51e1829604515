fn k_bits(a: u32) -> f32 { return bitcast<f32>(a); }
fn k_nan(a: f32) -> bool { return (bitcast<u32>(a) & 0x7fffffffu) > 0x7f800000u; }
fn k_max(a: f32, b: f32) -> f32 { return select(b, a, k_nan(a) || (a > b && !k_nan(b))); }
fn k_lt(a: f32, b: f32) -> i32 { return select(0, 1, a < b); }
fn k_put8(b: u32, i: i32, v: u32) {
    let w = b + u32(i >> 2u);
    let s = 8u * u32(i & 3);
    words[w] = (words[w] & ~(255u << s)) | (v << s);
}
fn k_load_f32(b: u32, i: i32) -> f32 { return bitcast<f32>(words[b + u32(i)]); }
fn k_store_f32(b: u32, i: i32, v: f32) { words[b + u32(i)] = bitcast<u32>(v); }
fn k_store_u8(b: u32, i: i32, v: i32) { k_put8(b, i, u32(v & 255)); }

@group(0) @binding(0) var<storage, read_write> words: array<u32>;
@group(0) @binding(1) var<uniform> args: array<vec4<u32>, 1>;
@compute @workgroup_size(256)
fn column_sum(@builtin(workgroup_id) group_id: vec3<u32>,
      @builtin(num_workgroups) group_count: vec3<u32>,
      @builtin(local_invocation_index) local: u32) {
    let t = i32(local);
    let group = i32(group_id.x + group_id.y * group_count.x);
    let groups = i32(group_count.x * group_count.y);
    let b0 = args[0].x;
    let b1 = args[0].y;
    let b2 = args[0].z;
    let b3 = args[0].w;
    let r9 = 0.0f;
    for (var w = group * 256 + t; w < 11; w += groups * 256) {
        for (var q = 0; q < 4; q++) {
            let e = w * 4 + q;
            if (e < 42) {
                let i2 = e % 21;
                let i0 = e / 21;
                let r1 = k_load_f32(b1, i2);
                var r3 = 0.0f;
                var r4 = k_bits(0xff800000u);
                for (var i1 = 0; i1 < 19; i1++) {
                    let r0 = k_load_f32(b0, i0 * 399 + i1 * 21 + i2);
                    let r2 = r0 * r1;
                    r3 = r3 + r2;
                    r4 = k_max(r4, r0);
                }
                let r10 = k_lt(r3, r9);
                var r6 = 1.0f;
                for (var i1 = 0; i1 < 19; i1++) {
                    let r0 = k_load_f32(b0, i0 * 399 + i1 * 21 + i2);
                    let r5 = r0 - r4;
                    r6 = r6 * r5;
                }
                let r7 = r3 + r6;
                k_store_f32(b2, i0 * 21 + i2, r7);
                k_store_u8(b3, i0 * 21 + i2, r10);
            }
        }
    }
}
