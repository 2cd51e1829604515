fn k_erf(a: f32) -> f32 {
    let x = abs(a);
    let z = a * a;
    if (x < 1.0f) {
        return a * (1.12837911f + z * (-0.376123428f + z * (0.112803169f + z * (-0.0267150551f + z * (0.00492176181f - z * 0.000564805989f)))));
    }
    if (x > 4.0f) {
        return sign(a);
    }
    let t = 1.0f / (1.0f + 0.5f * x);
    let p = 0.0012626939f + t * (0.265136689f + t * (0.375881553f + t * (-0.0245684516f + t * (0.598979115f - t * 0.216669962f))));
    return sign(a) * (1.0f - exp(-z) * p);
}
fn k_load_f32(b: u32, i: i32) -> f32 { return bitcast<f32>(words[b + u32(i)]); }
fn k_store_f32(b: u32, i: i32, v: f32) { words[b + u32(i)] = bitcast<u32>(v); }

@group(0) @binding(0) var<storage, read_write> words: array<u32>;
@group(0) @binding(1) var<uniform> args: array<vec4<u32>, 1>;
@compute @workgroup_size(256)
fn broadcast(@builtin(workgroup_id) group_id: vec3<u32>,
      @builtin(num_workgroups) group_count: vec3<u32>,
      @builtin(local_invocation_index) local: u32) {
    let t = i32(local);
    let group = i32(group_id.x + group_id.y * group_count.x);
    let groups = i32(group_count.x * group_count.y);
    let b0 = args[0].x;
    let b1 = args[0].y;
    let b2 = args[0].z;
    let b3 = args[0].w;
    let r2 = k_load_f32(b2, 0);
    let r4 = -0.5f;
    for (var e = group * 256 + t; e < 561; e += groups * 256) {
        let i1 = e % 17;
        let i0 = e / 17;
        let r0 = k_load_f32(b0, i0 * 17 + i1);
        let r1 = k_load_f32(b1, i1);
        let r3 = r0 + r1;
        let r5 = r4 * r3;
        let r6 = k_erf(r5);
        let r7 = r6 * r2 + r3;
        k_store_f32(b3, i0 * 17 + i1, r7);
    }
}
