import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { whenTestEnds } from '../harness/when-test-ends.ts';

const root = resolve(import.meta.dirname, '../..');

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'capstan-wasm-'));
  whenTestEnds(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('the package has the files of the parser, as they were published', () => {
  for (const name of ['web-tree-sitter', 'tree-sitter-bash']) {
    const built = readFileSync(join(root, `dist/wasm/${name}.wasm`));
    expect(built.equals(readFileSync(join(root, `node_modules/${name}/${name}.wasm`)))).toBe(true);
  }
});

test('scripts are read without node_modules, bundled and minified', () => {
  const [sources, program] = [temporaryFolder(), temporaryFolder()];
  const loader = join(root, 'src/adapters/exec/shell-reader.ts');
  writeFileSync(
    join(sources, 'main.ts'),
    `import { createShellReaderLoader } from ${JSON.stringify(loader)};
    const clock = { now: () => Date.now(), sleep: () => Promise.resolve() };
    const reader = await createShellReaderLoader({ root: process.cwd(), clock })();
    console.log(JSON.stringify(reader.read('ls -l')));`,
  );
  // In a process of its own: the bundler leaves its listeners behind.
  writeFileSync(
    join(sources, 'build.mjs'),
    `import { rolldown } from ${JSON.stringify(join(root, 'node_modules/rolldown/dist/index.mjs'))};
    const build = await rolldown({ input: 'main.ts', platform: 'node', checks: { eval: false } });
    await build.write({ dir: ${JSON.stringify(join(program, 'dist'))}, entryFileNames: 'main.mjs', minify: true });`,
  );
  symlinkSync(join(root, 'node_modules'), join(sources, 'node_modules'));
  execFileSync(process.execPath, ['build.mjs'], { cwd: sources });
  cpSync(join(root, 'dist/wasm'), join(program, 'dist/wasm'), { recursive: true });
  const printed = execFileSync(process.execPath, ['dist/main.mjs'], { cwd: program, encoding: 'utf8' });
  const word = (source: string) => ({ source, inside: [] });
  expect(JSON.parse(printed)).toEqual({
    body: {
      kind: 'block',
      parts: [
        {
          node: { kind: 'command', assignments: [], words: [word('ls'), word('-l')], redirections: [] },
          end: ';',
        },
      ],
    },
  });
});
