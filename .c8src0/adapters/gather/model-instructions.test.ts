import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadInstructionFiles } from './instruction-files.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'capstan-model-instructions-'));
  writeFileSync(join(folder, 'good.md'), '\nBe brief.\n\n');
  writeFileSync(join(folder, 'blank.md'), ' \n');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the text of the file, trimmed', () => {
  expect(loadInstructionFiles({ modelInstructionsFile: join(folder, 'good.md') })).toEqual({
    baseInstructions: 'Be brief.',
  });
});

test('the prompt of a compaction from a file', () => {
  expect(loadInstructionFiles({ experimentalCompactPromptFile: join(folder, 'good.md') })).toEqual({
    compactPrompt: 'Be brief.',
  });
  expect(loadInstructionFiles({ experimentalCompactPromptFile: join(folder, 'blank.md') })).toEqual({
    code: 'compact-prompt-empty',
    message: `The file in experimental_compact_prompt_file is empty: ${join(folder, 'blank.md')}`,
    next: 'Write the text into it, or remove the key.',
  });
  expect(loadInstructionFiles({ experimentalCompactPromptFile: join(folder, 'missing.md') })).toMatchObject({
    code: 'compact-prompt-unreadable',
  });
});

test('no key, no text', () => {
  expect(loadInstructionFiles({})).toEqual({});
});

test.each([
  ['blank.md', 'model-instructions-empty', 'is empty'],
  ['missing.md', 'model-instructions-unreadable', 'does not exist'],
  ['', 'model-instructions-unreadable', 'it is a folder'],
])('%s is a problem', (name, code, message) => {
  expect(loadInstructionFiles({ modelInstructionsFile: join(folder, name) })).toMatchObject({
    code,
    message: expect.stringContaining(message),
    next: expect.any(String),
  });
});
