import { defineConfig } from 'rolldown';

// Node's own modules are the only externals: a package that is bundled costs no module resolution at start-up.
const shared = {
  platform: 'node',
  tsconfig: './tsconfig.json',
};

const output = {
  dir: 'dist',
  format: 'esm',
  entryFileNames: '[name].js',
  // The hash in the name lets a new build stand beside the chunks of a process that still runs (scripts/build.mjs).
  chunkFileNames: 'chunks/[name]-[hash].js',
};

// The command and the library are built apart: what the library shares among its entries
// must not cut the command's code into pieces that are loaded one by one at start-up.
export default defineConfig([
  { ...shared, input: { bin: 'src/bin.ts' }, output },
  { ...shared, input: { index: 'src/index.ts', testing: 'src/testing/index.ts' }, output },
]);
