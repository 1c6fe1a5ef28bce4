import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadEnvFile, parseUnsetVariables } from './home.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'capstan-env-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

test('only what the environment lacks is taken, and never our own variables', () => {
  const text = `# keys
OPENAI_API_KEY=sk-from-file
export QUOTED="two words"
SINGLE='a # b'
EMPTY=
SET=from file
BLANK=from file
CODEX_HOME=/elsewhere
CAPSTAN_HOME=/elsewhere
codex_api_key=x
`;
  expect(parseUnsetVariables(text, { SET: 'already', BLANK: '' })).toEqual({
    OPENAI_API_KEY: 'sk-from-file',
    QUOTED: 'two words',
    SINGLE: 'a # b',
    EMPTY: '',
  });
});

test('the file in the home folder fills the gaps', () => {
  const env = { PATH: '/bin' };
  expect(loadEnvFile(home, env)).toEqual({ env, problems: [] });
  writeFileSync(join(home, '.env'), 'PATH=/other\nKEY=1\n');
  expect(loadEnvFile(home, env)).toEqual({ env: { PATH: '/bin', KEY: '1' }, problems: [] });
});

test('one that cannot be read is reported', () => {
  mkdirSync(join(home, '.env'));
  expect(loadEnvFile(home, {})).toMatchObject({
    env: {},
    problems: [{ severity: 'warning', source: join(home, '.env') }],
  });
});
