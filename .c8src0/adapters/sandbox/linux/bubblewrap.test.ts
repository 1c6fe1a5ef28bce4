import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { accessByRules } from '../../../core/policy/paths/access.ts';
import { noOwnPlaces } from '../../../core/policy/paths/special-places.ts';
import { isWithin, parentPath } from '../../../core/policy/paths/absolute-paths.ts';
import { builtInProfile } from '../../../core/policy/profiles/profiles.ts';
import { resolvePolicy } from '../../../core/policy/profiles/resolve-policy.ts';
import type { PathInspection } from '../../../core/policy/paths/walk-path.ts';
import type { FileAccess, PathRule, ResolvedFilePolicy } from '../../../protocol/permissions.ts';
import type { DiskView } from '../disk-view.ts';
import { planMounts } from './bubblewrap.ts';

/** Folders end with a slash, `link -> target` is a link, everything else is a file. Folders above are made. */
function diskOf(...names: readonly string[]): DiskView {
  const seen = new Map<string, PathInspection>([['/', { kind: 'folder' }]]);
  for (const name of names) {
    const [path = '', target] = name.replace(/\/$/, '').split(' -> ');
    for (let folder = parentPath(path); folder !== '/'; folder = parentPath(folder))
      seen.set(folder, { kind: 'folder' });
    seen.set(path, target !== undefined ? { kind: 'link', target } : { kind: name.endsWith('/') ? 'folder' : 'file' });
  }
  return {
    look: (path) => seen.get(path) ?? { kind: 'missing' },
    list: (folder) =>
      [...seen.keys()]
        .filter((path) => path !== '/' && parentPath(path) === folder)
        .map((path) => path.slice(path.lastIndexOf('/') + 1)),
    canCreateIn: (folder) => !folder.startsWith('/foreign'),
  };
}

function files(
  rules: readonly (readonly [string, FileAccess])[],
  more: Partial<Extract<ResolvedFilePolicy, { kind: 'restricted' }>> = {},
): ResolvedFilePolicy {
  return {
    kind: 'restricted',
    rules: rules.map(([path, access]): PathRule => ({
      path,
      access,
      ifMissing: access === 'write' ? 'skip' : 'protect',
    })),
    denyGlobs: [],
    platformDefaults: false,
    ...more,
  };
}

function plan(
  resolved: ResolvedFilePolicy,
  disk: DiskView,
  more: { deniedMatches?: readonly string[]; ownProcessTable?: boolean } = {},
) {
  const made = planMounts({ files: resolved, deniedMatches: [], ownProcessTable: true, ...more }, disk);
  return made.kind === 'mounts'
    ? { options: made.options.join(' '), mountPoints: made.mountPoints }
    : { ...made, options: undefined };
}

const readBase = '--ro-bind / / --dev /dev --proc /proc --remount-ro /proc';

