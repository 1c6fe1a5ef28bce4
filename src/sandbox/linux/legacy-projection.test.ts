import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { access } from '../../policy/access.ts';
import { noOwnPlaces } from '../../policy/own-places.ts';
import { profileFor } from '../../policy/profiles.ts';
import { resolvePolicy } from '../../policy/resolve-policy.ts';
import type { PathRule, ResolvedPolicy } from '../../protocol/resolved-policy.ts';
import { accessOfLegacy, projectToLegacy } from './legacy-projection.ts';

const names = ['a', 'b', '.git'];
const path = fc.array(fc.constantFrom(...names), { maxLength: 4 }).map((parts) => `/${parts.join('/')}`);
const rule: fc.Arbitrary<PathRule> = fc.record(
  {
    path,
    access: fc.constantFrom('read', 'write', 'deny'),
    ifMissing: fc.constantFrom('skip', 'protect'),
    keeps: fc.constant(['.git']),
  },
  { requiredKeys: ['path', 'access', 'ifMissing'] },
);
const policy: fc.Arbitrary<ResolvedPolicy> = fc.record({
  enforcement: fc.constant('managed' as const),
  files: fc.record({
    kind: fc.constant('restricted' as const),
    rules: fc
      .array(rule, { maxLength: 5 })
      .map((rules): PathRule[] => [{ path: '/', access: 'read', ifMissing: 'skip' }, ...rules]),
    denyGlobs: fc.constant([]),
    platformDefaults: fc.boolean(),
  }),
  network: fc.constant('restricted' as const),
});
/** Every path with up to five of the names. */
const everyPath = [0, 1, 2, 3, 4, 5].reduce<string[]>(
  (paths, depth) => (depth === 0 ? ['/'] : [...new Set([...paths, ...paths.flatMap(below)])]),
  [],
);
function below(folder: string): readonly string[] {
  return names.map((name) => (folder === '/' ? `/${name}` : `${folder}/${name}`));
}

describe('the projection to the legacy model and back', () => {
  test('leaves access unchanged everywhere, or names a place where it would not', () => {
    let projected = 0;
    fc.assert(
      fc.property(policy, (value) => {
        const model = projectToLegacy(value);
        const changed = model.kind === 'legacy-difference' ? [model.wanted, model.given] : ['same', 'other'];
        expect(changed[0]).not.toBe(changed[1]);
        const back = model.kind === 'legacy-model' ? accessOfLegacy(model.writable) : undefined;
        projected += back === undefined ? 0 : 1;
        expect(everyPath.filter((each) => back !== undefined && back(each) !== access(value, each))).toEqual([]);
      }),
      { numRuns: 300 },
    );
    expect(projected).toBeGreaterThan(5);
  });

  const options = { network: false, writableRoots: [], excludeTmpdir: false, excludeSlashTmp: false };
  const places = { cwd: '/ws', workspaceRoots: ['/ws'], slashTmp: true, gitDirectories: [], own: noOwnPlaces };

  test('holds read-only, and not the protected names of a workspace', () => {
    expect(projectToLegacy(resolvePolicy(profileFor('read-only', options), places))).toEqual({
      kind: 'legacy-model',
      writable: [],
    });
    expect(projectToLegacy(resolvePolicy(profileFor('workspace-write', options), places))).toEqual({
      kind: 'legacy-difference',
      path: '/ws/.git',
      wanted: 'read',
      given: 'write',
    });
  });

  test('holds a disk that may be written whole', () => {
    const open: ResolvedPolicy = { enforcement: 'managed', files: { kind: 'unrestricted' }, network: 'restricted' };
    expect(projectToLegacy(open)).toEqual({ kind: 'legacy-model', writable: ['/'] });
  });

  test('does not hold secrets, limits on reading, or patterns', () => {
    const secret = { ...places, own: { ...noOwnPlaces, secrets: ['/home/u/.capstan/auth.json'] } };
    expect(projectToLegacy(resolvePolicy(profileFor('read-only', options), secret))).toMatchObject({
      path: '/home/u/.capstan/auth.json',
      wanted: 'deny',
    });
    const files = { kind: 'restricted', rules: [], denyGlobs: [], platformDefaults: true } as const;
    expect(projectToLegacy({ enforcement: 'managed', files, network: 'enabled' })).toMatchObject({ path: '/' });
    const rules: PathRule[] = [{ path: '/', access: 'read', ifMissing: 'skip' }];
    const globs = { ...files, rules, denyGlobs: ['/ws/**/*.env'] };
    expect(projectToLegacy({ enforcement: 'managed', files: globs, network: 'enabled' })).toMatchObject({
      path: '/ws/**/*.env',
    });
  });
});
