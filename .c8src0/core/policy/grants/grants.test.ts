import { expect, test } from 'vitest';
import { builtInProfile } from '../profiles/profiles.ts';
import { grantsUnder, policyDigest } from './grants.ts';

const options = { network: false, writableRoots: ['/a'], excludeTmpdir: false, excludeSlashTmp: false };
const profile = builtInProfile('workspace-write', options);
const policy = { approval: 'on-request', profile } as const;

test('a grant counts under the policy that it was given under, and no other', () => {
  const given = [{ keys: ['x', 'y'], under: policyDigest(policy) }, { keys: ['z'] }];
  expect(grantsUnder(given, policy)).toEqual([{ key: 'x' }, { key: 'y' }]);
  expect(grantsUnder(given, { ...policy, approval: 'never' })).toEqual([]);
  expect(grantsUnder(given, { ...policy, profile: builtInProfile('read-only', options) })).toEqual([]);
});

test('the order of members makes no other policy', () => {
  const turned = Object.fromEntries(Object.entries(profile).toReversed()) as unknown as typeof profile;
  expect(policyDigest({ ...policy, profile: turned })).toBe(policyDigest(policy));
});
