import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PermissionProfile } from '../../protocol/permissions.ts';
import { accessAt } from './paths/access.ts';
import {
  brokenApprovalRequirement,
  brokenProfileRequirement,
  brokenSandboxRequirement,
  noRequirements,
  replacementMode,
  type ManagedRequirements,
  withDeniedReads,
  withoutDeniedReads,
} from './requirements.ts';
import { type SandboxLevel, profileSandboxLevel } from './profiles/profile-entries.ts';
import { builtInProfile } from './profiles/profiles.ts';
import { resolvePolicy } from './profiles/resolve-policy.ts';
import { noOwnPlaces } from './paths/special-places.ts';

const none = { network: false, writableRoots: [], excludeTmpdir: false, excludeSlashTmp: false };
const places = { cwd: '/repo', workspaceRoots: ['/repo'], slashTmp: true, gitDirectories: [], own: noOwnPlaces };
const writes = (path: string): PermissionProfile => ({
  type: 'managed',
  file_system: { type: 'restricted', entries: [{ path: { type: 'path', path }, access: 'write' }] },
  network: 'restricted',
});

test.each<[string, PermissionProfile, SandboxLevel]>([
  ['no sandbox', { type: 'disabled' }, 'danger-full-access'],
  [
    'no limits',
    { type: 'managed', file_system: { type: 'unrestricted' }, network: 'restricted' },
    'danger-full-access',
  ],
  ['another sandbox', { type: 'external', network: 'enabled' }, 'external-sandbox'],
  ['the root by its symbol', withDeniedReads(denying('/secret'), { type: 'disabled' }), 'danger-full-access'],
  ['the root by a crooked path', writes('/a/..//'), 'danger-full-access'],
  ['one folder', writes('/a'), 'workspace-write'],
  ['the workspace', builtInProfile('workspace-write', none), 'workspace-write'],
  ['nothing', builtInProfile('read-only', none), 'read-only'],
])('who may write %s is %s wide', (_, profile, width) => {
  expect(profileSandboxLevel(profile)).toBe(width);
});

test('an entry of a foreign shape makes nothing wider', () => {
  const entries = [{ access: 'write' }, null] as never;
  expect(
    profileSandboxLevel({ type: 'managed', file_system: { type: 'restricted', entries }, network: 'restricted' }),
  ).toBe('read-only');
});

function denying(...patterns: readonly string[]): ManagedRequirements {
  return { denyRead: { patterns, source: '/etc/requirements.toml' } };
}

test('what is not allowed names the rule that it breaks', () => {
  const approvals = { allowed: ['on-request'], source: '/etc/requirements.toml:1', key: 'a' } as const;
  const sandboxModes = {
    allowed: ['workspace-write', 'read-only'],
    source: '/etc/requirements.toml:2',
    key: 'b',
  } as const;
  const requirements: ManagedRequirements = { approvals, sandboxModes };
  expect(brokenApprovalRequirement(requirements, 'never')).toBe(approvals);
  expect(brokenApprovalRequirement(requirements, 'on-request')).toBeUndefined();
  expect(brokenSandboxRequirement(requirements, { type: 'disabled' })).toBe(sandboxModes);
  expect(brokenSandboxRequirement(requirements, { type: 'external', network: 'restricted' })).toBe(sandboxModes);
  expect(brokenSandboxRequirement(requirements, builtInProfile('read-only', none))).toBeUndefined();
  expect(replacementMode(sandboxModes)).toBe('workspace-write');
  expect(replacementMode({ ...sandboxModes, allowed: ['external-sandbox', 'read-only'] })).toBe('read-only');
  expect(brokenApprovalRequirement(noRequirements, 'never')).toBeUndefined();
  expect(brokenSandboxRequirement(noRequirements, { type: 'disabled' })).toBeUndefined();
});

