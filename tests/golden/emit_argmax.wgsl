fn k_imax(a: i32, b: i32) -> i32 { return max(a, b); }
fn k_ieq(a: i32, b: i32) -> i32 { return select(0, 1, a == b); }
fn k_get8(b: u32, i: i32) -> u32 { return (words[b + u32(i >> 2u)] >> (8u * u32(i & 3))) & 255u; }
fn k_put8(b: u32, i: i32, v: u32) {
    let w = b + u32(i >> 2u);
    let s = 8u * u32(i & 3);
    words[w] = (words[w] & ~(255u << s)) | (v << s);
}
fn k_load_i8(b: u32, i: i32) -> i32 { return i32(k_get8(b, i) ^ 128u) - 128; }
fn k_store_i32(b: u32, i: i32, v: i32) { words[b + u32(i)] = bitcast<u32>(v); }
fn k_store_u8(b: u32, i: i32, v: i32) { k_put8(b, i, u32(v & 255)); }
fn k_ahead_i32(x: i32, i: i32, y: i32, j: i32) -> bool { return x > y || (x == y && i < j); }
fn k_found(i: i32) -> i32 { return select(i, 0, i == 2147483647); }
var<workgroup> k_tile_i32: array<i32, 256>;
var<workgroup> k_places: array<i32, 256>;
fn k_fold_max_i32(v: i32, t: i32) -> i32 {
    k_tile_i32[t] = v;
    workgroupBarrier();
    for (var s = 128; s > 0; s >>= 1u) {
        if (t < s) {
            k_tile_i32[t] = max(k_tile_i32[t], k_tile_i32[t + s]);
        }
        workgroupBarrier();
    }
    let r = k_tile_i32[0];
    workgroupBarrier();
    return r;
}
fn k_fold_argmax_i32(v: i32, place: i32, t: i32) -> i32 {
    k_tile_i32[t] = v;
    k_places[t] = place;
    workgroupBarrier();
    for (var s = 128; s > 0; s >>= 1u) {
        if (t < s) {
            if (k_ahead_i32(k_tile_i32[t + s], k_places[t + s], k_tile_i32[t], k_places[t])) {
                k_tile_i32[t] = k_tile_i32[t + s];
                k_places[t] = k_places[t + s];
            }
        }
        workgroupBarrier();
    }
    let r = k_found(k_places[0]);
    workgroupBarrier();
    return r;
}

@group(0) @binding(0) var<storage, read_write> words: array<u32>;
@group(0) @binding(1) var<uniform> args: array<vec4<u32>, 1>;
@compute @workgroup_size(256)
fn argmax(@builtin(workgroup_id) group_id: vec3<u32>,
      @builtin(num_workgroups) group_count: vec3<u32>,
      @builtin(local_invocation_index) local: u32) {
    let t = i32(local);
    let group = i32(group_id.x + group_id.y * group_count.x);
    let groups = i32(group_count.x * group_count.y);
    let b0 = args[0].x;
    let b1 = args[0].y;
    let b2 = args[0].z;
    let r2 = 3;
    for (var w = group; w < 2; w += groups) {
        for (var q = 0; q < 4; q++) {
            let e = w * 4 + q;
            if (e < 6) {
                let i0 = e;
                var m1 = (-2147483647 - 1);
                var r1 = 2147483647;
                var r4 = (-2147483647 - 1);
                for (var j = t; j < 350; j += 256) {
                    let i2 = j % 70;
                    let i1 = j / 70;
                    let r0 = k_load_i8(b0, i0 * 350 + i1 + i2 * 5);
                    let r3 = k_ieq(r0, r2);
                    let p1 = i32(j);
                    if (k_ahead_i32(r0, p1, m1, r1)) { m1 = r0; r1 = p1; }
                    r4 = k_imax(r4, r3);
                }
                r1 = k_fold_argmax_i32(m1, r1, t);
                r4 = k_fold_max_i32(r4, t);
                if (t == 0) {
                    k_store_i32(b1, i0, r1);
                    k_store_u8(b2, i0, r4);
                }
            }
        }
    }
}
