import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadBaseInstructions } from './model-instructions.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'capstan-model-instructions-'));
  writeFileSync(join(folder, 'good.md'), '\nBe brief.\n\n');
  writeFileSync(join(folder, 'blank.md'), ' \n');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the text of the file, trimmed', () => {
  expect(loadBaseInstructions({ modelInstructionsFile: join(folder, 'good.md') })).toEqual({
    baseInstructions: 'Be brief.',
  });
});

test('no key, no text', () => {
  expect(loadBaseInstructions({})).toEqual({});
});

test.each([
  ['blank.md', 'model-instructions-empty', 'is empty'],
  ['missing.md', 'model-instructions-unreadable', 'does not exist'],
  ['', 'model-instructions-unreadable', 'it is a folder'],
])('%s is a problem', (name, code, message) => {
  expect(loadBaseInstructions({ modelInstructionsFile: join(folder, name) })).toMatchObject({
    code,
    message: expect.stringContaining(message),
    next: expect.any(String),
  });
});
