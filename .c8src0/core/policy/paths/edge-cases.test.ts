import { describe, expect, test } from 'vitest';
import type { FileAccess, FileSystemEntry, PathPattern, PermissionProfile } from '../../../protocol/permissions.ts';
import { accessAt, writablePaths } from './access.ts';
import { readProfile, sandboxPolicyOf } from '../profiles/read-profile.ts';
import { noOwnPlaces, type PermissionPlaces } from './special-places.ts';
import { resolvePolicy } from '../profiles/resolve-policy.ts';

/** One row for each case in which policies of this form are easily read in another way. */

const places: PermissionPlaces = {
  cwd: '/repo',
  workspaceRoots: ['/repo'],
  slashTmp: true,
  gitDirectories: [],
  own: noOwnPlaces,
};

const special = (kind: string, subpath?: string): PathPattern =>
  ({ type: 'special', value: { kind, ...(subpath === undefined ? {} : { subpath }) } }) as PathPattern;

function patternOf(text: string): PathPattern {
  if (text.startsWith(':')) return special(text.slice(1));
  return /[*?[]/.test(text) ? { type: 'glob_pattern', pattern: text } : { type: 'path', path: text };
}

/** `place access` each. */
function profileOf(entries: readonly string[]): PermissionProfile {
  const list = entries.map((entry): FileSystemEntry => {
    const cut = entry.lastIndexOf(' ');
    return { path: patternOf(entry.slice(0, cut)), access: entry.slice(cut + 1) as FileAccess };
  });
  return { type: 'managed', file_system: { type: 'restricted', entries: list }, network: 'restricted' };
}

type Row = readonly [what: string, entries: readonly string[], granted: Readonly<Record<string, FileAccess>>];

const rows: readonly Row[] = [
  [
    'each level decides about itself',
    ['/repo write', '/repo/docs read', '/repo/docs/private deny', '/repo/docs/private/public write'],
    {
      '/repo/x': 'write',
      '/repo/docs/x': 'read',
      '/repo/docs/private/x': 'deny',
      '/repo/docs/private/public/x': 'write',
    },
  ],
  ['a child is read in a closed folder', ['/repo write', '/repo/a deny', '/repo/a/b read'], { '/repo/a/b/x': 'read' }],
  ['nothing matches', ['/repo read'], { '/etc': 'deny', '/repository': 'deny' }],
  ['the root twice', [':root write', ':root deny'], { '/': 'deny', '/x': 'deny' }],
  ['a folder twice', [':root write', '/docs read', '/docs write'], { '/docs/x': 'write', '/x': 'write' }],
  ['a read-only folder on a writable disk', [':root write', '/docs read'], { '/docs/x': 'read', '/x': 'write' }],
  ['one readable folder', [':root deny', '/docs read'], { '/docs/x': 'read', '/x': 'deny' }],
  ['a symbol that is not known', [':root read', ':new write'], { '/repo': 'read' }],
  ['two slashes', [':root read', '//server/share deny'], { '/server/share/x': 'deny', '/server': 'read' }],
  ['a drive', [':root read', '/C:/x deny'], { '/C:/x/y': 'deny' }],
  ['metadata that is not there', ['/repo write'], { '/repo/.git/config': 'read', '/repo/.agents/x': 'read' }],
  ['metadata that an entry opens', ['/repo write', '/repo/.codex write'], { '/repo/.codex/config.toml': 'write' }],
  ['metadata by a relative way', ['/repo write'], { '/repo/sub/../.codex/x': 'read', '/repo/./.aws': 'read' }],
  [
    'metadata of a root of its own',
    ['/repo write', '/repo/sub write'],
    { '/repo/sub/.codex/x': 'read', '/repo/x/.codex': 'write' },
  ],
  [
    'classes and single characters',
    [':root read', '/x/*/file[0-9]?.txt deny'],
    {
      '/x/app/file42.txt': 'deny',
      '/x/app/deep/file42.txt': 'read',
      '/x/app/file4.txt': 'read',
      '/x/app/filea2.txt': 'read',
    },
  ],
  ['any depth', [':root read', '/x/**/*.env deny'], { '/x/.env': 'deny', '/x/a/b/p.env': 'deny', '/x/env': 'read' }],
  ['a bracket that stays open', [':root read', '/x/a[b* deny'], { '/x/a[bc': 'deny', '/x/ab': 'read' }],
  ['a pattern without sense', [':root read', '/x/[z-a]* deny'], { '/anything': 'deny' }],
  [
    'a pattern over an inner grant',
    ['/x write', '/x/sec* deny', '/x/secret/open write'],
    { '/x/secret/open/y': 'deny' },
  ],
];

test.each(rows)('%s', (_, entries, granted) => {
  for (const order of [entries, entries.toReversed()]) {
    const policy = resolvePolicy(profileOf(order), places);
    const found = Object.fromEntries(Object.keys(granted).map((path) => [path, accessAt(policy, path)]));
    expect(found).toEqual(granted);
  }
});

describe('views', () => {
  test('write and deny at one path give no writable root', () => {
    expect(writablePaths(resolvePolicy(profileOf(['/repo write', '/repo deny']), places))).toEqual([]);
  });

  test('an unknown symbol with write is read-only in the older form', () => {
    expect(sandboxPolicyOf(profileOf([':root read', ':new write']), places)).toEqual({ type: 'read-only' });
  });

  test('a writable root keeps all metadata names, there or not', () => {
    const policy = resolvePolicy(profileOf(['/repo write']), places);
    const names = ['.agents', '.aws', '.capstan', '.codex', '.git'].map((name) => `/repo/${name}`);
    expect(names.map((path) => accessAt(policy, path))).toEqual(names.map(() => 'read'));
  });
});

test('"none" is an older word for deny', () => {
  const given = profileOf([':root read', '/x none']);
  expect(readProfile(given)).toEqual(profileOf([':root read', '/x deny']));
});
