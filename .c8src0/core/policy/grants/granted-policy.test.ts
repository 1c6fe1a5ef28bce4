import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PermissionProfile, ResolvedPolicy } from '../../../protocol/permissions.ts';
import { accessAt } from '../paths/access.ts';
import { decideCall } from '../decide/decide-call.ts';
import { grantedPolicy, missingPermissions } from './granted-policy.ts';
import { type OwnPlaces, type PermissionPlaces, protectedNames } from '../paths/special-places.ts';
import { isWithin, joinPath } from '../paths/absolute-paths.ts';
import { builtInProfile } from '../profiles/profiles.ts';
import { resolvePolicy } from '../profiles/resolve-policy.ts';
import { noRules } from '../rules/rule-set.ts';

const own: OwnPlaces = {
  program: ['/opt/capstan'],
  state: ['/home/me/.capstan'],
  parts: [],
  secrets: ['/home/me/.capstan/auth.json'],
  stores: [],
};
const places: PermissionPlaces = {
  cwd: '/ws/repo/part',
  workspaceRoots: ['/ws/repo/part'],
  slashTmp: true,
  gitDirectories: ['/ws/other/git'],
  repositories: ['/ws/repo'],
  submodules: ['/ws/repo/sub'],
  gitNames: ['HEAD'],
  own,
};
const options = { network: false, writableRoots: [], excludeTmpdir: true, excludeSlashTmp: true };
const readOnly = resolvePolicy(builtInProfile('read-only', options), places);
const workspaceWrite = resolvePolicy(builtInProfile('workspace-write', options), places);

const grant = (policy: ResolvedPolicy, ...write: readonly string[]) =>
  grantedPolicy(policy, { where: 'sandbox', extra: { write } });

describe('a granted write', () => {
  it.each([
    ['the home of the engine', '/home/me/.capstan', '/home/me/.capstan/config.toml'],
    ['a folder in it', '/home/me/.capstan/rules', '/home/me/.capstan/rules/z.rules'],
    ['what is above it', '/home/me', '/home/me/.capstan/config.toml'],
    ['the whole disk', '/', '/home/me/.capstan/sessions/x'],
    ['the program', '/opt', '/opt/capstan/bin'],
    ['the kernel', '/', '/proc/sys/kernel/core_pattern'],
    ['a repository around the workspace', '/ws', '/ws/repo/.git/hooks/x'],
    ['one below', '/ws', '/ws/other/.git/config'],
    ['a protected name in a repository', '/ws', '/ws/repo/.codex/x'],
    ['where a pointer file leads', '/ws', '/ws/other/git/config'],
    ['a submodule', '/ws', '/ws/repo/sub/.git'],
    ['a bare repository in the making', '/ws', '/ws/repo/part/HEAD'],
    ['a protected name in the workspace', '/ws/repo', '/ws/repo/part/.agents/x'],
    ['a protected name', '/srv', '/srv/.codex/config.toml'],
  ])('does not open %s', (_, path, kept) => {
    for (const policy of [readOnly, workspaceWrite]) expect(accessAt(grant(policy, path), kept)).not.toBe('write');
  });

  it('keeps protected names from being made, as in every writable folder', () => {
    const { files } = grant(readOnly, '/srv');
    const rules = files.kind === 'restricted' ? files.rules : [];
    expect(rules).toContainEqual({ path: '/srv/.codex', access: 'read', ifMissing: 'protect' });
  });

  it('holds only as long as the path leads to where it led', () => {
    const { files } = grantedPolicy(readOnly, { where: 'sandbox', extra: { write: ['/srv'] } });
    const rules = files.kind === 'restricted' ? files.rules : [];
    expect(rules.filter(({ access: granted }) => granted === 'write')).toMatchObject([{ path: '/srv', place: '/srv' }]);
  });

  it('opens the home of the engine where the profile of the user names it', () => {
    const entry = { path: { type: 'path', path: '/home/me/.capstan' }, access: 'write' } as const;
    const profile = builtInProfile('workspace-write', options) as Extract<PermissionProfile, { type: 'managed' }>;
    const { file_system: files } = profile;
    const entries = files.type === 'restricted' ? [...files.entries, entry] : [];
    const named = resolvePolicy({ ...profile, file_system: { type: 'restricted', entries } }, places);
    expect(accessAt(named, '/home/me/.capstan/x')).toBe('write');
    expect(accessAt(grant(named, '/'), '/home/me/.capstan/x')).toBe('write');
  });

  it('is not asked for where no answer would open it', () => {
    const context = { approval: 'on-request', policy: readOnly, rules: noRules, grants: [], canAsk: true } as const;
    const permissions = { write: ['/home/me/.capstan/rules'] };
    expect(decideCall(context, { request: { permissions } })).toMatchObject({ kind: 'refuse' });
    const needs = { effect: 'program', argv: ['ls'], cwd: '/', escalation: { permissions } } as const;
    expect(decideCall(context, needs)).toMatchObject({ kind: 'refuse' });
  });
});

const names = fc.constantFrom(
  'work',
  'repo',
  'part',
  'sub',
  'home',
  'me',
  'opt',
  'capstan',
  'x',
  'HEAD',
  ...protectedNames,
);
const path = fc.array(names, { maxLength: 5 }).map((parts) => `/${parts.join('/')}`);

it('no grant opens more than the same folder as a writable root would, and nothing of the engine', () => {
  fc.assert(
    fc.property(
      fc.array(path, { minLength: 1, maxLength: 3 }),
      path,
      fc.constantFrom(readOnly, workspaceWrite),
      (granted, probe, policy) => {
        const roots = builtInProfile('workspace-write', { ...options, writableRoots: granted });
        const asRoots = resolvePolicy(roots, places);
        for (const at of [probe, ...granted.flatMap((root) => [root, joinPath(root, probe.slice(1) || 'x')])]) {
          if (accessAt(grant(policy, ...granted), at) !== 'write') continue;
          expect(accessAt(asRoots, at)).toBe('write');
          const ofEngine = [...own.program, ...own.state].some((place) => isWithin(at, place));
          expect(ofEngine && accessAt(policy, at) !== 'write').toBe(false);
        }
      },
    ),
    { numRuns: 2000 },
  );
});

it('what is lacking keeps how it was spelled', () => {
  const spelled = { '/var/tmp': '/repo/build', '/ws/repo/part/x': '/link' };
  expect(missingPermissions(workspaceWrite, { write: ['/var/tmp', '/ws/repo/part/x'], spelled })).toEqual({
    write: ['/var/tmp'],
    spelled: { '/var/tmp': '/repo/build' },
  });
});
