import { expect, test } from 'vitest';
import type { PermissionProfile } from '../../../protocol/permissions.ts';
import { writablePaths } from '../paths/access.ts';
import { grantsNoMoreThan, readOnlyProfile } from './narrower-profile.ts';
import { noOwnPlaces } from '../paths/special-places.ts';
import { builtInProfile } from './profiles.ts';
import { resolvePolicy } from './resolve-policy.ts';

const options = { network: true, writableRoots: ['/other'], excludeTmpdir: false, excludeSlashTmp: false };
const writable = builtInProfile('workspace-write', options);
const places = { cwd: '/w', workspaceRoots: ['/w'], slashTmp: true, gitDirectories: [], own: noOwnPlaces };

const profiles: readonly PermissionProfile[] = [
  writable,
  builtInProfile('read-only', options),
  { type: 'disabled' },
  { type: 'external', network: 'restricted' },
  {
    type: 'managed',
    network: 'restricted',
    file_system: {
      type: 'restricted',
      entries: [
        { path: { type: 'special', value: { kind: 'root' } }, access: 'write' },
        { path: { type: 'glob_pattern', pattern: '/w/**/*.env' }, access: 'deny' },
      ],
    },
  },
];

test.each(profiles)('%j without a place to write grants no more than before', (profile) => {
  const narrowed = readOnlyProfile(profile);
  expect(writablePaths(resolvePolicy(narrowed, places))).toEqual([]);
  // A sandbox of others says nothing about what it grants.
  expect(profile.type === 'external' || grantsNoMoreThan(profile, narrowed)).toBe(true);
  expect(readOnlyProfile(narrowed)).toEqual(narrowed);
});

test('what is denied stays denied, and the network is as it was', () => {
  const denies = profiles[4]!;
  const resolved = resolvePolicy(readOnlyProfile(denies), places);
  expect(resolved.files).toMatchObject({ denyGlobs: ['/w/**/*.env'] });
  expect(resolvePolicy(readOnlyProfile(writable), places).network).toBe('enabled');
});
