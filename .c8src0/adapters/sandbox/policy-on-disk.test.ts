import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { expandGlobs } from './policy-on-disk.ts';

const base = mkdtempSync(join(tmpdir(), 'capstan-globs-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

for (const name of ['.env', 'a/prod.env', 'a/b/c/deep.env', 'a/plain', '.gitignore', 'secrets/x/y']) {
  mkdirSync(dirname(join(base, name)), { recursive: true });
  writeFileSync(join(base, name), '');
}
symlinkSync(join(base, 'a'), join(base, 'alias'));
symlinkSync('/etc/passwd', join(base, 'linked.env'));

async function matches(...globs: readonly string[]): Promise<unknown> {
  const expansion = await expandGlobs(globs.map((glob) => `${base}/${glob}`));
  return expansion.kind === 'matches' ? expansion.paths.map((path) => path.slice(base.length + 1)) : expansion;
}

test('finds hidden and deep names, links by their own name, and what stands behind linked folders', async () => {
  const behind = ['alias/b/c/deep.env', 'alias/prod.env'];
  expect(await matches('**/*.env')).toEqual(['.env', 'a/b/c/deep.env', 'a/prod.env', ...behind, 'linked.env']);
  expect(await matches('al*/*.env')).toEqual(['alias/prod.env']);
});

test('walks no circle of links', async () => {
  symlinkSync(base, join(base, 'a/b/up'));
  symlinkSync('../b', join(base, 'a/b/self'));
  expect(await matches('a/b/**/*.env')).toEqual(['a/b/c/deep.env']);
  rmSync(join(base, 'a/b/up'));
  rmSync(join(base, 'a/b/self'));
});

test('looks no deeper than the limit', async () => {
  const expansion = await expandGlobs([`${base}/**/*.env`], 2);
  expect(expansion).toMatchObject({
    paths: ['.env', 'a/prod.env', 'alias/prod.env', 'linked.env'].map((name) => join(base, name)),
  });
});

test('a pattern without wildcards is its path, wherever it stands', async () => {
  expect(await expandGlobs(['/etc', '/no-such-folder'])).toEqual({ kind: 'matches', paths: ['/etc'] });
});

test('a folder that matches stands for all in it', async () => {
  expect(await matches('sec*')).toEqual(['secrets']);
  expect(await matches('*/*.env', '{.env,nothing}')).toEqual(['.env', 'a/prod.env', 'alias/prod.env']);
  expect(await matches('no/such/folder/*')).toEqual([]);
});

test.each(['/**/*.env', '/*', '/{a,b}/x'])('%s reaches over the whole disk', async (glob) => {
  expect(await expandGlobs([glob])).toMatchObject({ kind: 'refused' });
});
