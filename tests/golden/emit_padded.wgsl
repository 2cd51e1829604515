fn k_bits(a: u32) -> f32 { return bitcast<f32>(a); }
fn k_exp(a: f32) -> f32 { return exp(a); }
fn k_load_f32(b: u32, i: i32) -> f32 { return bitcast<f32>(words[b + u32(i)]); }
fn k_store_f32(b: u32, i: i32, v: f32) { words[b + u32(i)] = bitcast<u32>(v); }
fn k_store_i32(b: u32, i: i32, v: i32) { words[b + u32(i)] = bitcast<u32>(v); }

@group(0) @binding(0) var<storage, read_write> words: array<u32>;
@group(0) @binding(1) var<uniform> args: array<vec4<u32>, 1>;
@compute @workgroup_size(256)
fn padded(@builtin(workgroup_id) group_id: vec3<u32>,
      @builtin(num_workgroups) group_count: vec3<u32>,
      @builtin(local_invocation_index) local: u32) {
    let t = i32(local);
    let group = i32(group_id.x + group_id.y * group_count.x);
    let groups = i32(group_count.x * group_count.y);
    let b0 = args[0].x;
    let b1 = args[0].y;
    let b2 = args[0].z;
    for (var e = group * 256 + t; e < 36; e += groups * 256) {
        let i1 = e % 9;
        let i0 = e / 9;
        var r0 = k_bits(0xff800000u);
        if (i1 >= 2 && i1 < 8) {
            r0 = k_load_f32(b0, i0 * 6 + i1 - 2);
        }
        let r1 = k_exp(r0);
        var r2 = -7;
        if (i1 >= 2 && i1 < 8) {
            r2 = i32(i0 * 10 + i1 - 2);
        }
        k_store_f32(b1, i0 * 9 + i1, r1);
        k_store_i32(b2, i0 * 9 + i1, r2);
    }
}
