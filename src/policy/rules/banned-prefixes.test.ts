import { expect, test } from 'vitest';
import { isBannedPrefix } from './banned-prefixes.ts';

test.each([
  '',
  'bash',
  'bash -c',
  'bash -lc ls',
  '/bin/zsh',
  'python3',
  'python3.12 -c print(1)',
  'python -',
  'py -3',
  'node -e 1',
  'pwsh -Command ls',
  'powershell.exe -File',
  'cmd.exe /c dir',
  'perl -e 1',
  'deno eval 1',
  'git',
  '/usr/bin/git',
  'sudo',
  'env',
  'rm',
  'npm run',
])('%j is too wide', (prefix) => {
  expect(isBannedPrefix(prefix.split(' '))).toBe(true);
});

test.each([
  'git status',
  'npm run lint',
  'python setup.py',
  'py -3 x.py',
  'rm -r build',
  'bash x.sh',
  'ls',
  'node x.js',
])('%j is not', (prefix) => {
  expect(isBannedPrefix(prefix.split(' '))).toBe(false);
});
