import { execFile } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { answer, say } from '../../../src/testing/index.ts';
import { inputOf, textsOf } from '../items.ts';
import { stage, variablesFor } from './stage.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/exec.md'), 'utf8');
const example = /^## With the SDK$.*?^```ts\n(?<code>.*?)^```$/ms.exec(page)?.groups?.['code'] ?? '';

it('the example in docs/exec.md does what it says', async () => {
  const { model, place } = await stage('capstan', [answer({ items: [say('It was the clock.')] })]);
  symlinkSync(join(import.meta.dirname, '../node_modules'), join(place.workspace, 'node_modules'));
  writeFileSync(join(place.workspace, 'example.mts'), example);
  const { PATH, ...variables } = variablesFor(place, 'capstan');
  const { stdout } = await promisify(execFile)(process.execPath, ['example.mts'], {
    cwd: place.workspace,
    env: { ...variables, PATH: `${place.root}${delimiter}${PATH}` },
  });
  expect(stdout).toBe('It was the clock.\n');
  expect(textsOf(inputOf(model, 0)).at(-1)).toBe('Find out why the login test fails and fix it.');
});
