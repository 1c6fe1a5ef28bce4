import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isJsonObject } from '../../../protocol/json.ts';
import type { FileSystemEntry, PermissionProfile, SandboxPolicy } from '../../../protocol/permissions.ts';
import { builtInProfile } from './profiles.ts';
import { readProfile, readSandboxPolicy } from './read-profile.ts';
import { isWrongValue } from './profile-entries.ts';

const path = fc.constantFrom('/a', '/b c/d', '/').map((each) => ({ type: 'path' as const, path: each }));
const special = fc
  .constantFrom(
    { kind: 'root' as const },
    { kind: 'minimal' as const },
    { kind: 'project_roots' as const },
    { kind: 'project_roots' as const, subpath: 'sub/dir' },
    { kind: 'tmpdir' as const },
    { kind: 'slash_tmp' as const },
    { kind: 'unknown' as const, path: 'elsewhere', subpath: 'x' },
  )
  .map((value) => ({ type: 'special' as const, value }));
const glob = fc.constantFrom('/a/**/*.env', '**/*.key').map((pattern) => ({ type: 'glob_pattern' as const, pattern }));
const entry: fc.Arbitrary<FileSystemEntry> = fc.oneof(
  fc.record(
    {
      path: fc.oneof(path, special),
      access: fc.constantFrom('read' as const, 'write' as const, 'deny' as const),
      missing_path_behavior: fc.constant('skip' as const),
    },
    { requiredKeys: ['path', 'access'] },
  ),
  fc.record({ path: glob, access: fc.constant('deny' as const) }),
);
const network = fc.constantFrom('restricted' as const, 'enabled' as const);
const profile: fc.Arbitrary<PermissionProfile> = fc.oneof(
  { weight: 1, arbitrary: fc.constant({ type: 'disabled' as const }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('external' as const), network }) },
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant('managed' as const),
      network,
      file_system: fc.oneof(
        { weight: 1, arbitrary: fc.constant({ type: 'unrestricted' as const }) },
        {
          weight: 5,
          arbitrary: fc.record(
            {
              type: fc.constant('restricted' as const),
              entries: fc.array(entry, { minLength: 1, maxLength: 4 }),
              glob_scan_max_depth: fc.nat(9),
            },
            { requiredKeys: ['type', 'entries'] },
          ),
        },
      ),
    }),
  },
);
const policy = fc.oneof(
  fc.constant({ type: 'danger-full-access' }),
  fc.record({ type: fc.constant('external-sandbox'), network_access: network }),
  fc.record({ type: fc.constant('read-only'), network_access: fc.boolean() }, { requiredKeys: ['type'] }),
  fc.record({
    type: fc.constant('workspace-write'),
    writable_roots: fc.array(fc.constantFrom('/a', '/b'), { maxLength: 2 }),
    network_access: fc.boolean(),
    exclude_tmpdir_env_var: fc.boolean(),
    exclude_slash_tmp: fc.boolean(),
  }),
) as fc.Arbitrary<SandboxPolicy>;

test('what is right is read as it is, and shares nothing with what was given', () => {
  fc.assert(
    fc.property(profile, policy, (one, other) => {
      expect([readProfile(one), readSandboxPolicy(other)]).toEqual([one, other]);
      for (const [read, given] of [
        [readProfile(one), one],
        [readSandboxPolicy(other), other],
      ]) {
        const known = new Set(objectsIn(given));
        expect(objectsIn(read).some((each) => known.has(each))).toBe(false);
      }
    }),
  );
});

test('one key too many refuses it, at every depth', () => {
  fc.assert(
    fc.property(fc.oneof(profile, policy), fc.nat(), (given, at) => {
      const copy = structuredClone(given);
      const objects = objectsIn(copy).filter(isJsonObject);
      Object.assign(objects[at % objects.length]!, { surprise: true });
      const read =
        'file_system' in given || 'network' in given || given.type === 'disabled' ? readProfile : readSandboxPolicy;
      expect(read(copy)).toMatchObject({ wrong: 'key', key: 'surprise' });
    }),
  );
});

test('any value at all is answered', () => {
  fc.assert(
    fc.property(fc.anything(), (given) => {
      expect([isWrongValue(readProfile(given)), isWrongValue(readSandboxPolicy(given))]).toEqual([true, true]);
    }),
  );
});

describe('paths', () => {
  const managed = (path_: unknown, access = 'write') => ({
    type: 'managed',
    network: 'restricted',
    file_system: { type: 'restricted', entries: [{ path: path_, access }] },
  });

  test.each([
    ['a relative one', { type: 'path', path: 'sub' }, 'path.path'],
    ['one that begins in the home folder', { type: 'path', path: '~/x' }, 'path.path'],
    ['one with a hidden end', { type: 'path', path: '/a\0b' }, 'path.path'],
    [
      'one that leaves the workspace',
      { type: 'special', value: { kind: 'project_roots', subpath: '../x' } },
      'path.value.subpath',
    ],
    [
      'an absolute one below the workspace',
      { type: 'special', value: { kind: 'project_roots', subpath: '/x' } },
      'path.value.subpath',
    ],
    ['a symbol that is none', { type: 'special', value: { kind: 'home' } }, 'path.value.kind'],
    ['a pattern that grants', { type: 'glob_pattern', pattern: '/a/*' }, 'path'],
  ])('%s is refused', (_, given, at) => {
    expect(readProfile(managed(given))).toMatchObject({ wrong: 'value', at: `file_system.entries[0].${at}` });
  });

  test('come out in normal form', () => {
    expect(readProfile(managed({ type: 'path', path: '/a/../b//c/' }))).toEqual(
      managed({ type: 'path', path: '/b/c' }),
    );
    expect(readSandboxPolicy({ type: 'workspace-write', writable_roots: ['/a/./b/'] })).toMatchObject({
      writable_roots: ['/a/b'],
    });
  });
});

test('the profiles of the modes are right', () => {
  const options = { network: true, writableRoots: ['/a'], excludeTmpdir: false, excludeSlashTmp: false };
  for (const mode of ['read-only', 'workspace-write', 'danger-full-access'] as const) {
    expect(readProfile(builtInProfile(mode, options))).toEqual(builtInProfile(mode, options));
  }
});

function objectsIn(value: unknown): readonly object[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value, ...Object.values(value).flatMap(objectsIn)];
}
