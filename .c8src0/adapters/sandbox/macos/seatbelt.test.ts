import { describe, expect, test } from 'vitest';
import type { FileAccess, NetworkAccess, ResolvedPolicy } from '../../../protocol/permissions.ts';
import type { PathInspection } from '../../../core/policy/paths/walk-path.ts';
import type { DiskView } from '../disk-view.ts';
import { builtInProfile } from '../../../core/policy/profiles/profiles.ts';
import { resolvePolicy } from '../../../core/policy/profiles/resolve-policy.ts';
import { baseSection, networkSection, preferencesSection, seatbeltProfile } from './seatbelt.ts';

function diskOf(seen: Readonly<Record<string, PathInspection>>): DiskView {
  return { look: (path) => seen[path] ?? { kind: 'missing' }, list: () => [], canCreateIn: () => true };
}

const folder = { kind: 'folder' } as const;
const options = { network: false, writableRoots: [], excludeTmpdir: true, excludeSlashTmp: true };

function policy(
  rules: readonly (readonly [string, FileAccess])[],
  more: { globs?: readonly string[]; network?: NetworkAccess; platform?: boolean } = {},
): ResolvedPolicy {
  return {
    enforcement: 'managed',
    files: {
      kind: 'restricted',
      rules: rules.map(([path, access]) => ({ path, access, ifMissing: 'protect' })),
      denyGlobs: more.globs ?? [],
      platformDefaults: more.platform ?? false,
    },
    network: more.network ?? 'restricted',
  };
}

/** The rules that the policy adds to the fixed sections, with paths put in again. */
function rulesOf(given: ResolvedPolicy, disk: DiskView): readonly string[] {
  const { text, parameters } = seatbeltProfile(given, disk);
  const fixed = new Set([baseSection, networkSection, preferencesSection].flatMap((section) => section.split('\n')));
  const paths = new Map(parameters.map(([name, path]) => [`(param "${name}")`, path]));
  return text
    .trimEnd()
    .split('\n')
    .filter((line) => !fixed.has(line))
    .map((line) => line.replaceAll(/\(param "\w+"\)/g, (name) => paths.get(name) ?? '?'));
}

test("the engine's own places are rules like others, and its secrets leave the settings of the user readable", () => {
  const disk = diskOf({ '/repo': folder, '/repo/dist': folder, '/home/auth.json': { kind: 'file' } });
  const places = { cwd: '/repo', workspaceRoots: ['/repo'], slashTmp: false, gitDirectories: [] };
  const own = {
    program: ['/repo/dist', '/opt/node'],
    state: ['/repo/home'],
    parts: [],
    secrets: ['/home/auth.json'],
    stores: [],
  };
  const given = resolvePolicy(builtInProfile('workspace-write', options), { ...places, own });
  const rules = rulesOf(given, disk).filter((line) => /dist|home|node|hH/.test(line));
  expect(rules).toEqual([
    '(deny file-read* file-write* (subpath /home/auth.json))',
    '(deny file-write* (subpath /repo/dist))',
    '(deny file-write* (subpath /repo/home))',
    '(deny file-write* (regex #"^/repo/[hH][oO][mM][eE](/|$)"))',
  ]);
  expect(seatbeltProfile(given, disk).text).toContain(preferencesSection);
});

test('rules come shallow first; folders with something protected in them keep their place; names are compared in any case', () => {
  const disk = diskOf({ '/repo': folder, '/repo/.git': folder, '/repo/private': folder, '/repo/private/open': folder });
  const given = policy([
    ['/repo/private/open', 'write'],
    ['/repo/private', 'deny'],
    ['/repo/.codex', 'read'],
    ['/repo/.git', 'read'],
    ['/repo', 'write'],
    ['/', 'read'],
  ]);
  expect(rulesOf(given, disk)).toEqual([
    '(allow file-read* (subpath /))',
    '(allow file-read* file-write* (subpath /repo))',
    '(deny file-write* (subpath /repo/.codex))',
    '(deny file-write* (regex #"^/repo/[.][cC][oO][dD][eE][xX](/|$)"))',
    '(deny file-write* (subpath /repo/.git))',
    '(deny file-read* file-write* (subpath /repo/private))',
    '(allow file-read* file-write* (subpath /repo/private/open))',
    '(deny file-write-unlink (literal /repo))',
    '(deny file-write-unlink (literal /repo/private/open))',
  ]);
});

