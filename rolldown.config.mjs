import { defineConfig } from 'rolldown';
import { asCommonJs } from './scripts/as-common-js.mjs';
import { asScripts } from './scripts/as-script.mjs';
import { builtinPrefix, execSources } from './scripts/exec-sources.mjs';
import { lateSources } from './scripts/late-sources.mjs';
import { plainCharacters } from './scripts/plain-characters.mjs';

/** No start needs these modules before its first request. Of them, functions are used and no classes. */
const loadedOnUse = new Set(['node:child_process', 'node:crypto']);

/**
 * Node's own modules are taken with `process.getBuiltinModule` instead of being imported: an ESM import evaluates every
 * export of a module, and for `node:fs` that loads the streams. Only the names that are used stay in the bundle.
 */
const builtins = {
  name: 'builtins',
  resolveId: {
    filter: { id: /^node:/ },
    // own-node.ts runs on versions of Node that have no `getBuiltinModule`.
    handler: (id, importer) =>
      importer?.endsWith('/own-node.ts')
        ? { id, external: true }
        : { id: builtinPrefix + id, moduleSideEffects: false },
  },
  load: {
    filter: { id: /^\0builtin:/ },
    handler(id) {
      const name = id.slice(builtinPrefix.length);
      const builtin = process.getBuiltinModule(name);
      const exported = Object.keys(builtin).filter((key) => /^[A-Za-z_$][\w$]*$/.test(key));
      if (loadedOnUse.has(name)) {
        return [
          ...exported
            .filter((key) => /^[a-z]/.test(key) && typeof builtin[key] === 'function')
            .map((key) => `export const ${key} = (...given) => process.getBuiltinModule('${name}').${key}(...given);`),
          `export default /* @__PURE__ */ new Proxy({}, { get: (_, key) => process.getBuiltinModule('${name}')[key] });`,
        ].join('\n');
      }
      return [
        `const builtin = process.getBuiltinModule('${name}');`,
        ...exported.map((key) => `export const ${key} = /* @__PURE__ */ (() => builtin.${key})();`),
        'export default builtin;',
      ].join('\n');
    },
  },
};

/**
 * Packages write nothing: what they say may hold secrets and control characters of strangers, and standard output may
 * carry a protocol. They get a console that does nothing.
 */
const quietPackages = {
  name: 'quiet-packages',
  transform: {
    filter: { id: /\/node_modules\//, code: /\bconsole\b/ },
    handler: (code) => `const console = new Proxy({}, { get: () => () => {} });\n${code}`,
  },
};

// Node's own modules are the only externals: a package that is bundled costs no module resolution at start-up.
const shared = {
  platform: 'node',
  tsconfig: './tsconfig.json',
  // web-tree-sitter has code for C macros that no grammar of ours uses.
  checks: { eval: false },
  // ws looks for native helpers that it does not need: in whatever folder above the program has one of that name.
  transform: {
    define: { 'process.env.WS_NO_BUFFER_UTIL': '"1"', 'process.env.WS_NO_UTF_8_VALIDATE': '"1"' },
  },
};

const output = {
  dir: 'dist',
  format: 'esm',
  entryFileNames: '[name].js',
  // The hash in the name lets a new build stand beside the chunks of a process that still runs (scripts/build.mjs).
  chunkFileNames: 'chunks/[name]-[hash].js',
};

/**
 * What `exec` needs comes in two files: every file more costs a resolution and a read. What is only loaded on use stays
 * out of them: every line more is read and compiled. The command itself stays thin.
 */
const exec = execSources(await lateSources());

/** What every start parses and digests with. The bundler's own helpers must not stand in a chunk of theirs. */
const everyStart = /\/smol-toml\/|\/@noble\/hashes\/|rolldown\/runtime/;

/**
 * The command apply_patch has a copy of its own of what it needs. Loading what `exec` needs would cost it 15 ms.
 */
const patchCommand = {
  name: 'patch-command',
  resolveId: {
    filter: { id: /\/run-apply-patch\.ts$/ },
    handler: () => ({ id: './apply-patch.js', external: true }),
  },
};

/** The last hand on a command's files, after the minifier's. */
const quickToLoad = {
  name: 'quick-to-load',
  generateBundle(_options, bundle) {
    const chunks = Object.values(bundle).filter(({ type }) => type === 'chunk');
    for (const chunk of chunks) chunk.code = plainCharacters(chunk.code);
    const named = (name) => chunks.find((chunk) => chunk.name === name);
    const [program, first, later, entry] = ['bin', 'exec', 'later', 'run-exec'].map(named);
    if (program === undefined) return;
    // A run that asks no model compiles little of what a start needs.
    const isWorthKeeping = `()=>process.getActiveResourcesInfo().includes('TCPSocketWrap')`;
    delete bundle[program.fileName];
    const emitProgram = (code) => this.emitFile({ type: 'asset', fileName: 'bin.cjs', source: asCommonJs(code) });
    if (later === undefined) return void emitProgram(program.code);
    const made = asScripts({ program, first, later, entry, keptBy: ['exec', 'e'], kinds: ['resume'], isWorthKeeping });
    for (const { name, code } of made.scripts)
      this.emitFile({ type: 'asset', fileName: `chunks/${name}`, source: code });
    emitProgram(made.program);
    first.code = made.first;
    later.code = made.later;
    entry.code = made.entry;
  },
};

// The command and the library are built apart: what the library shares among its entries
// must not cut the command's code into pieces that are loaded one by one at start-up.
export default defineConfig([
  {
    ...shared,
    input: { bin: 'src/bin.ts' },
    // Groups without their imports need it. The command's own file exports nothing.
    preserveEntrySignatures: 'allow-extension',
    plugins: [quietPackages, builtins, patchCommand, quickToLoad],
    optimization: { inlineConst: true },
    output: {
      ...output,
      minify: true,
      codeSplitting: {
        includeDependenciesRecursively: false,
        groups: [
          { name: 'exec', test: (id) => everyStart.test(id) || exec.first.has(id) },
          { name: 'later', test: (id) => exec.later.has(id) },
        ],
      },
    },
  },
  {
    ...shared,
    input: { 'apply-patch': 'src/surfaces/cli/run-apply-patch.ts' },
    plugins: [quietPackages, builtins, quickToLoad],
    optimization: { inlineConst: true },
    output: { ...output, minify: true },
  },
  {
    ...shared,
    // Started by a login shell, once an hour at most.
    input: { 'keep-variables': 'src/adapters/exec/login-shell/keep-variables.ts' },
    plugins: [quietPackages, builtins],
    output: { ...output, minify: true },
  },
  {
    ...shared,
    // Becomes a command that Landlock holds.
    input: { 'landlock-helper': 'src/adapters/sandbox/linux/landlock-helper.ts' },
    plugins: [quietPackages, builtins],
    output: { ...output, minify: true },
  },
  {
    ...shared,
    // Runs in a thread of its own. The decoder's module stands beside it, where the package's code looks for it.
    input: { 'resize-worker': 'src/adapters/gather/files/resize-worker.ts' },
    plugins: [quietPackages],
    output: { ...output, entryFileNames: 'wasm/[name].cjs', format: 'cjs', minify: true },
  },
  { ...shared, input: { index: 'src/index.ts', testing: 'src/testing/index.ts' }, plugins: [quietPackages], output },
]);
