import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { FileAccess, FileSystemEntry, PermissionProfile, ResolvedPolicy } from '../../../protocol/permissions.ts';
import { accessAt } from './access.ts';
import { noOwnPlaces, type OwnPlaces, reopensOwnPlaces } from './special-places.ts';
import { isWithin } from './absolute-paths.ts';
import { resolvePolicy } from '../profiles/resolve-policy.ts';

const path = fc
  .array(fc.constantFrom('a', 'b', '.git'), { minLength: 1, maxLength: 4 })
  .map((names) => `/${names.join('/')}`);
const paths = fc.array(path, { maxLength: 3 });
const own: fc.Arbitrary<OwnPlaces> = fc.record({
  program: paths,
  state: paths,
  parts: paths,
  secrets: paths,
  stores: paths,
});
const granted = fc.constantFrom<FileAccess>('read', 'write', 'deny');
const roots: fc.Arbitrary<FileSystemEntry> = fc.record({
  path: fc.constantFrom(
    { type: 'special', value: { kind: 'root' } } as const,
    { type: 'special', value: { kind: 'project_roots' } } as const,
    { type: 'special', value: { kind: 'tmpdir' } } as const,
  ),
  access: granted,
});
const named: fc.Arbitrary<FileSystemEntry> = fc.record({
  path: path.map((each) => ({ type: 'path', path: each }) as const),
  access: granted,
});

const width: Readonly<Record<FileAccess, number>> = { deny: 0, read: 1, write: 2 };

function resolve(entries: readonly FileSystemEntry[], places: { cwd: string; tmp: string; own?: OwnPlaces }) {
  const { cwd, tmp, own: mine } = places;
  return resolvePolicy(
    { type: 'managed', file_system: { type: 'restricted', entries }, network: 'restricted' },
    {
      cwd,
      workspaceRoots: [cwd],
      temporaryDirectory: tmp,
      slashTmp: false,
      gitDirectories: [],
      own: mine ?? noOwnPlaces,
    },
  );
}

function isLimited({ files }: ResolvedPolicy): boolean {
  return files.kind === 'restricted';
}

test("law: the engine's own places only ever narrow what is granted", () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(roots, named), { maxLength: 5 }),
      path,
      path,
      own,
      path,
      (entries, cwd, tmp, mine, at) => {
        const without = resolve(entries, { cwd, tmp });
        const withOwn = resolve(entries, { cwd, tmp, own: mine });
        expect(width[accessAt(withOwn, at)]).toBeLessThanOrEqual(width[accessAt(without, at)]);
      },
    ),
    { numRuns: 2000 },
  );
});

test('law: no root writes the program or the state, and none reads a secret, unless an entry names the place', () => {
  fc.assert(
    fc.property(fc.array(roots, { maxLength: 4 }), path, path, own, (entries, cwd, tmp, mine) => {
      const policy = resolve(entries, { cwd, tmp, own: mine });
      fc.pre(isLimited(policy));
      for (const each of [...mine.program, ...mine.state]) expect(accessAt(policy, each)).not.toBe('write');
      for (const each of mine.secrets) expect(accessAt(policy, each)).toBe('deny');
      const without = resolve(entries, { cwd, tmp });
      const reads = ['/', cwd, tmp].every((each) => accessAt(without, each) !== 'deny');
      for (const each of reads ? [] : mine.stores) expect(accessAt(policy, each)).toBe('deny');
      const inProgram = [cwd, tmp].filter((root) => mine.program.some((folder) => isWithin(root, folder)));
      for (const root of inProgram) expect(accessAt(policy, `${root}/x`)).not.toBe('write');
    }),
    { numRuns: 2000 },
  );
});

