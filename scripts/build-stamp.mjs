// Tells if dist/ was built from the sources as they are now. Contents count, not times: a checkout changes times.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const configuration = [
  'package-lock.json',
  'rolldown.config.mjs',
  'scripts/as-script.mjs',
  'scripts/build.mjs',
  'scripts/exec-sources.mjs',
  'scripts/late-sources.mjs',
  'scripts/plain-characters.mjs',
  'tsconfig.json',
];
const stampFile = (root) => join(root, 'dist', '.stamp');
const outputs = [
  'dist/bin.cjs',
  'dist/apply-patch.js',
  'dist/keep-variables.js',
  'dist/commands/apply_patch',
  'dist/index.js',
  'dist/wasm/tree-sitter-bash.wasm',
  'dist/wasm/web-tree-sitter.wasm',
  'dist/wasm/resize-worker.cjs',
  'dist/wasm/photon_rs_bg.wasm',
  'dist/testing.js',
];

export function isBuilt(root) {
  if (!outputs.every((name) => existsSync(join(root, name)))) return false;
  return readStamp(root)?.fingerprint === buildFingerprint(root);
}

/** Sources and outputs of the last build: { fingerprint, files }. Undefined if that is unknown. */
export function readStamp(root) {
  try {
    return JSON.parse(readFileSync(stampFile(root), 'utf8'));
  } catch {
    return undefined;
  }
}

export function writeStamp(root, stamp) {
  writeFileSync(`${stampFile(root)}.tmp`, JSON.stringify(stamp));
  renameSync(`${stampFile(root)}.tmp`, stampFile(root));
}

export function buildFingerprint(root) {
  const hash = createHash('sha256');
  for (const name of [...configuration, ...sources(root, 'src')]) {
    hash
      .update(`${name}\0`)
      .update(readFileSync(join(root, name)))
      .update('\0');
  }
  return hash.digest('hex');
}

function sources(root, folder) {
  const names = [];
  const entries = existsSync(join(root, folder)) ? readdirSync(join(root, folder), { withFileTypes: true }) : [];
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const name = `${folder}/${entry.name}`;
    if (entry.isDirectory()) names.push(...sources(root, name));
    else if (!entry.name.endsWith('.test.ts')) names.push(name);
  }
  return names;
}