test('paths are followed to where the system sees them, and a protected link is kept itself', () => {
  const disk = diskOf({
    '/tmp': { kind: 'link', target: 'private/tmp' },
    '/private': folder,
    '/private/tmp': folder,
    '/repo': folder,
    '/repo/.git': { kind: 'link', target: '/elsewhere' },
    '/elsewhere': folder,
  });
  expect(
    rulesOf(
      policy([
        ['/', 'read'],
        ['/tmp', 'write'],
        ['/repo', 'write'],
        ['/repo/.git', 'read'],
      ]),
      disk,
    ),
  ).toEqual([
    '(allow file-read* (subpath /))',
    '(allow file-read* file-write* (subpath /repo))',
    '(allow file-read* file-write* (subpath /private/tmp))',
    '(deny file-write* (literal /repo/.git))',
    '(deny file-write-unlink (literal /private/tmp))',
    '(deny file-write-unlink (literal /repo))',
  ]);
});

test('a file as root is that file only', () => {
  const disk = diskOf({ '/repo': folder, '/repo/notes': { kind: 'file' } });
  expect(
    rulesOf(
      policy([
        ['/', 'read'],
        ['/repo/notes', 'write'],
      ]),
      disk,
    ),
  ).toContain('(allow file-read* file-write* (literal /repo/notes))');
});

describe('sections', () => {
  const has = (given: ResolvedPolicy, section: string) => seatbeltProfile(given, diskOf({})).text.includes(section);

  test('the network only when enabled, preferences only when everything may be read', () => {
    expect(has(policy([['/', 'read']]), networkSection)).toBe(false);
    expect(has(policy([['/', 'read']], { network: 'enabled' }), networkSection)).toBe(true);
    expect(has(policy([['/', 'read']]), preferencesSection)).toBe(true);
    expect(
      has(
        policy([
          ['/', 'read'],
          ['/x', 'deny'],
        ]),
        preferencesSection,
      ),
    ).toBe(false);
    expect(has(policy([['/repo', 'read']], { platform: true }), preferencesSection)).toBe(false);
  });

  test('without limits on files only the network is closed', () => {
    const { text } = seatbeltProfile(
      { enforcement: 'managed', files: { kind: 'unrestricted' }, network: 'restricted' },
      diskOf({}),
    );
    expect(text).toBe(`${baseSection}\n(allow file-read* file-write*)\n${preferencesSection}\n`);
  });
});

test('globs become expressions that cannot be broken out of', () => {
  const globs = ['/x/**/*.{env,pem}', '/x/a"b\\\\?[!a-c][~]', '/x/[z-a]'];
  expect(rulesOf(policy([], { globs }), diskOf({}))).toEqual([
    '(deny file-read* file-write* (regex #"^/x/(.*/)?[^/]*[.](env|pem)(/|$)"))',
    '(deny file-write-unlink (require-all (vnode-type DIRECTORY) (regex #"^/x/.*$")))',
    '(deny file-read* file-write* (regex #"^/x/a.+b.+[^/][^/a-c][^/](/|$)"))',
    '(deny file-write-unlink (require-all (vnode-type DIRECTORY) (regex #"^/x/.*$")))',
    '(deny file-read* file-write* (regex #"^/"))',
  ]);
});

