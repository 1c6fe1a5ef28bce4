import { expect, test } from 'vitest';
import { isWsl1 } from './find-bubblewrap.ts';

test.each([
  ['Linux version 4.4.0-19041-Microsoft (Microsoft@Microsoft.com) (gcc version 5.4.0)', true],
  ['Linux version 4.4.0-microsoft-standard-WSL1', true],
  ['Linux version 5.15.90.1-microsoft-standard-WSL2 (oe-user@oe-host)', false],
  ['Linux version 6.6.87.2-microsoft-standard-WSL3', false],
  ['Linux version 5.4.0-microsoft-standard', false],
  ['Linux version 5.15.0-wsl12', false],
  ['Linux version 6.18.44 (builder@host) (gcc 15.3.0)', false],
  ['', false],
])('%s', (version, expected) => {
  expect(isWsl1(version)).toBe(expected);
});
