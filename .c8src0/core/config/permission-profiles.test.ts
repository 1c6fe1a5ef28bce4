import { parse } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { accessAt, writablePaths } from '../policy/paths/access.ts';
import { noOwnPlaces } from '../policy/paths/special-places.ts';
import { resolvePolicy } from '../policy/profiles/resolve-policy.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { PermissionProfile } from '../../protocol/permissions.ts';
import { type ResolveConfigOptions, resolveConfig } from './config.ts';
import type { ConfigLayer, LayerName } from './layer-order.ts';

function layer(text: string, name: LayerName = 'user'): ConfigLayer {
  return {
    name,
    source: name === 'flags' ? 'command line' : `/etc/${name}.toml`,
    values: parse(text) as JsonObject,
    text,
  };
}

const reading: ResolveConfigOptions = { osHome: '/home/me', cwd: '/repo' };

function read(...layers: readonly ConfigLayer[]) {
  return resolveConfig(layers, reading);
}

/** The profile of a text without a fault. */
function profileOf(text: string): PermissionProfile {
  const { config, problems } = read(layer(text));
  expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  return config.namedProfile?.profile as PermissionProfile;
}

function resolved(text: string) {
  const places = {
    cwd: '/repo',
    workspaceRoots: ['/repo'],
    temporaryDirectory: '/var/tmp/me',
    slashTmp: true,
    gitDirectories: [],
    own: noOwnPlaces,
  };
  return resolvePolicy(profileOf(text), places);
}

function at(text: string, ...paths: readonly string[]): readonly string[] {
  const policy = resolved(text);
  return paths.map((path) => accessAt(policy, path));
}

const chosen = 'default_permissions = "dev"\n';