describe('law', () => {
  const path = fc
    .array(fc.constantFrom('a', 'b', '.git'), { minLength: 1, maxLength: 4 })
    .map((names) => `/${names.join('/')}`);
  const granted = fc.constantFrom<FileAccess>('read', 'write', 'deny');

  /** The access of a command to a path that exists: the last mount that covers it decides. */
  function met(options: readonly string[], target: string): FileAccess {
    let found: FileAccess = 'deny';
    for (const [index, option] of options.entries()) {
      const [first = '', second = ''] = options.slice(index + 1);
      if (option === '--tmpfs' && isWithin(target, first)) found = options[index - 1] === '555' ? 'read' : 'deny';
      if (option === '--bind' && isWithin(target, second)) found = 'write';
      if (option === '--ro-bind' && isWithin(target, second)) found = first === '/dev/null' ? 'deny' : 'read';
    }
    return found;
  }

  test('every place that exists has the access of its most specific rule, and mounts lie on places that exist', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(path, granted), { maxLength: 7 }),
        fc.option(granted, { nil: undefined }),
        fc.array(path, { minLength: 1, maxLength: 7 }),
        (rules, root, existing) => {
          const disk = diskOf(...existing.map((name) => `${name}/`));
          const resolved = files(root === undefined ? rules : [...rules, ['/', root]]);
          const made = planMounts({ files: resolved, deniedMatches: [], ownProcessTable: false }, disk);
          const options = made.kind === 'mounts' ? made.options : [];
          const restricted = resolved.kind === 'restricted' ? resolved.rules : [];
          for (const target of existing) expect(met(options, target)).toBe(accessByRules(restricted, target));
          const bound = options.filter((_, index) => ['--bind', '--ro-bind'].includes(options[index - 1] ?? ''));
          expect(bound.map((source) => disk.look(source).kind)).not.toContain('missing');
        },
      ),
      { numRuns: 500 },
    );
  });

  test('what is protected and missing cannot be made: something is mounted on the way to it', () => {
    fc.assert(
      fc.property(path, fc.array(path, { maxLength: 5 }), (guarded, existing) => {
        const disk = diskOf('/w/', ...existing.map((name) => `/w${name}/`));
        const target = `/w${guarded}`;
        fc.pre(disk.look(target).kind === 'missing');
        const made = planMounts(
          {
            files: files([
              ['/', 'read'],
              ['/w', 'write'],
              [target, 'read'],
            ]),
            deniedMatches: [],

            ownProcessTable: true,
          },
          disk,
        );
        const points = made.kind === 'mounts' ? made.mountPoints : [];
        expect(points.filter((point) => isWithin(target, point)).length).toBe(1);
        expect(points.every((point) => disk.look(parentPath(point)).kind === 'folder')).toBe(true);
      }),
    );
  });
});

test('read-only is the disk without writing', () => {
  expect(plan(files([['/', 'read']]), diskOf('/repo/.git/'))).toEqual({ options: readBase, mountPoints: [] });
});

test('a kernel without process tables for sandboxes', () => {
  const made = planMounts({ files: files([['/', 'read']]), deniedMatches: [], ownProcessTable: false }, diskOf());
  expect(made).toMatchObject({ options: ['--ro-bind', '/', '/', '--dev', '/dev'] });
});

test('where commands may write the whole disk, they do not write the process table of the host', () => {
  expect(plan({ kind: 'unrestricted' }, diskOf(), { ownProcessTable: false }).options).toBe(
    '--bind / / --dev /dev --ro-bind-try /proc /proc --ro-bind-try /sys /sys --bind-try /dev/shm /dev/shm',
  );
  const rules = files([
    ['/', 'write'],
    ['/secret', 'deny'],
  ]);
  expect(plan(rules, diskOf('/secret'), { ownProcessTable: false }).options).toBe(
    '--bind / / --dev /dev --ro-bind-try /proc /proc --ro-bind /dev/null /secret',
  );
});

test('a disk without limits', () => {
  expect(plan({ kind: 'unrestricted' }, diskOf())).toEqual({
    options:
      '--bind / / --dev /dev --proc /proc --remount-ro /proc --ro-bind-try /sys /sys --bind-try /dev/shm /dev/shm',
    mountPoints: [],
  });
});

test('workspace-write: what exists is bound read-only, what is missing or empty is covered, and remounted at once', () => {
  const profile = builtInProfile('workspace-write', {
    network: false,
    writableRoots: [],
    excludeTmpdir: true,
    excludeSlashTmp: true,
  });
  const { files: resolved } = resolvePolicy(profile, {
    cwd: '/repo',
    workspaceRoots: ['/repo'],
    slashTmp: true,
    gitDirectories: [],
    own: noOwnPlaces,
  });
  expect(plan(resolved, diskOf('/repo/.git/config', '/repo/.codex/', '/repo/.aws'))).toEqual({
    options: [
      readBase,
      '--bind /repo /repo',
      '--ro-bind /repo/.aws /repo/.aws',
      '--ro-bind /repo/.git /repo/.git',
      '--perms 555 --tmpfs /repo/.agents --remount-ro /repo/.agents',
      '--perms 555 --tmpfs /repo/.capstan --remount-ro /repo/.capstan',
      '--perms 555 --tmpfs /repo/.codex --remount-ro /repo/.codex',
    ].join(' '),
    mountPoints: ['/repo/.agents', '/repo/.capstan', '/repo/.codex'],
  });
});