test("the kernel's own folders are not writable with the rest of the disk, unless an entry names them", () => {
  const whole: FileSystemEntry = { path: { type: 'special', value: { kind: 'root' } }, access: 'write' };
  const limit: FileSystemEntry = { path: { type: 'path', path: '/secret' }, access: 'deny' };
  const policy = resolve([whole, limit], { cwd: '/a', tmp: '/b' });
  expect(['/x', '/proc/sys/kernel/core_pattern', '/sys/kernel/x'].map((each) => accessAt(policy, each))).toEqual([
    'write',
    'read',
    'read',
  ]);
  const reopened = resolve([whole, limit, { path: { type: 'path', path: '/sys' }, access: 'write' }], {
    cwd: '/a',
    tmp: '/b',
  });
  expect(accessAt(reopened, '/sys/kernel/x')).toBe('write');
});

const places: OwnPlaces = {
  program: ['/opt/capstan'],
  state: ['/home/me/.capstan'],
  parts: ['/elsewhere/rules'],
  secrets: ['/home/me/.capstan/auth.json'],
  stores: ['/home/me/.capstan/sessions'],
};
const readAll: FileSystemEntry = { path: { type: 'special', value: { kind: 'root' } }, access: 'read' };
const at = (path: string, access: FileAccess): FileSystemEntry => ({ path: { type: 'path', path }, access });

test.each<[string, FileSystemEntry, kept: FileAccess, user: FileAccess]>([
  ['a login', at('/home/me/.capstan/auth.json', 'read'), 'deny', 'read'],
  ['the home', at('/home/me/.capstan', 'write'), 'read', 'write'],
  ['the rules', at('/home/me/.capstan/rules', 'write'), 'read', 'write'],
  ['a file of the rules', at('/home/me/.capstan/rules/default.rules', 'write'), 'read', 'write'],
  ['the configuration', at('/home/me/.capstan/config.toml', 'write'), 'read', 'write'],
  ['a part that is elsewhere', at('/elsewhere/rules', 'write'), 'read', 'write'],
  ['the program', at('/opt/capstan/dist', 'write'), 'read', 'write'],
  ['the kernel', at('/proc/sys', 'write'), 'read', 'write'],
  ['a worktree in the home', at('/home/me/.capstan/worktrees/x', 'write'), 'write', 'write'],
  ['another folder', at('/srv', 'write'), 'write', 'write'],
])('%s is reopened by an entry of the user, and by none of a project or a client', (_what, entry, kept, user) => {
  const { path } = entry.path as { path: string };
  const where = { cwd: '/repo', tmp: '/tmp', own: places };
  const marked: FileSystemEntry = { ...entry, capstan_keeps_own: true };
  expect(accessAt(resolve([readAll, marked], where), path)).toBe(kept);
  expect(accessAt(resolve([readAll, entry], where), path)).toBe(user);
  const profileOf = (one: FileSystemEntry) => managed([readAll, one]);
  expect(reopensOwnPlaces(profileOf(marked), places)).toBe(false);
  expect(reopensOwnPlaces(profileOf(entry), places)).toBe(kept !== user);
});

test('what a project or a client opens below a place that may not be read stays closed', () => {
  const below: FileSystemEntry = { ...at('/home/me/.capstan/sessions/2026', 'read'), capstan_keeps_own: true };
  const policy = resolve([readAll, at('/secret', 'deny'), below], { cwd: '/repo', tmp: '/tmp', own: places });
  expect(accessAt(policy, '/home/me/.capstan/sessions/2026/x')).toBe('deny');
});

test('an entry that names a link reopens nothing where the link leads', () => {
  const entries = [readAll, at('/repo/link', 'write'), at('/repo/file', 'write')];
  const policy = resolvePolicy(managed(entries), {
    cwd: '/repo',
    workspaceRoots: ['/repo'],
    slashTmp: false,
    gitDirectories: [],
    own: places,
    real: { '/repo/link': '/home/me/.capstan/rules', '/repo/file': '/srv' },
  });
  expect(['/repo/link', '/repo/file'].map((path) => accessAt(policy, path))).toEqual(['read', 'write']);
});

function managed(entries: readonly FileSystemEntry[]): PermissionProfile {
  return { type: 'managed', file_system: { type: 'restricted', entries }, network: 'restricted' };
}
