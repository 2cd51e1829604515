// wgsl.mjs - runs emitted WGSL kernels without a browser: node, with the npm package "webgpu"
// (Dawn).
//
//   node tests/web/wgsl.mjs FOLDER
//
// FOLDER/cases has a line per kernel: its name, groups in x and y, then the first word of each
// buffer. NAME.wgsl is the text, NAME.in the words of memory; NAME.out gets the words afterwards.
// Exit status 77, with a line that says why, where the package or an adapter is missing; 1 when a
// kernel is refused. The package is looked for where node looks, and in NODE_PATH.
import { createRequire } from 'node:module';
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

function leave(status, text) {
    console.log(text);
    process.exit(status);
}

let webgpu;
try {
    const path = createRequire(import.meta.url).resolve('webgpu');
    webgpu = await import(pathToFileURL(path));
} catch (e) {
    leave(77, 'the npm package webgpu is not there (' + e.code + ')');
}
Object.assign(globalThis, webgpu.globals);
const gpu = webgpu.create([]); // kept: devices die with it
const adapter = await gpu.requestAdapter().catch(() => null);
if (!adapter) leave(77, 'no WebGPU adapter; VK_DRIVER_FILES may name a software driver');
const device = await adapter.requestDevice();

const buffer = (words, usage) => {
    const b = device.createBuffer({ size: words.byteLength, usage, mappedAtCreation: true });
    new Uint8Array(b.getMappedRange()).set(words);
    b.unmap();
    return b;
};
const visibility = GPUShaderStage.COMPUTE;
const layout = device.createBindGroupLayout({ entries: [
    { binding: 0, visibility, buffer: { type: 'storage' } },
    { binding: 1, visibility, buffer: { type: 'uniform' } },
] });

async function run(folder, name, x, y, first) {
    device.pushErrorScope('validation');
    const code = readFileSync(`${folder}/${name}.wgsl`, 'utf8');
    const module = device.createShaderModule({ code });
    const pipeline = await device.createComputePipelineAsync({
        layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
        compute: { module, entryPoint: name },
    }).catch(e => leave(1, `${name}: ${e.message}`));
    const usage = GPUBufferUsage;
    const words = buffer(readFileSync(`${folder}/${name}.in`), usage.STORAGE | usage.COPY_SRC);
    const numbers = new Uint32Array(Math.max(4, Math.ceil(first.length / 4) * 4));
    numbers.set(first);
    const args = buffer(new Uint8Array(numbers.buffer), usage.UNIFORM);
    const out = device.createBuffer({ size: words.size, usage: usage.MAP_READ | usage.COPY_DST });
    const commands = device.createCommandEncoder(), pass = commands.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, device.createBindGroup({ layout, entries: [
        { binding: 0, resource: { buffer: words } },
        { binding: 1, resource: { buffer: args } },
    ] }));
    pass.dispatchWorkgroups(x, y);
    pass.end();
    commands.copyBufferToBuffer(words, 0, out, 0, words.size);
    device.queue.submit([commands.finish()]);
    const error = await device.popErrorScope();
    if (error) leave(1, `${name}: ${error.message}`);
    await out.mapAsync(GPUMapMode.READ);
    writeFileSync(`${folder}/${name}.out`, new Uint8Array(out.getMappedRange()));
    for (const b of [words, args, out]) b.destroy();
}

const folder = process.argv[2];
for (const line of readFileSync(`${folder}/cases`, 'utf8').split('\n').filter(l => l)) {
    const [name, x, y, ...first] = line.split(' ');
    await run(folder, name, +x, +y, first.map(Number));
}
leave(0, `${adapter.info.architecture || adapter.info.vendor}`);
