import { expect, it } from 'vitest';
import { isForTerminal } from './run-command-line.ts';

it.each([
  [['say hello'], true],
  [['say hello', '-s', 'read-only'], true],
  [['-s', 'read-only', 'say hello'], true],
  [['say hello', 'exec'], false],
  [['exec', 'say hello'], false],
  [['resume'], false],
  [[], false],
])('%j: %s', (words, isIt) => {
  expect(isForTerminal(words)).toBe(isIt);
});
