import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { applyPatchHere } from '../src/engine/workspace/patch-command.ts';

const scenarios = join(import.meta.dirname, 'fixtures/apply-patch');

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'capstan-scenario-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Each scenario has a patch, the tree before it (`input`) and the tree after it (`expected`); a missing tree is empty. */
test.each(readdirSync(scenarios))('%s', (name) => {
  const scenario = join(scenarios, name);
  if (existsSync(join(scenario, 'input'))) cpSync(join(scenario, 'input'), folder, { recursive: true });
  applyPatchHere({
    words: [readFileSync(join(scenario, 'patch.txt'), 'utf8')],
    calledAs: 'command',
    folder,
    readStandardInput: () => new Uint8Array(),
  });
  expect(treeOf(folder)).toEqual(treeOf(join(scenario, 'expected')));
});

function treeOf(root: string): Readonly<Record<string, string>> {
  const names = existsSync(root) ? readdirSync(root, { recursive: true, encoding: 'utf8' }).toSorted() : [];
  return Object.fromEntries(
    names.map((name) => {
      const path = join(root, name);
      return [name, statSync(path).isDirectory() ? 'folder' : readFileSync(path, 'latin1')];
    }),
  );
}
