import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../protocol/json.ts';
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

const chosen = 'default_permissions = "dev"\n';

/** Text, the key at fault, and the reason. */
const faults: readonly (readonly [string, string, RegExp])[] = [
  ['default_permissions = "nope"', 'default_permissions', /not defined \("nope"\)/],
  ['default_permissions = ":nope"', 'default_permissions', /built-in profile that does not exist/],
  [`${chosen}permissions = { dev = { extends = "gone" } }`, 'permissions.dev.extends', /not defined/],
  [`${chosen}permissions = { dev = { extends = ":danger-full-access" } }`, 'permissions.dev.extends', /no sandbox/],
  [
    'default_permissions = "foo"\npermissions = { foo = { extends = "bar" }, bar = { extends = "foo" } }',
    'permissions.bar.extends',
    /foo -> bar -> foo/,
  ],
  ['sandbox_mode = "read-only"\n[permissions.":mine"]', 'permissions.":mine"', /reserved/],
  ['[permissions.dev]\nextends = ":workspace"', 'permissions', /neither default_permissions nor sandbox_mode/],
  [`${chosen}[permissions.dev]\nfilesystm = {}`, 'permissions.dev.filesystm', /not a known key/],
  [
    `${chosen}[permissions.dev.filesystem]\nglob_scan_max_depth = 0`,
    'permissions.dev.filesystem.glob_scan_max_depth',
    /of at least 1/,
  ],
  [`${chosen}[permissions.dev.filesystem]\n"src" = "read"`, 'permissions.dev.filesystem.src', /absolute/],
  [`${chosen}[permissions.dev.filesystem]\n"~you/x" = "read"`, 'permissions.dev.filesystem."~you/x"', /absolute/],
  [`${chosen}[permissions.dev.filesystem]\n"/a/*.txt" = "write"`, 'permissions.dev.filesystem."/a/*.txt"', /only deny/],
  [`${chosen}[permissions.dev.filesystem]\n"/a/*/**" = "read"`, 'permissions.dev.filesystem."/a/*/**"', /only deny/],
  [
    `${chosen}[permissions.dev.filesystem]\n"/a" = "rw"`,
    'permissions.dev.filesystem."/a"',
    /"read", "write" or "deny"/,
  ],
  [
    `${chosen}[permissions.dev.filesystem]\n"/a" = true`,
    'permissions.dev.filesystem."/a"',
    /"read", "write" or "deny"/,
  ],
  [
    `${chosen}[permissions.dev.filesystem.":workspace_roots"]\n"../x" = "read"`,
    'permissions.dev.filesystem.":workspace_roots"."../x"',
    /without/,
  ],
  [
    `${chosen}[permissions.dev.filesystem.":workspace_roots"]\n"a/./x" = "read"`,
    'permissions.dev.filesystem.":workspace_roots"."a/./x"',
    /without/,
  ],
  [
    `${chosen}[permissions.dev.filesystem.":tmpdir"]\n"x" = "read"`,
    'permissions.dev.filesystem.":tmpdir".x',
    /no paths below it/,
  ],
  [
    `${chosen}[permissions.dev.filesystem."/a/*"]\n"x" = "deny"`,
    'permissions.dev.filesystem."/a/*".x',
    /below a pattern/,
  ],
  [
    `${chosen}[permissions.dev.filesystem]\n":vault" = "deny"`,
    'permissions.dev.filesystem.":vault"',
    /cannot be denied/,
  ],
  [`${chosen}[permissions.dev.filesystem]\n"/a/[z-a]*" = "deny"`, 'permissions.dev.filesystem."/a/[z-a]*"', /pattern/],
  [
    `${chosen}[permissions.dev.filesystem]\n":minimal" = "write"`,
    'permissions.dev.filesystem.":minimal"',
    /only be "read"/,
  ],
  [`${chosen}[permissions.dev.workspace_roots]\n"/x" = "yes"`, 'permissions.dev.workspace_roots."/x"', /true or false/],
  [`${chosen}[permissions.dev.network]\nenable = true`, 'permissions.dev.network.enable', /not a known key/],
  [`${chosen}[permissions.dev.network]\nmode = "some"`, 'permissions.dev.network.mode', /"full" or "limited"/],
  [`${chosen}[permissions.dev.network]\nmitm = { hooks = {} }`, 'permissions.dev.network.mitm', /not supported/],
  [`${chosen}[permissions.dev.network.domains]\n"*" = "deny"`, 'permissions.dev.network.domains."*"', /every host/],
  [
    `${chosen}[permissions.dev.network.domains]\n"https://x" = "allow"`,
    'permissions.dev.network.domains."https://x"',
    /host/,
  ],
  [`${chosen}[permissions.dev.network.domains]\n"a.*" = "allow"`, 'permissions.dev.network.domains."a.*"', /host/],
  [
    `${chosen}[permissions.dev.network]\ndangerously_allow_all_unix_sockets = true`,
    'permissions.dev.network.dangerously_allow_all_unix_sockets',
    /not supported/,
  ],
];

test.each(faults)('%s is refused with file, line and reason', (text, key, reason) => {
  const { problems } = read(layer(text));
  const errors = problems.filter(({ severity }) => severity === 'error');
  expect(errors.map((problem) => problem.key)).toEqual([key]);
  expect(errors[0]?.message).toMatch(reason);
  expect(errors[0]?.message).toMatch(/^\/etc\/user\.toml:\d+: /);
});