describe('denied places', () => {
  test('a folder is covered, a file is made unreadable', () => {
    const disk = diskOf('/repo/a/x', '/repo/f');
    expect(
      plan(
        files([
          ['/', 'read'],
          ['/repo/a', 'deny'],
          ['/repo/f', 'deny'],
        ]),
        disk,
      ).options,
    ).toBe(`${readBase} --ro-bind /dev/null /repo/f --perms 000 --tmpfs /repo/a --remount-ro /repo/a`);
  });

  test('what is opened again inside can be reached', () => {
    const rules = files([
      ['/repo', 'write'],
      ['/repo/a', 'deny'],
      ['/repo/a/b', 'write'],
      ['/', 'read'],
    ]);
    expect(plan(rules, diskOf('/repo/a/b/')).options).toBe(
      `${readBase} --bind /repo /repo --perms 111 --tmpfs /repo/a --bind /repo/a/b /repo/a/b --remount-ro /repo/a`,
    );
  });

  test('missing ones matter only where they could be made', () => {
    const rules = files([
      ['/', 'read'],
      ['/w', 'write'],
      ['/foreign', 'write'],
      ['/w/x/y', 'deny'],
      ['/r/x', 'deny'],
      ['/foreign/x', 'deny'],
    ]);
    expect(plan(rules, diskOf('/w/', '/r/', '/foreign/'))).toEqual({
      options: `${readBase} --bind /foreign /foreign --bind /w /w --perms 000 --tmpfs /w/x --remount-ro /w/x`,
      mountPoints: ['/w/x'],
    });
  });

  test('matches of globs are covered where they lead to', () => {
    const disk = diskOf('/w/a.env', '/w/b.env -> ../s/secret', '/s/secret');
    expect(
      plan(
        files([
          ['/', 'read'],
          ['/w', 'write'],
        ]),
        disk,
        { deniedMatches: ['/w/a.env', '/w/b.env'] },
      ).options,
    ).toBe(`${readBase} --bind /w /w --ro-bind /dev/null /s/secret --ro-bind /dev/null /w/a.env`);
  });
});

describe('limited reading', () => {
  test('starts from nothing, shows links on the way, and ends read-only', () => {
    const disk = diskOf('/usr/bin/bash', '/bin -> usr/bin', '/etc/', '/repo/');
    expect(plan(files([['/repo', 'read']], { platformDefaults: true }), disk).options).toBe(
      '--tmpfs / --dev /dev --proc /proc --remount-ro /proc --symlink usr/bin /bin --ro-bind /etc /etc --ro-bind /repo /repo --ro-bind /usr /usr --remount-ro /',
    );
  });

  test('a denied root hides nothing that is granted below', () => {
    expect(
      plan(
        files([
          ['/', 'deny'],
          ['/docs', 'read'],
        ]),
        diskOf('/docs/'),
      ).options,
    ).toBe('--tmpfs / --dev /dev --proc /proc --remount-ro /proc --ro-bind /docs /docs --remount-ro /');
  });
});

describe('missing roots', () => {
  test('are skipped, and what is protected in them does not keep them from being made', () => {
    const rules = files([
      ['/', 'read'],
      ['/w', 'write'],
      ['/w/new', 'write'],
      ['/w/new/.git', 'read'],
      ['/no', 'write'],
      ['/no/.git', 'read'],
    ]);
    expect(plan(rules, diskOf('/w/'))).toEqual({ options: `${readBase} --bind /w /w`, mountPoints: [] });
  });

  test('a root that is a file has nothing below it', () => {
    const rules = files([
      ['/', 'read'],
      ['/w/f', 'write'],
      ['/w/f/.git', 'read'],
    ]);
    expect(plan(rules, diskOf('/w/f')).options).toBe(`${readBase} --bind /w/f /w/f`);
  });
});