describe('what a profile grants', () => {
  test('built-in profiles are those of the sandbox modes', () => {
    expect(profileOf('default_permissions = ":danger-full-access"')).toEqual({ type: 'disabled' });
    expect(at('default_permissions = ":read-only"', '/repo', '/tmp')).toEqual(['read', 'read']);
    expect(at('default_permissions = ":workspace"', '/repo/x', '/repo/.git', '/etc')).toEqual([
      'write',
      'read',
      'read',
    ]);
  });

  test('every form of an entry', () => {
    const text = `${chosen}
      [permissions.dev.filesystem]
      ":minimal" = "read"
      "/srv/data" = "read"
      "~/docs/**" = "write"
      "/srv/**/*.key" = "deny"
      "~/.ssh" = "none"
      [permissions.dev.filesystem."/opt/app"]
      "." = "read"
      "cache" = "write"
      "logs/**" = "write"
      "*.pem" = "deny"
      [permissions.dev.filesystem.":workspace_roots"]
      "." = "write"
      "docs" = "read"
      "docs/private" = "deny"
      "docs/private/public" = "write"
      "**/*.env" = "none"`;
    const granted = {
      '/usr/bin': 'read',
      '/var': 'deny',
      '/srv/data/x': 'read',
      '/srv/data/x.key': 'deny',
      '/home/me/docs/a/b': 'write',
      '/home/me/.ssh/id': 'deny',
      '/opt/app/x': 'read',
      '/opt/app/cache/x': 'write',
      '/opt/app/logs/today': 'write',
      '/opt/app/server.pem': 'deny',
      '/opt/app/sub/server.pem': 'read',
      '/repo/x': 'write',
      '/repo/docs/x': 'read',
      '/repo/docs/private/x': 'deny',
      '/repo/docs/private/public/x': 'write',
      '/repo/deep/down/.env': 'deny',
      '/repo/deep/down/prod.env': 'deny',
      '/repo/prod.env': 'deny',
    };
    expect(at(text, ...Object.keys(granted))).toEqual(Object.values(granted));
  });

  test('an older name of the workspace means the same', () => {
    expect(at(`${chosen}[permissions.dev.filesystem]\n":project_roots" = "write"`, '/repo/x')).toEqual(['write']);
  });

  test.each([
    ['"/tmp" = "read"', '/tmp/x', 'read'],
    ['":project_roots" = "read"', '/repo/x', 'read'],
    ['"//" = "deny"', '/etc/x', 'deny'],
  ])('%s replaces what its parent says about the same place in other words', (entry, path, expected) => {
    const text = `${chosen}[permissions.dev]\nextends = ":workspace"\nfilesystem = { ${entry} }`;
    expect(accessAt(resolved(text), path)).toBe(expected);
  });

  test('a profile that extends the workspace keeps what it does not name', () => {
    const text = `${chosen}[permissions.dev]\nextends = ":workspace"\nfilesystem = { ":tmpdir" = "read" }`;
    expect(at(text, '/var/tmp/me/x', '/tmp/x', '/repo/x', '/repo/.codex/x')).toEqual([
      'read',
      'write',
      'write',
      'read',
    ]);
  });

  test('a child overrides its parent key by key', () => {
    const text = `${chosen}
      [permissions.base]
      description = "parent"
      extends = ":read-only"
      filesystem = { glob_scan_max_depth = 5, "/tmp/shared" = "write", "/srv" = "write", ":workspace_roots" = { "." = "write", "docs" = "read" } }
      network = { enabled = true, domains = { "API.Example.com." = "allow", "b.com" = "allow" } }
      [permissions.dev]
      extends = "base"
      filesystem = { glob_scan_max_depth = 2, "/tmp/shared" = "read", ":workspace_roots" = { "docs" = "write" } }
      network = { domains = { "api.example.com" = "deny" } }`;
    expect(at(text, '/tmp/shared/x', '/srv/x', '/repo/docs', '/etc')).toEqual(['read', 'write', 'write', 'read']);
    const profile = profileOf(text);
    expect(profile).toMatchObject({ file_system: { glob_scan_max_depth: 2 }, network: 'enabled' });
    expect(profile).toMatchObject({
      capstan_network: { lists: { allow: ['b.com'], deny: ['api.example.com'], local: false, methods: 'any' } },
    });
  });

  test('roots that are turned on count to the workspace, with what is kept in it', () => {
    const text = `${chosen}
      [permissions.dev]
      extends = ":workspace"
      [permissions.dev.workspace_roots]
      "~/shared" = true
      "/srv/off" = false
      "../beside" = true
      [permissions.dev.filesystem.":workspace_roots"]
      "secret" = "deny"`;
    expect(
      at(text, '/home/me/shared/x', '/srv/off/x', '/beside/x', '/beside/secret/x', '/home/me/shared/.git'),
    ).toEqual(['write', 'read', 'write', 'deny', 'read']);
  });

  test('tables of several layers are one', () => {
    const { config } = read(
      layer('[permissions.dev]\nextends = ":workspace"', 'system'),
      layer('default_permissions = "dev"\n[permissions.dev.filesystem]\n"/srv" = "write"', 'user'),
      layer('permissions.dev.filesystem."/srv" = "deny"', 'flags'),
    );
    const entries = expect.arrayContaining([{ path: { type: 'path', path: '/srv' }, access: 'deny' }]);
    expect(config.namedProfile?.profile).toMatchObject({ file_system: { entries } });
  });

  test('globs look as deep as the profile says', () => {
    const text = `${chosen}[permissions.dev.filesystem]\n":root" = "read"\n"/x/**/*.env" = "deny"\nglob_scan_max_depth = 2`;
    expect(at(text, '/x/.env', '/x/a/p.env', '/x/a/b/p.env', '/x/a/p.env/inside')).toEqual([
      'deny',
      'deny',
      'read',
      'deny',
    ]);
  });

  test('a symbol that is not known grants nothing and is reported', () => {
    const text = `${chosen}[permissions.dev.filesystem]\n":root" = "read"\n":new_place" = "write"\n":other" = { x = "read" }`;
    const { problems } = read(layer(text));
    expect(problems.map(({ severity, key, line }) => ({ severity, key, line }))).toEqual([
      { severity: 'warning', key: 'permissions.dev.filesystem.":new_place"', line: 4 },
      { severity: 'warning', key: 'permissions.dev.filesystem.":other"', line: 5 },
    ]);
    expect(writablePaths(resolved(text))).toEqual([]);
  });

  test('the network is off unless a profile turns it on', () => {
    expect(resolved(`${chosen}[permissions.dev]\nextends = ":workspace"`)).toMatchObject({ network: 'restricted' });
    const open = resolved(`${chosen}[permissions.dev]\nextends = ":workspace"\nnetwork = { enabled = true }`);
    expect([open.network, open.lists]).toEqual(['enabled', undefined]);
  });

  test('domains, methods and sockets', () => {
    const policy = resolved(`${chosen}
      [permissions.dev]
      extends = ":workspace"
      [permissions.dev.network]
      enabled = true
      mode = "limited"
      allow_local_binding = true
      domains = { "*.Example.com" = "allow", "**.b.org:8443" = "allow", "[::1]" = "allow", "x.example.com" = "deny", "X.Example.com." = "deny" }
      unix_sockets = { "/run/docker.sock" = "allow", "/run/other.sock" = "deny", "~/s.sock" = "allow" }`);
    expect(policy).toMatchObject({
      lists: {
        allow: ['**.b.org:8443', '*.example.com', '::1'],
        deny: ['x.example.com'],
        local: true,
        methods: 'reading',
      },
      sockets: ['/home/me/s.sock', '/run/docker.sock'],
    });
  });
});

