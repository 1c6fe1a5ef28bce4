import fc from 'fast-check';
import { expect, test } from 'vitest';
import { describePolicy } from '../../policy/profiles/describe-policy.ts';
import { noOwnPlaces } from '../../policy/paths/special-places.ts';
import { isWithin } from '../../policy/paths/absolute-paths.ts';
import { resolvePolicy } from '../../policy/profiles/resolve-policy.ts';
import type { FileAccess, FileSystemEntry } from '../../../protocol/permissions.ts';
import { renderFragment } from '../../fragments/text/define-fragment.ts';
import { estimateTokens } from '../../fragments/text/truncate.ts';
import { permissionsFragment } from './permissions.ts';
import { noRestrictedPrefixes } from '../../policy/rules/rule-set.ts';

const name = fc
  .oneof(fc.constantFrom('a', 'b', 'secrets'), fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }))
  .map((text) => text.replaceAll(/[/\0*?[\]{}\\]|^\.{1,2}$/gu, '_'));
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => `/srv/${names.join('/')}`);
const entry = fc.record({ path, access: fc.constantFrom<FileAccess>('deny', 'read', 'write') });
const glob = path.map((folder) => `${folder}/**/*.key`);

/** The quoted texts of a line, and the folder that holds those which are not listed. */
function listed(text: string, title: string) {
  const line = text.split('\n').find((each) => each.startsWith(title)) ?? '';
  const more = /… and \d+ more below ("(?:[^"\\]|\\.)*") that are not listed here$/.exec(line);
  const quoted = [...line.slice(line.indexOf(': ')).matchAll(/"(?:[^"\\]|\\.)*"/g)].map(
    ([each]) => JSON.parse(each) as string,
  );
  const paths = more === null ? quoted : quoted.slice(0, -1);
  return { paths, folder: more === null ? undefined : (JSON.parse(more[1]!) as string) };
}

test('law: every limit is listed, or lies in a folder that is named, and the text fits its cap', () => {
  const many = fc.array(entry, { minLength: 1, maxLength: 150, size: 'max' });
  fc.assert(
    fc.property(many, fc.array(glob, { maxLength: 60, size: 'max' }), (paths, globs) => {
      const entries: readonly FileSystemEntry[] = [
        { path: { type: 'path', path: '/srv' }, access: 'write' },
        ...paths.map((each): FileSystemEntry => ({ path: { type: 'path', path: each.path }, access: each.access })),
        ...globs.map((pattern): FileSystemEntry => ({ path: { type: 'glob_pattern', pattern }, access: 'deny' })),
      ];
      const places = { cwd: '/srv', workspaceRoots: ['/srv'], slashTmp: false, gitDirectories: [], own: noOwnPlaces };
      const profile = { type: 'managed', file_system: { type: 'restricted', entries }, network: 'restricted' } as const;
      const described = describePolicy(resolvePolicy(profile, places), '/srv');
      const approvedPrefixes = Array.from({ length: 100 }, (_, index) => [`ü${'x'.repeat(40)}`, String(index)]);
      const told = {
        ...described,
        approval: 'never',
        canAsk: false,
        approvedPrefixes,
        held: noRestrictedPrefixes,
      } as const;
      const { text } = renderFragment(permissionsFragment, told);
      expect(estimateTokens(text)).toBeLessThanOrEqual(permissionsFragment.capTokens);
      expect(text).not.toContain('tokens truncated');
      const lists = [
        ['Read-only inside them', described.readOnlyPaths],
        ['Read-only wherever', described.keptGlobs],
        ['Not readable', described.deniedPaths],
        [described.deniedPaths.length === 0 ? 'Nothing that matches' : 'Nor is anything', described.deniedGlobs],
      ] as const;
      for (const [title, wanted] of lists) {
        const found = listed(text, title);
        const lost = wanted.filter((each) => !found.paths.includes(each));
        expect(lost.filter((each) => found.folder === undefined || !isWithin(each, found.folder))).toEqual([]);
      }
    }),
    { numRuns: 20 },
  );
});
