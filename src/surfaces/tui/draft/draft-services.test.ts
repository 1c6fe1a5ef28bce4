import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemPrograms } from '../../../adapters/exec/find-programs.ts';
import { systemClock } from '../../../adapters/gather/clock-and-ids.ts';
import { createPromptHistory } from '../../../adapters/rollout/prompt-history.ts';
import { type DraftServicesHost, EarlierPromptsFile } from './draft-services.ts';

let path = '';
beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), 'earlier-')), 'history.jsonl');
});
afterEach(() => rmSync(join(path, '..'), { recursive: true, force: true }));

function open(): EarlierPromptsFile {
  const options = { path, clock: systemClock, programs: systemPrograms, isOff: false, maxBytes: 0 };
  const engine = { user: { openPromptHistory: async () => createPromptHistory(options) } };
  return new EarlierPromptsFile({
    engine,
    thread: () => ({ id: 't' }),
    notice: () => {},
  } as unknown as DraftServicesHost);
}

it.each([
  ['a command that was sent here', { text: '!ls -l', capstan: { command: true } }, '!ls -l'],
  ['a message of before, which begins like one', { text: '!rm -rf x' }, ' !rm -rf x'],
  ['one that hides how it begins', { text: '\u200B\u001B[1m!rm\u202E x' }, ' !rm x'],
  ['what would be a command of the terminal', { text: '/quit it' }, ' /quit it'],
  ['a path', { text: '/tmp/x is full' }, '/tmp/x is full'],
  ['what would steer the terminal', { text: 'a\u001B]0;t\u0007b\u0000c\u009B2Jd\r\ne' }, 'abcd\ne'],
])('%s', async (_, line, recalled) => {
  writeFileSync(path, `${JSON.stringify(line)}\n`);
  expect(await open().older()).toEqual([recalled]);
});

it('what is sent comes back as what it was', async () => {
  const first = open();
  for (const text of ['!ls', ' !ls', 'words', '/status']) first.add(text);
  await first.kept;
  expect(await open().older()).toEqual(['words', ' !ls', '!ls']);
});
