// Bundles src/ into dist/ without ever taking a file away from a capstan that is running.
// With --clean nothing of earlier builds stays: for the package that is published.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import configurations from '../rolldown.config.mjs';
import { buildFingerprint, readStamp, writeStamp } from './build-stamp.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const executable = 'bin.cjs';
const shebang = '#!/usr/bin/env node\n';
/** The program that commands of the model find on their path (src/adapters/tools/apply-patch). */
const patchProgram = `#!/bin/sh
exec "\${CAPSTAN_NODE:-node}" "\${0%/*}/../bin.cjs" apply_patch "$@"
`;
const patchPrograms = ['commands/apply_patch', 'commands/applypatch'];
/** The reader of shell scripts (src/adapters/exec/shell-reader.ts). Of these packages the program needs nothing else at run time. */
const wasmFiles = [
  import.meta.resolve('web-tree-sitter/web-tree-sitter.wasm'),
  import.meta.resolve('tree-sitter-bash/tree-sitter-bash.wasm'),
];
/** The decoder of pictures (src/adapters/gather/files/resize-worker.ts). Its code is bundled, and its licence copied with that. */
const pictureModule = import.meta.resolve('@silvia-odwyer/photon-node/photon_rs_bg.wasm');
/** A running process imports its chunks late, so they stay this long after the build that replaced them. */
const keepOldChunks = 24 * 60 * 60 * 1000;

process.chdir(root);
if (process.argv.includes('--clean')) await rm(dist, { recursive: true, force: true });
// Taken before the sources are read: a file that changes meanwhile makes the stamp stale, never wrong.
const fingerprint = buildFingerprint(root);
const files = await bundle().catch((error) => {
  // The message holds the place in the source; the stack is the bundler's own.
  console.error(error.message);
  process.exit(1);
});

// Chunks before entries: no entry ever points at a chunk that is not there yet.
const entriesLast = [...files.keys()].toSorted((a, b) => Number(b.includes('/')) - Number(a.includes('/')));
for (const name of entriesLast) await writeIfChanged(name, files.get(name));
await removeOldChunks();
writeStamp(root, { fingerprint, files: [...files.keys()] });

/** The content of every output file by its name in dist/. */
async function bundle() {
  const outputs = new Map();
  const bundled = new Set();
  for (const { output, ...input } of configurations) {
    const build = await rolldown(input);
    const generated = await build.generate(output);
    await build.close();
    for (const file of generated.output) outputs.set(file.fileName, file.type === 'chunk' ? file.code : file.source);
    for (const file of generated.output) for (const name of packagesIn(file)) bundled.add(name);
  }
  for (const name of patchPrograms) outputs.set(name, patchProgram);
  // Licences ask for their text beside every copy.
  for (const name of bundled) {
    const folder = join(root, 'node_modules', name);
    const copy = `${name.replace('/', '-')}.txt`;
    const shipped = (await readdir(folder)).find((file) => /^licen[cs]e/i.test(file));
    const licence = shipped === undefined ? join(root, 'scripts/licenses', copy) : join(folder, shipped);
    if (!existsSync(licence)) throw new Error(`The bundled package ${name} has no licence to copy.`);
    outputs.set(`licenses/${copy}`, await readFile(licence));
  }
  for (const url of wasmFiles) {
    outputs.set(`wasm/${basename(url)}`, await readFile(new URL(url)));
    // Their licences likewise.
    outputs.set(`wasm/${basename(url, '.wasm')}.LICENSE`, await readFile(new URL('LICENSE', url)));
  }
  outputs.set(`wasm/${basename(pictureModule)}`, await readFile(new URL(pictureModule)));
  return outputs;
}

/** The packages that a chunk has code of. */
function packagesIn(file) {
  const paths = file.type === 'chunk' ? file.moduleIds : [];
  return paths.flatMap((path) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []);
}

async function writeIfChanged(name, content) {
  const path = join(dist, name);
  const code = Buffer.from(name === executable && !content.startsWith('#!') ? shebang + content : content);
  if ((await readFile(path).catch(() => undefined))?.equals(code)) return;
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${createHash('sha256').update(code).digest('hex').slice(0, 8)}.tmp`;
  await writeFile(temporary, code, { mode: code.subarray(0, 2).equals(Buffer.from('#!')) ? 0o755 : 0o644 });
  await rename(temporary, path);
}

async function removeOldChunks() {
  const previous = readStamp(root)?.files ?? [];
  const now = new Date();
  for (const chunk of await readdir(join(dist, 'chunks')).catch(() => [])) {
    const name = `chunks/${chunk}`;
    const path = join(dist, name);
    if (files.has(name)) continue;
    // The time of a replaced chunk is the time of its replacement.
    if (previous.includes(name)) await utimes(path, now, now);
    else if (now - (await stat(path)).mtime > keepOldChunks) await rm(path);
  }
}
