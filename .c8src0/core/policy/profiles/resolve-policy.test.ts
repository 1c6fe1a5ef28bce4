import { describe, expect, test } from 'vitest';
import type {
  FileAccess,
  FileSystemEntry,
  PathPattern,
  PermissionProfile,
  ResolvedPolicy,
} from '../../../protocol/permissions.ts';
import { accessAt, writablePaths } from '../paths/access.ts';
import { builtInProfile } from './profiles.ts';
import { resolvePolicy } from './resolve-policy.ts';
import { noOwnPlaces, type PermissionPlaces } from '../paths/special-places.ts';

const places: PermissionPlaces = {
  cwd: '/repo',
  workspaceRoots: ['/repo'],
  slashTmp: true,
  gitDirectories: [],
  own: noOwnPlaces,
};

function at(path: string, granted: FileAccess, more: Partial<FileSystemEntry> = {}): FileSystemEntry {
  return { path: { type: 'path', path }, access: granted, ...more };
}

function on(path: PathPattern, granted: FileAccess): FileSystemEntry {
  return { path, access: granted };
}

const root: PathPattern = { type: 'special', value: { kind: 'root' } };

function resolve(entries: readonly FileSystemEntry[], where: Partial<PermissionPlaces> = {}): ResolvedPolicy {
  const profile: PermissionProfile = {
    type: 'managed',
    file_system: { type: 'restricted', entries },
    network: 'restricted',
  };
  return resolvePolicy(profile, { ...places, ...where });
}

function rulesOf(policy: ResolvedPolicy) {
  return policy.files.kind === 'restricted' ? policy.files.rules : [];
}

test('a temporary folder that is the whole disk opens nothing', () => {
  const options = { network: false, writableRoots: [], excludeTmpdir: false, excludeSlashTmp: true };
  const writable = (temporaryDirectory: string) =>
    rulesOf(resolvePolicy(builtInProfile('workspace-write', options), { ...places, temporaryDirectory }))
      .filter(({ access }) => access === 'write')
      .map(({ path }) => path);
  for (const whole of ['/', '//', '/..']) expect(writable(whole)).toEqual(['/repo']);
  expect(writable('/var/tmp')).toEqual(['/repo', '/var/tmp']);
});

test('workspace-write becomes paths, with every protected name kept from being made', () => {
  const profile = builtInProfile('workspace-write', {
    network: false,
    writableRoots: [],
    excludeTmpdir: false,
    excludeSlashTmp: true,
  });
  const policy = resolvePolicy(profile, { ...places, temporaryDirectory: '/var/tmp/me/' });
  const guards = (folder: string, names: readonly string[]) =>
    names.map((name) => ({ path: `${folder}/${name}`, access: 'read', ifMissing: 'protect' }));
  expect(policy).toEqual({
    enforcement: 'managed',
    files: {
      kind: 'restricted',
      rules: [
        { path: '/', access: 'read', ifMissing: 'protect' },
        { path: '/repo', access: 'write', ifMissing: 'skip', keeps: ['.git'] },
        { path: '/var/tmp/me', access: 'write', ifMissing: 'skip' },
        ...guards('/repo', ['.git', '.agents', '.codex', '.aws']),
        ...guards('/repo', ['.capstan']),
        ...guards('/var/tmp/me', ['.git', '.agents', '.codex', '.aws', '.capstan']),
      ],
      denyGlobs: [],
      platformDefaults: false,
      guards: [
        ...guards('', ['.git', '.agents', '.codex', '.aws', '.capstan']),
        ...guards('/repo', ['.git', '.agents', '.codex', '.aws', '.capstan']),
        { path: '/proc', access: 'read', ifMissing: 'protect', own: true },
        { path: '/sys', access: 'read', ifMissing: 'protect', own: true },
      ],
    },
    network: 'restricted',
  });
});

describe('the whole disk', () => {
  test('write and deny on the root: deny, and not the whole disk', () => {
    const policy = resolve([on(root, 'write'), on(root, 'deny')]);
    expect(policy.files.kind).toBe('restricted');
    expect(accessAt(policy, '/')).toBe('deny');
  });

  test('a read that a write at the same place outdoes narrows nothing', () => {
    const policy = resolve([on(root, 'write'), at('/docs', 'read'), at('/docs', 'write')]);
    expect(policy.files).toEqual({ kind: 'unrestricted' });
  });

  test.each([
    ['a read', at('/docs', 'read')],
    ['a deny', at('/docs', 'deny')],
    ['a glob', on({ type: 'glob_pattern', pattern: '/docs/*.env' }, 'deny')],
  ])('%s narrows, and then the names below the root are protected', (_, entry) => {
    const policy = resolve([on(root, 'write'), entry]);
    expect(policy.files.kind).toBe('restricted');
    expect(accessAt(policy, '/.git/config')).toBe('read');
    expect(accessAt(policy, '/home')).toBe('write');
  });

  test('disabled and external profiles restrict no files', () => {
    expect(resolvePolicy({ type: 'disabled' }, places)).toEqual({
      enforcement: 'disabled',
      files: { kind: 'unrestricted' },
      network: 'enabled',
    });
    expect(resolvePolicy({ type: 'external', network: 'restricted' }, places)).toEqual({
      enforcement: 'external',
      files: { kind: 'unrestricted' },
      network: 'restricted',
    });
  });
});