/** A table, two keys that mean the same, and what they may say. */
const spellings: readonly (readonly [string, string, string, string, string])[] = [
  ['filesystem', '"/var/tmp/"', '"/var/tmp"', '"read"', '"write"'],
  ['filesystem', '"/tmp/a"', '"/tmp/./b/../a"', '"read"', '"deny"'],
  ['filesystem', '":root"', '"/"', '"read"', '"write"'],
  ['filesystem', '"/"', '":root"', '"write"', '"none"'],
  ['filesystem', '":slash_tmp"', '"/tmp"', '"write"', '"read"'],
  ['filesystem', '":workspace_roots"', '":project_roots"', '"write"', '"read"'],
  ['filesystem', '":workspace_roots"."."', '":project_roots"', '"write"', '"deny"'],
  ['filesystem', '":workspace_roots".docs', '":project_roots".docs', '"write"', '"deny"'],
  ['filesystem', '"~"', '"/home/me"', '"read"', '"write"'],
  ['filesystem', '"~/x/"', '"/home/me/x"', '"read"', '"deny"'],
  ['filesystem', '"/a".b', '"/a/b"', '"read"', '"write"'],
  ['filesystem', '"/a/**"', '"/a"', '"read"', '"write"'],
  ['network.domains', '"a.test"', '"A.test."', '"allow"', '"deny"'],
  ['network.domains', '"*.a.test"', '"*.A.TEST"', '"deny"', '"allow"'],
  ['network.domains', '"127.1"', '"127.0.0.1"', '"allow"', '"deny"'],
  ['network.domains', '"[::1]:80"', '"[0:0::1]:80"', '"allow"', '"deny"'],
  ['network.unix_sockets', '"/run/x"', '"/run//x"', '"allow"', '"none"'],
  ['workspace_roots', '"/w"', '"/w/"', 'true', 'false'],
  ['workspace_roots', '"sub"', '"/repo/sub"', 'true', 'false'],
];

test.each(spellings)('in %s, %s and %s may not contradict each other', (table, one, other, first, second) => {
  const head = `${chosen}[permissions.dev]\nextends = ":workspace"\nnetwork.enabled = true\n`;
  const text = (said: string) => `${head}[permissions.dev.${table}]\n${one} = ${first}\n${other} = ${said}\n`;
  expect(read(layer(text(first))).problems).toEqual([]);
  const { problems } = read(layer(text(second)));
  expect(problems).toMatchObject([{ severity: 'error', line: 7 }]);
  expect(problems[0]?.message).toMatch(/^\/etc\/user\.toml:7: .* contradicts .*, which means the same and says /);
  // Two layers contradict each other as one does.
  const [below, above] = [`${head}${table}.${one} = ${first}`, `permissions.dev.${table}.${other} = ${second}`];
  expect(read(layer(below), layer(above, 'flags')).problems).toMatchObject([{ severity: 'error' }]);
});

test('a profile that was not chosen must be right as well', () => {
  const { problems } = read(layer('sandbox_mode = "read-only"\n[permissions.dev.filesystem]\n"/a" = "rw"'));
  expect(problems).toMatchObject([{ severity: 'error', line: 3 }]);
});

test.each([
  ['a profile without entries', `${chosen}[permissions.dev]`, /can read nothing/],
  ['a profile with no entry', `${chosen}[permissions.dev.filesystem]`, /can read nothing/],
  [
    'a relative socket',
    `${chosen}[permissions.dev]\nextends = ":workspace"\nnetwork.unix_sockets = { "a" = "allow" }`,
    /grants nothing/,
  ],
  [
    'a port of another proxy',
    `${chosen}[permissions.dev]\nextends = ":workspace"\nnetwork.proxy_url = "http://[::1]:1"`,
    /no effect/,
  ],
  [
    'a list of hosts without a network',
    `${chosen}[permissions.dev]\nextends = ":workspace"\nnetwork.domains = { "a.org" = "allow" }`,
    /^\/etc\/user\.toml:4: permissions\.dev\.network\.domains has no effect: the network is off/,
  ],
  [
    'an inherited list of hosts without a network',
    `${chosen}permissions.dev.extends = "base"\n[permissions.base]\nextends = ":workspace"\nnetwork.domains = { "a.org" = "allow" }`,
    /^\/etc\/user\.toml:5: permissions\.base\.network\.domains has no effect/,
  ],
  [
    'a mode beside a profile',
    'default_permissions = ":workspace"\nsandbox_mode = "read-only"',
    /^\/etc\/user\.toml:2: sandbox_mode has no effect: default_permissions = ":workspace" in the same file decides/,
  ],
])('%s is only reported', (_, text, reason) => {
  const { problems } = read(layer(text));
  expect(problems.map(({ severity }) => severity)).toEqual(['warning']);
  expect(problems[0]?.message).toMatch(reason);
});

test('hosts are as meant where the network is switched, by the profile or by one of its parents', () => {
  const parent = '[permissions.base]\nextends = ":workspace"\nnetwork.domains = { "a.org" = "allow" }\n';
  const texts = [
    `${chosen}[permissions.dev]\nextends = "base"\nnetwork.enabled = true\n${parent}`,
    `default_permissions = "base"\n${parent}network.enabled = false`,
  ];
  for (const text of texts) expect(read(layer(text)).problems).toEqual([]);
});

test('a mode of another file is overruled without a word', () => {
  const layers = [layer('sandbox_mode = "read-only"'), layer('default_permissions = ":workspace"', 'project')];
  expect(read(...layers).problems).toEqual([]);
});