const profiles = fc.constantFrom<PermissionProfile>(
  { type: 'disabled' },
  { type: 'external', network: 'restricted' },
  { type: 'managed', file_system: { type: 'unrestricted' }, network: 'enabled' },
  builtInProfile('read-only', none),
  builtInProfile('workspace-write', { ...none, writableRoots: ['/more'], network: true }),
  writes('/secret'),
);
const patterns = fc.uniqueArray(fc.constantFrom('/secret', '/repo/keys', '/**/*.pem', '/home/*/.ssh/**'), {
  minLength: 1,
});
const held: Readonly<Record<string, string>> = {
  '/secret': '/secret/deep/file',
  '/repo/keys': '/repo/keys/one',
  '/**/*.pem': '/repo/sub/key.pem',
  '/home/*/.ssh/**': '/home/me/.ssh/id',
};

test('whatever the profile is, what must not be read cannot be, and nothing else changes', () => {
  fc.assert(
    fc.property(profiles, patterns, (profile, denied) => {
      const requirements = denying(...denied);
      const made = withDeniedReads(requirements, profile);
      const [before, after] = [profile, made].map((one) => resolvePolicy(one, places));
      for (const pattern of denied) expect(accessAt(after!, held[pattern]!)).toBe('deny');
      for (const path of ['/repo/file', '/more/file', '/etc/hosts', '/tmp/x']) {
        expect(accessAt(after!, path)).toBe(accessAt(before!, path));
      }
      expect(after!.network).toBe(before!.network);
      expect(withDeniedReads(requirements, made)).toEqual(made);
      expect(profileSandboxLevel(made)).toBe(
        profile.type === 'external' ? 'danger-full-access' : profileSandboxLevel(profile),
      );
    }),
  );
});

test('the profile behind it comes back', () => {
  const requirements = denying('/secret', '/**/*.pem');
  for (const mode of ['read-only', 'workspace-write'] as const) {
    const profile = builtInProfile(mode, none);
    expect(withoutDeniedReads(requirements, withDeniedReads(requirements, profile))).toEqual(profile);
  }
  expect(withoutDeniedReads(requirements, { type: 'disabled' })).toEqual({ type: 'disabled' });
  expect(withoutDeniedReads(noRequirements, writes('/a'))).toEqual(writes('/a'));
});

test('a profile that reopens places of the engine is wider than every mode, and than profiles that do not', () => {
  const ownPlaces = { ...noOwnPlaces, state: ['/home/me/.capstan'], secrets: ['/home/me/.capstan/auth.json'] };
  const source = '/etc/requirements.toml';
  const sandboxModes = { allowed: ['workspace-write', 'read-only'], source, key: 'b' } as const;
  const reads = (path: string, more: { readonly capstan_keeps_own?: true } = {}): PermissionProfile => ({
    type: 'managed',
    file_system: {
      type: 'restricted',
      entries: [
        { path: { type: 'special', value: { kind: 'root' } }, access: 'read' },
        { path: { type: 'path', path }, access: 'read', ...more },
      ],
    },
    network: 'restricted',
  });
  const login = '/home/me/.capstan/auth.json';
  const limited: ManagedRequirements = { sandboxModes, ownPlaces };
  expect(brokenSandboxRequirement(limited, reads(login))).toBe(sandboxModes);
  expect(brokenSandboxRequirement(limited, writes('/home/me/.capstan/rules'))).toBe(sandboxModes);
  expect(brokenSandboxRequirement(limited, reads(login, { capstan_keeps_own: true }))).toBeUndefined();
  expect(brokenSandboxRequirement(limited, reads('/srv'))).toBeUndefined();
  const readOnly = { id: ':read-only', profile: builtInProfile('read-only', none) };
  const profiles = { allowed: [readOnly] as const, instead: readOnly, source, key: 'c' };
  const chosen: ManagedRequirements = { profiles, ownPlaces };
  expect(brokenProfileRequirement(chosen, reads(login))).toBe(profiles);
  expect(brokenProfileRequirement(chosen, reads(login, { capstan_keeps_own: true }))).toBeUndefined();
});