describe('protected names', () => {
  test('an entry on the name itself opens it, one inside opens only itself', () => {
    expect(accessAt(resolve([at('/repo', 'write'), at('/repo/.codex', 'write')]), '/repo/.codex/config.toml')).toBe(
      'write',
    );
    const inside = resolve([at('/repo', 'write'), at('/repo/.git/hooks', 'write')]);
    expect(accessAt(inside, '/repo/.git/hooks/pre-commit')).toBe('write');
    expect(accessAt(inside, '/repo/.git/config')).toBe('read');
  });

  test('an explicit deny on the name stays a deny', () => {
    expect(accessAt(resolve([at('/repo', 'write'), at('/repo/.aws', 'deny')]), '/repo/.aws/x')).toBe('deny');
  });

  test('only directly below a write rule, unless the folder below is a rule of its own', () => {
    expect(accessAt(resolve([at('/repo', 'write')]), '/repo/sub/.codex')).toBe('write');
    expect(accessAt(resolve([at('/repo', 'write'), at('/repo/sub', 'write')]), '/repo/sub/.codex')).toBe('read');
  });

  test('.git is read-only at any depth, whatever its letters, and an entry on one opens that one', () => {
    const policy = resolve([at('/repo', 'write'), at('/repo/open/.git', 'write')]);
    const granted = [
      '/repo/a/b/.git',
      '/repo/a/.git/hooks/x',
      '/repo/a/.GIT/config',
      '/repo/a/.gitignore',
      '/repo/x.git',
    ];
    expect(granted.map((path) => accessAt(policy, path))).toEqual(['read', 'read', 'read', 'write', 'write']);
    expect(accessAt(policy, '/repo/open/.git/config')).toBe('write');
    expect(accessAt(policy, '/repo/open/.git/modules/x/.git')).toBe('read');
    expect(accessAt(resolve([at('/', 'write'), at('/docs', 'read')]), '/srv/x/.git/config')).toBe('read');
  });

  test('temporary folders keep no .git, unless the workspace is one', () => {
    const slashTmp = { type: 'special', value: { kind: 'slash_tmp' } } as const;
    expect(accessAt(resolve([on(slashTmp, 'write')]), '/tmp/clone/.git/config')).toBe('write');
    for (const entries of [
      [at('/tmp', 'write'), on(slashTmp, 'write')],
      [on(slashTmp, 'write'), at('/tmp', 'write')],
    ]) {
      expect(accessAt(resolve(entries), '/tmp/clone/.git/config')).toBe('read');
    }
  });

  test('names that would make the workspace a repository are kept there, and nowhere else', () => {
    const gitNames = ['HEAD'];
    const policy = resolve([at('/repo', 'write'), at('/other', 'write')], { gitNames });
    expect(rulesOf(policy).at(-1)).toEqual({ path: '/repo/HEAD', access: 'read', ifMissing: 'protect' });
    expect(['/repo/HEAD', '/repo/sub/HEAD', '/other/HEAD'].map((path) => accessAt(policy, path))).toEqual([
      'read',
      'write',
      'write',
    ]);
    expect(rulesOf(resolve([at('/repo', 'read')], { gitNames }))).toHaveLength(1);
    expect(accessAt(resolve([at('/repo', 'write'), at('/repo/HEAD', 'write')], { gitNames }), '/repo/HEAD')).toBe(
      'write',
    );
  });

  test('a write that a deny outdoes is no place to protect', () => {
    const policy = resolve([at('/repo', 'write'), at('/repo', 'deny')]);
    expect(rulesOf(policy).map((rule) => rule.path)).toEqual(['/repo', '/repo']);
    expect(writablePaths(policy)).toEqual([]);
  });

  test('skip is kept for ordinary paths and overruled for protected names', () => {
    const skip = { missing_path_behavior: 'skip' } as const;
    const policy = resolve([at('/repo', 'write'), at('/repo/.git', 'read', skip), at('/repo/vendor', 'read', skip)]);
    expect(
      rulesOf(policy)
        .filter((rule) => rule.access === 'read')
        .slice(0, 2),
    ).toEqual([
      { path: '/repo/.git', access: 'read', ifMissing: 'protect' },
      { path: '/repo/vendor', access: 'read', ifMissing: 'skip' },
    ]);
  });

  test('the target of a git pointer is read-only where it could be written, and never becomes readable by it', () => {
    const gitDirectories = ['/repo/main/worktrees/x', '/secret/git'];
    const policy = resolve([at('/repo', 'write')], { gitDirectories });
    expect(accessAt(policy, '/repo/main/worktrees/x/HEAD')).toBe('read');
    expect(accessAt(policy, '/secret/git/HEAD')).toBe('deny');
  });
});

