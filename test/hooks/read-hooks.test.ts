import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { whenTestEnds } from '../harness/when-test-ends.ts';
import type { HookSource } from '../../src/adapters/hooks/hook-definitions.ts';
import { readHooksFile } from '../../src/adapters/hooks/load-hooks.ts';

function problemsOf(text: string, owner: HookSource['owner'] = 'user') {
  const folder = mkdtempSync(join(tmpdir(), 'capstan-hooks-test-'));
  whenTestEnds(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'hooks.json');
  writeFileSync(path, text);
  const { hooks, problems } = readHooksFile({ path, owner });
  const said = problems.map(({ severity, message, next }) => `${severity}: ${message.replace(path, 'FILE')} ${next}`);
  return [hooks.length, ...said];
}

const handler = (more: string): string => `{
  "hooks": {
    "PreToolUse": [
      { "matcher": "a,:[", "hooks": [] },
      {
        "hooks": [{ "type": "command", "command": "true",
          ${more} }]
      }
    ]
  }
}`;
const where = 'FILE:7: hook 1 in group 2 of PreToolUse';
const wrong = (sort: string, key: string, value: string, severity = 'error'): string =>
  `${severity}: ${where} must have ${sort} for "${key}", not ${value}. Correct the value, or remove the key.`;

it.each([
  ['"failClosed": true', [1]],
  [
    '"failclosed": true',
    [1, `warning: ${where} has the unknown key "failclosed". Capstan ignores the key. Did you mean "failClosed"?`],
  ],
  [
    '"colour": 1',
    [1, `warning: ${where} has the unknown key "colour". Capstan ignores the key. It has no effect; remove it.`],
  ],
  ['"failClosed": "yes"', [0, wrong('true or false', 'failClosed', '"yes"')]],
  ['"timeout": "1"', [0, wrong('a number', 'timeout', '"1"')]],
])('a key that is unknown or of the wrong sort is never passed over: %s', (more, expected) => {
  expect(problemsOf(handler(more).replace('"a,:["', '"Bash"'))).toEqual(expected);
});

it('a project cannot stop the start, and torn text is named by its place', () => {
  expect(problemsOf(handler('"async": 1').replace('"a,:["', '"Bash"'), 'project')).toEqual([
    0,
    wrong('true or false', 'async', '1', 'warning'),
  ]);
  expect(problemsOf('{ "hooks": {},\n "Stop": [] }')[1]).toMatch(/^warning: FILE:2: "Stop" is not a known key\. /);
  expect(problemsOf('{ "hooks":\n { "Stop" [] } }')[1]).toMatch(
    /^warning: FILE is no valid JSON: line 2, column \d+\. /,
  );
});
