import { expect, test } from 'vitest';
import { serverEnvironment } from './open-transport.ts';

test('a server gets what every program needs, what its configuration names, and nothing of ours', () => {
  const ours = { PATH: '/bin', HOME: '/me', OPENAI_API_KEY: 'k', CAPSTAN_HOME: '/h', DB: 'd', EMPTY: undefined };
  expect(
    serverEnvironment({ env: { MODE: 'ro', HOME: '/other' }, passed: ['DB', 'CAPSTAN_HOME', 'NONE'] }, ours),
  ).toEqual({
    PATH: '/bin',
    HOME: '/other',
    DB: 'd',
    MODE: 'ro',
  });
});