describe('symbols', () => {
  test('workspace roots with a subpath: one rule per root, and the working folder without roots', () => {
    const entry = on({ type: 'special', value: { kind: 'project_roots', subpath: 'docs' } }, 'read');
    expect(rulesOf(resolve([entry], { workspaceRoots: ['/a', '/b'] })).map((rule) => rule.path)).toEqual([
      '/a/docs',
      '/b/docs',
    ]);
    expect(rulesOf(resolve([entry], { workspaceRoots: [] })).map((rule) => rule.path)).toEqual(['/repo/docs']);
  });

  test('temporary folders that do not exist here grant and deny nothing', () => {
    const tmpdir = { type: 'special', value: { kind: 'tmpdir' } } as const;
    const slashTmp = { type: 'special', value: { kind: 'slash_tmp' } } as const;
    const policy = resolve([on(tmpdir, 'write'), on(slashTmp, 'deny')], { slashTmp: false });
    const files = { kind: 'restricted', rules: [], denyGlobs: [], platformDefaults: false };
    expect(policy.files).toEqual({ ...files, guards: expect.any(Array) });
  });

  test('minimal switches the platform defaults on', () => {
    const policy = resolve([on({ type: 'special', value: { kind: 'minimal' } }, 'read')]);
    expect(policy.files).toMatchObject({ platformDefaults: true });
  });

  test('globs: relative ones start at the working folder, symbolic ones at each root, whose name is taken literally', () => {
    const globs = ['**/*.env', 'codex-project-roots://secrets/*'].map((pattern) =>
      on({ type: 'glob_pattern', pattern }, 'deny'),
    );
    const policy = resolve(globs, { workspaceRoots: ['/a', '/b*'] });
    expect(policy.files).toMatchObject({
      denyGlobs: [String.raw`/a/secrets/*`, String.raw`/b\*/secrets/*`, '/repo/**/*.env'],
    });
  });
});

describe('what makes no sense fails closed', () => {
  const unknown = { type: 'special', value: { kind: 'unknown', path: ':future' } } as const;
  const climbing = { type: 'special', value: { kind: 'project_roots', subpath: '../x' } } as const;
  const relative = { type: 'path', path: 'repo' } as const;
  const reversed = { type: 'glob_pattern', pattern: '/x/[z-a]' } as const;

  test.each([unknown, climbing, relative, { type: 'glob_pattern', pattern: '/a/*.txt' } as const])(
    'a grant grants nothing: %j',
    (pattern) => {
      expect(resolve([on(pattern, 'write')]).files).toMatchObject({ rules: [], denyGlobs: [] });
    },
  );

  test.each([unknown, climbing, relative, reversed])('a deny denies everything: %j', (pattern) => {
    const policy = resolve([on(root, 'write'), on(pattern, 'deny')]);
    expect(accessAt(policy, '/repo/file')).toBe('deny');
    expect(accessAt(policy, '/')).toBe('deny');
  });

  test.each([
    {},
    null,
    { path: { type: 'path', path: '/x' }, access: 'none' },
    { path: { type: 'new' }, access: 'deny' },
  ])('an entry of another shape denies everything: %j', (entry) => {
    expect(accessAt(resolve([on(root, 'read'), entry as FileSystemEntry]), '/repo/file')).toBe('deny');
  });
});

test('metadata is kept at each repository on the way to the working folder, and in submodules that are not there yet', () => {
  const where = { repositories: ['/ws/a', '/ws', '/elsewhere'], submodules: ['/ws/a/lib'] };
  const policy = resolve([on(root, 'read'), at('/ws', 'write'), at('/ws/a/.aws', 'write')], where);
  const paths = ['/ws/a/.codex/x', '/ws/a/.git', '/ws/a/.aws/x', '/ws/a/lib/.git', '/ws/a/lib/.codex', '/ws/a/x'];
  expect(paths.map((path) => accessAt(policy, path))).toEqual(['read', 'read', 'write', 'read', 'read', 'write']);
  for (const path of ['/ws/a/lib/.git', '/ws/a/lib/.codex']) {
    expect(rulesOf(policy)).toContainEqual({ path, access: 'read', ifMissing: 'protect' });
  }
  expect(rulesOf(policy).some(({ path }) => path.startsWith('/elsewhere'))).toBe(false);
});

test('a submodule that is not checked out is kept whole, and so are files that settings of git include', () => {
  const where = { repositories: ['/ws'], absentSubmodules: ['/ws/sub', '/else/sub'], gitIncludes: ['/ws/.gitconfig'] };
  const policy = resolve([on(root, 'read'), at('/ws', 'write')], where);
  for (const path of ['/ws/sub', '/ws/sub/.git', '/ws/sub/x', '/ws/.gitconfig'])
    expect(accessAt(policy, path)).toBe('read');
  expect(accessAt(policy, '/ws/subs')).toBe('write');
  expect(rulesOf(policy).filter(({ path }) => /sub$|gitconfig/.test(path))).toEqual([
    { path: '/ws/.gitconfig', access: 'read', ifMissing: 'skip' },
    { path: '/ws/sub', access: 'read', ifMissing: 'protect' },
  ]);
});