describe('which of the two ways counts', () => {
  const dev = '[permissions.dev]\nextends = ":workspace"\n';
  const idOf = (...layers: readonly ConfigLayer[]) => read(...layers).config.namedProfile?.id;

  test('the highest layer with either key; of both in one layer, the profile', () => {
    expect(idOf(layer(chosen + dev))).toBe('dev');
    expect(idOf(layer(`${chosen}sandbox_mode = "read-only"\n${dev}`))).toBe('dev');
    expect(idOf(layer(chosen + dev), layer('sandbox_mode = "read-only"', 'flags'))).toBeUndefined();
    expect(
      idOf(layer('sandbox_mode = "read-only"', 'user'), layer('default_permissions = ":workspace"', 'project')),
    ).toBe(':workspace');
    expect(idOf(layer(`sandbox_mode = "read-only"\n${dev}`), layer(chosen, 'flags'))).toBe('dev');
  });

  test('both as flags contradict each other', () => {
    const { problems } = read(layer(dev), layer(`${chosen}sandbox_mode = "read-only"`, 'flags'));
    expect(problems).toMatchObject([{ severity: 'error', message: expect.stringContaining('contradict') }]);
  });

  test('the managed file does not widen a flag that says read-only', () => {
    expect(idOf(layer('sandbox_mode = "read-only"', 'flags'), layer(chosen + dev, 'managed'))).toBeUndefined();
    expect(idOf(layer('sandbox_mode = "workspace-write"', 'flags'), layer(chosen + dev, 'managed'))).toBe('dev');
  });

  test('a project that is not trusted has no say', () => {
    const project = { ...layer('default_permissions = ":danger-full-access"', 'project'), disabled: 'untrusted' };
    expect(idOf(layer(chosen + dev), project)).toBe('dev');
  });

  test('whether a name is known is asked where the folder is known', () => {
    expect(resolveConfig([layer('default_permissions = "theirs"')], { osHome: '/home/me' }).problems).toEqual([]);
  });
});

describe("who may reopen Capstan's own places", () => {
  const rules = '/home/me/.capstan/rules';
  const table = `[permissions.dev.filesystem]\n":root" = "read"\n"${rules}" = "write"\n`;
  const marks = (...layers: readonly ConfigLayer[]): unknown => {
    const profile = read(...layers).config.namedProfile?.profile;
    if (profile?.type !== 'managed' || profile.file_system.type !== 'restricted') return undefined;
    return Object.fromEntries(
      profile.file_system.entries.flatMap(({ path, capstan_keeps_own: keeps = false }) =>
        path.type === 'path' ? [[path.path, keeps]] : [],
      ),
    );
  };
  const chosen = 'default_permissions = "dev"\n';

  test.each<LayerName>(['system', 'user', 'profile', 'flags', 'managed'])('an entry of the layer %s', (name) => {
    expect(marks(layer(chosen + table, name), layer('model = "m"', 'project'))).toEqual({ [rules]: false });
  });

  test('no entry of a project, also in a profile of the user or in one that extends it', () => {
    expect(marks(layer(chosen + table, 'project'))).toEqual({ [rules]: true });
    const more = '[permissions.dev.filesystem]\n"/home/me/.capstan" = "write"\n';
    expect(marks(layer(chosen + table), layer(more, 'project'))).toEqual({
      [rules]: false,
      '/home/me/.capstan': true,
    });
    const child = `default_permissions = "child"\n[permissions.child]\nextends = "dev"\n[permissions.child.workspace_roots]\n"/home/me/.capstan" = true\n[permissions.child.filesystem]\n":workspace_roots" = "write"\n`;
    expect(marks(layer(chosen + table), layer(child, 'project'))).toEqual({
      [rules]: false,
      '/home/me/.capstan': true,
    });
    const wider = `[permissions.dev.filesystem]\n"${rules}" = "read"\n":root" = "read"\n`;
    expect(marks(layer(chosen + wider), layer(table, 'project'))).toEqual({ [rules]: true });
  });

  test('no entry that a client set over those of the command line', () => {
    expect(marks({ ...layer(chosen + table, 'flags'), ofCall: true })).toEqual({ [rules]: true });
  });

  test('writable roots: those of the user, and none of a project or a client', () => {
    const roots = layer(`[sandbox_workspace_write]\nwritable_roots = ["${rules}"]`);
    const keeps = (...layers: readonly ConfigLayer[]) => read(...layers).config.rootsKeepOwn;
    expect(keeps(roots)).toBeUndefined();
    expect(keeps({ ...roots, name: 'project' })).toBe(true);
    expect(keeps(roots, { ...roots, name: 'project' })).toBe(true);
    expect(keeps({ ...roots, name: 'project' }, { ...roots, name: 'flags' })).toBeUndefined();
    expect(keeps({ ...roots, name: 'flags', ofCall: true })).toBe(true);
  });
});