describe('folders that could be moved away', () => {
  test('are mounted on themselves when something protected is in them', () => {
    const rules = files([
      ['/', 'read'],
      ['/tmp', 'write'],
      ['/tmp/x/repo', 'write'],
      ['/tmp/x/repo/.git', 'read'],
    ]);
    expect(plan(rules, diskOf('/tmp/x/repo/.git/HEAD')).options).toBe(
      `${readBase} --bind /tmp /tmp --bind /tmp/x /tmp/x --bind /tmp/x/repo /tmp/x/repo --ro-bind /tmp/x/repo/.git /tmp/x/repo/.git`,
    );
  });

  test('a link that is held for the engine alone closes a folder that is too long to be opened piece by piece', () => {
    const rules = [
      { path: '/', access: 'read', ifMissing: 'protect' },
      { path: '/bin', access: 'write', ifMissing: 'skip' },
      { path: '/bin/capstan', access: 'read', ifMissing: 'skip', own: true },
    ] as const;
    const names = Array.from({ length: 300 }, (_, index) => `/bin/x${index}`);
    const disk = diskOf('/bin/capstan -> /opt/capstan/bin.js', '/opt/capstan/bin.js', ...names);
    expect(plan(files([], { rules }), disk).options).toBe(`${readBase} --ro-bind /bin /bin`);
    const others = files([], { rules: rules.map(({ path, access, ifMissing }) => ({ path, access, ifMissing })) });
    expect(plan(others, disk).options).toBeUndefined();
  });
});

describe('links', () => {
  test('a workspace behind a link is mounted where it is', () => {
    const disk = diskOf('/home/me/repo -> /data/repo', '/data/repo/.git/HEAD');
    const rules = files([
      ['/', 'read'],
      ['/home/me/repo', 'write'],
      ['/home/me/repo/.git', 'read'],
    ]);
    expect(plan(rules, disk).options).toBe(
      `${readBase} --bind /data/repo /data/repo --ro-bind /data/repo/.git /data/repo/.git`,
    );
  });

  test('a protected link is held by its folder, and its target protected as well', () => {
    const disk = diskOf('/repo/.codex -> shared', '/repo/shared/x', '/repo/src/', '/repo/other -> /etc', '/repo/file');
    const rules = files([
      ['/', 'read'],
      ['/repo', 'write'],
      ['/repo/.codex', 'read'],
      ['/repo/.git', 'read'],
    ]);
    expect(plan(rules, disk)).toEqual({
      options: `${readBase} --ro-bind /repo /repo --bind /repo/file /repo/file --ro-bind /repo/shared /repo/shared --bind /repo/src /repo/src`,
      mountPoints: [],
    });
  });

  test('a folder with too many names to hold still is refused', () => {
    const many = Array.from({ length: 300 }, (_, index) => `/repo/${index}`);
    const rules = files([
      ['/', 'read'],
      ['/repo', 'write'],
      ['/repo/.git', 'read'],
    ]);
    expect(plan(rules, diskOf('/repo/.git -> /elsewhere', ...many))).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('"/repo/.git" is a protected symbolic link') as string,
    });
  });

  test('nothing is granted through a link that a command could replace', () => {
    const disk = diskOf('/tmp/mine -> /home/me', '/home/me/x');
    const rules = files([
      ['/', 'read'],
      ['/tmp', 'write'],
      ['/tmp/mine', 'write'],
      ['/tmp/mine/.git', 'read'],
    ]);
    expect(plan(rules, disk)).toEqual({ options: `${readBase} --bind /tmp /tmp`, mountPoints: [] });
  });

  test('two spellings of one place: the stricter rule holds', () => {
    const disk = diskOf('/opt/git -> /repo/.git', '/repo/.git/HEAD');
    const rules = files([
      ['/', 'read'],
      ['/repo', 'write'],
      ['/repo/.git', 'read'],
      ['/opt/git', 'write'],
    ]);
    expect(plan(rules, disk).options).toBe(`${readBase} --bind /repo /repo --ro-bind /repo/.git /repo/.git`);
  });

  test('links that lead nowhere grant nothing and are held where they matter', () => {
    const disk = diskOf('/repo/.git -> .git', '/repo/src/');
    const rules = files([
      ['/', 'read'],
      ['/repo', 'write'],
      ['/repo/.git', 'read'],
      ['/repo/.git/x', 'write'],
    ]);
    expect(plan(rules, disk).options).toBe(`${readBase} --ro-bind /repo /repo --bind /repo/src /repo/src`);
  });
});
