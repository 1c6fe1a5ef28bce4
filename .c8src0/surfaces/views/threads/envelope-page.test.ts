import { expect, test } from 'vitest';
import { envelopeFields } from './envelope-page.ts';

test.each([
  ['as it is recorded now', { approvals: 'user', sandbox: 'flags' }],
  ['as older threads recorded it', { approval: 'user', profile: 'flags' }],
])('a policy says who chose it, %s', (_when, origins) => {
  const policy = { approval: 'never', profile: { type: 'disabled' } };
  const shown = envelopeFields({ policy, telemetry: { origins } });
  const chosen = shown.filter(({ field }) => field.startsWith('policy.')).map(({ field, origin }) => [field, origin]);
  expect(chosen).toEqual([
    ['policy.approval', 'user'],
    ['policy.profile', 'flags'],
  ]);
});