describe('rows of the profile', () => {
  const disk = diskOf({
    '/repo': folder,
    '/repo/.git': { kind: 'file' },
    '/main': folder,
    '/main/.git': folder,
    '/main/.git/worktrees': folder,
    '/main/.git/worktrees/repo': folder,
    '/tmp': { kind: 'link', target: 'private/tmp' },
    '/private': folder,
    '/private/tmp': folder,
  });
  const places = {
    cwd: '/repo',
    workspaceRoots: ['/repo'],
    slashTmp: false,
    own: { program: [], state: [], parts: [], secrets: [], stores: [] },
  };

  test('a .git file stays, and so does what it leads to', () => {
    const roots = { ...options, writableRoots: ['/main'] };
    const given = resolvePolicy(builtInProfile('workspace-write', roots), {
      ...places,
      gitDirectories: ['/main/.git/worktrees/repo', '/main/.git'],
    });
    const rules = rulesOf(given, disk).filter((line) => line.includes('.git'));
    expect(rules).toContain('(deny file-write* (literal /repo/.git))');
    expect(rules).toContain('(deny file-write* (subpath /main/.git))');
  });

  test('protected names cannot be made, in any spelling', () => {
    const given = resolvePolicy(builtInProfile('workspace-write', options), { ...places, gitDirectories: [] });
    for (const name of [
      '[cC][oO][dD][eE][xX]',
      '[aA][gG][eE][nN][tT][sS]',
      '[aA][wW][sS]',
      '[cC][aA][pP][sS][tT][aA][nN]',
    ]) {
      expect(rulesOf(given, disk)).toContain(`(deny file-write* (regex #"^/repo/[.]${name}(/|$)"))`);
    }
  });

  test('a writable root, and every folder above something protected, keeps its place', () => {
    const nested = diskOf({ '/repo': folder, '/repo/a': folder, '/repo/a/b': folder, '/repo/a/b/kept': folder });
    const rules = rulesOf(
      policy([
        ['/', 'read'],
        ['/repo', 'write'],
        ['/repo/a/b/kept', 'read'],
      ]),
      nested,
    );
    expect(rules.slice(-3)).toEqual([
      '(deny file-write-unlink (literal /repo))',
      '(deny file-write-unlink (literal /repo/a))',
      '(deny file-write-unlink (literal /repo/a/b))',
    ]);
  });

  test('a denied pattern is closed where its folder really is, and folders above its matches keep their names', () => {
    expect(rulesOf(policy([['/', 'read']], { globs: ['/tmp/*/keys/*.pem'] }), disk)).toEqual([
      '(allow file-read* (subpath /))',
      '(deny file-read* file-write* (regex #"^/tmp/[^/]*/keys/[^/]*[.]pem(/|$)"))',
      '(deny file-write-unlink (require-all (vnode-type DIRECTORY) (regex #"^/tmp/[^/]*$")))',
      '(deny file-write-unlink (require-all (vnode-type DIRECTORY) (regex #"^/tmp/[^/]*/keys$")))',
      '(deny file-read* file-write* (regex #"^/private/tmp/[^/]*/keys/[^/]*[.]pem(/|$)"))',
      '(deny file-write-unlink (require-all (vnode-type DIRECTORY) (regex #"^/private/tmp/[^/]*$")))',
      '(deny file-write-unlink (require-all (vnode-type DIRECTORY) (regex #"^/private/tmp/[^/]*/keys$")))',
    ]);
  });

  test('reading that is limited opens what it names, and what programs need to start', () => {
    const { text, parameters } = seatbeltProfile(policy([['/repo', 'read']], { platform: true }), disk);
    expect(text).toContain('(allow file-read-metadata');
    expect(text).not.toContain('user-preference-read');
    expect(parameters.map(([, path]) => path)).toContain('/repo');
    expect(text).not.toContain('(allow file-read* (subpath (param "PATH_0")))\n(allow file-read* (subpath /))');
  });

  test('no path becomes part of the program', () => {
    const odd = '/repo/") (allow default) ("';
    const { text, parameters } = seatbeltProfile(
      policy([
        ['/', 'read'],
        [odd, 'write'],
      ]),
      diskOf({ [odd]: folder, '/repo': folder }),
    );
    expect(text).not.toContain('allow default');
    expect(parameters.map(([, path]) => path)).toContain(odd);
  });
});

describe('the network', () => {
  const enabled = policy([['/', 'read']], { network: 'enabled' });
  const closed = policy([['/', 'read']]);
  const openings = (given: ResolvedPolicy): readonly string[] => {
    const { text, parameters } = seatbeltProfile(given, diskOf({}));
    const paths = new Map(parameters.map(([name, path]) => [`(param "${name}")`, path]));
    return text
      .split('\n')
      .filter((line) => /network-|system-socket/.test(line))
      .map((line) => line.replaceAll(/\(param "\w+"\)/g, (name) => paths.get(name) ?? '?'));
  };

  const lists = { allow: ['a.org'], deny: [], local: false, methods: 'any' } as const;

  test.each<[string, ResolvedPolicy, readonly string[]]>([
    ['restricted is closed', closed, []],
    ['enabled is open', enabled, ['(allow network-outbound network-inbound network-bind system-socket)']],
    ['listed hosts open nothing without a proxy', { ...enabled, lists }, []],
    [
      'sockets are opened by their path',
      { ...closed, sockets: ['/run/agent'] },
      [
        '(allow system-socket (socket-domain AF_UNIX))',
        '(allow network-bind (local unix-socket (subpath /run/agent)))',
        '(allow network-outbound (remote unix-socket (subpath /run/agent)))',
      ],
    ],
  ])('%s', (_what, given, expected) => {
    expect(openings(given)).toEqual(expected);
  });
});
