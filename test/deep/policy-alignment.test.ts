import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { resolveConfig } from '../../src/core/config/config.ts';
import { nodeProgramFiles } from '../../src/adapters/disk/node-program-files.ts';
import { createNodeSpawn } from '../../src/adapters/exec/node-spawn.ts';
import { processTable } from '../../src/adapters/exec/leftover-processes.ts';
import { permissionsFragment } from '../../src/core/world/sections/permissions.ts';
import { renderFragment } from '../../src/core/fragments/text/define-fragment.ts';
import { accessAt } from '../../src/core/policy/paths/access.ts';
import { landlockObstacle } from '../../src/core/policy/profiles/landlock-policy.ts';
import type { PermissionPlaces } from '../../src/core/policy/paths/special-places.ts';
import { describePolicy } from '../../src/core/policy/profiles/describe-policy.ts';
import { resolvePolicy } from '../../src/core/policy/profiles/resolve-policy.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { ResolvedPolicy } from '../../src/protocol/permissions.ts';
import { findLandlock } from '../../src/adapters/sandbox/linux/landlock-library.ts';
import { leastLandlockAbi } from '../../src/adapters/sandbox/sandbox-route.ts';
import { mountRegistryFolders } from '../../src/adapters/sandbox/linux/mount-registry.ts';
import { createSandbox } from '../../src/adapters/sandbox/sandbox.ts';
import { createTrial } from '../harness/sandbox-trial.ts';
import { readPermissions } from '../laws/permissions-reader.ts';
import { statedAccess } from './stated-access.ts';
import { noRestrictedPrefixes } from '../../src/core/policy/rules/rule-set.ts';

const clock = { now: () => performance.now(), sleep: () => Promise.resolve() };
const spawn = createNodeSpawn({ clock, runFolder: '/nowhere' });
const parts = { spawn, programFiles: nodeProgramFiles, processes: processTable };
const trial = createTrial(parts);

// Outside of /tmp, which a profile may open as a whole.
const library = join(import.meta.dirname, '../../node_modules/koffi/index.cjs');
const landlock = process.platform === 'linux' ? findLandlock(library) : undefined;
const hasLandlock = landlock?.kind === 'landlock' && landlock.abi >= leastLandlockAbi;
const isPossible = trial.isPossible || hasLandlock;
const base = isPossible ? mkdtempSync('/var/tmp/capstan-alignment-') : '/nowhere';
const home = join(base, 'home');
const sandbox = createSandbox({
  platform: process.platform,
  architecture: process.arch,
  env: process.env,
  writable: () => [],
  packagedBubblewrap: join(import.meta.dirname, '../../.local/bubblewrap/usr/bin/bwrap'),
  // That of all engines: profiles open /tmp, and on its folders other suites mount too.
  mountRegistries: mountRegistryFolders,
  landlockHelper: {
    node: process.execPath,
    script: join(import.meta.dirname, '../../src/adapters/sandbox/linux/landlock-helper.ts'),
    library,
    mark: 1,
  },
  ...parts,
});

/** Folders, each with a file `m`; below them more files. Everything that a probe looks at stands here when it starts. */
const folders = `
  . ws ws/a ws/a/b ws/a/b/c ws/a/.git ws/docs ws/docs/private ws/docs/private/public ws/.git ws/.codex
  side side/a side/a/b side/a/b/c side/.agents side/deep side/deep/down home home/sessions home/capstan home/skills
`
  .trim()
  .split(/\s+/);
const files = `
  ws/x.env ws/a/x.env ws/a/b/x.env ws/a/b/c/x.env ws/docs/private/key.pem side/x.env side/a/y side/a/b/x.env
  side/deep/down/key.pem home/auth.json home/.env home/config.toml home/capstan/key
`
  .trim()
  .split(/\s+/);
/** Names that do not exist, and that a policy may keep from being made. */
const missing = [
  '.codex',
  'ws/docs/private/public/.git',
  'ws/.agents',
  'ws/a/.codex',
  'side/.codex',
  'side/a/new',
  'ws/docs/new',
];

beforeAll(() => {
  for (const folder of isPossible ? folders : []) {
    mkdirSync(join(base, folder), { recursive: true });
    writeFileSync(join(base, folder, 'm'), 'content\n');
  }
  for (const file of isPossible ? files : []) writeFileSync(join(base, file), 'content\n');
});
afterAll(() => {
  trial.remove();
  rmSync(base, { recursive: true, force: true });
});

const granted = fc.constantFrom('read', 'write', 'deny', 'none');
const place = fc.constantFrom(...folders.slice(1), ...files).map((name) => join(base, name));
const below = fc.constantFrom(
  '.',
  'a',
  'a/b',
  'a/b/c',
  'docs',
  'docs/private',
  'docs/private/public',
  'a/b/**',
  '.git',
);
const glob = fc.constantFrom('**/*.env', '*/*.env', 'a/**/x.env', '**/private', 'docs/*/key.pem', '**/b', '*/d*n');

/** Two spellings of one place that differ are refused. */
function withoutTwins({ 'a/b/**': twin, ...others }: Record<string, string>): Record<string, string> {
  return twin === undefined || others['a/b'] !== undefined ? others : { ...others, 'a/b/**': twin };
}

const filesystem: fc.Arbitrary<JsonObject> = fc
  .record({
    root: fc.constantFrom<JsonObject>(
      { ':root': 'read' },
      { ':root': 'read' },
      { ':minimal': 'read' },
      { ':minimal': 'read', ':root': 'deny' },
      { ':root': 'write' },
    ),
    paths: fc.dictionary(place, granted, { maxKeys: 6 }),
    workspace: fc.option(fc.dictionary(below, granted, { maxKeys: 4 }).map(withoutTwins), { nil: undefined }),
    patterns: fc.array(glob, { maxLength: 2 }),
    outer: fc.array(glob, { maxLength: 1 }),
    depth: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined, freq: 2 }),
    temporary: fc.constantFrom<JsonObject>({}, { ':slash_tmp': 'write' }),
  })
  .map(({ root, paths, workspace, patterns, outer, depth, temporary }) => ({
    ...root,
    ...temporary,
    ...paths,
    ...Object.fromEntries(outer.map((pattern) => [join(base, 'side', pattern), 'deny'])),
    ':workspace_roots': {
      ...(workspace ?? { '.': 'write' }),
      ...Object.fromEntries(patterns.map((pattern) => [pattern, 'deny'])),
    },
    ...(depth === undefined ? {} : { glob_scan_max_depth: depth }),
  }));

function policyOf(table: JsonObject, more: Partial<PermissionPlaces>): ResolvedPolicy {
  const values: JsonObject = { default_permissions: 'random', permissions: { random: { filesystem: table } } };
  const { config, problems } = resolveConfig([{ name: 'user', source: 'x', values }], {
    osHome: home,
    cwd: join(base, 'ws'),
  });
  expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  return resolvePolicy(config.namedProfile!.profile, {
    cwd: join(base, 'ws'),
    workspaceRoots: [join(base, 'ws')],
    slashTmp: true,
    gitDirectories: [],
    ...more,
    repositories: [join(base, 'ws'), base],
    submodules: [join(base, 'ws/docs/private/public')],
    own: {
      program: [],
      state: [home],
      parts: [],
      secrets: ['auth.json', '.env', 'capstan/key'].map((name) => join(home, name)),
      stores: ['sessions', 'capstan'].map((name) => join(home, name)),
    },
  });
}

function stated(policy: ResolvedPolicy) {
  const told = {
    ...describePolicy(policy, join(base, 'ws')),
    approval: 'never',
    canAsk: false,
    approvedPrefixes: [],
    held: noRestrictedPrefixes,
  } as const;
  const read = readPermissions(renderFragment(permissionsFragment, told).text);
  return (path: string) => (read === undefined ? 'deny' : statedAccess(read, path));
}

/** Says of each path, on one line each, what can be done with it. */
const probe = `
shopt -s dotglob nullglob
file() { local l=; if { IFS= read -r l < "$1"; } 2>/dev/null && [ "$l" = content ]; then
  if { : >> "$1"; } 2>/dev/null; then echo write; else echo read; fi; else echo deny; fi; }
folder() { local seen=no e; for e in "$1"/*; do [ "$e" = "$1/m" ] && seen=yes; done
  if [ $seen = no ]; then echo deny; elif { : > "$1/probe-$$"; } 2>/dev/null; then rm -f "$1/probe-$$"; echo write; else echo read; fi; }
absent() { if { : > "$1"; } 2>/dev/null; then rm -f "$1"; echo made; else echo kept; fi; }
`;

/** A folder on the way to a hidden one cannot be listed under Landlock; what stands in it can be read. */
const withoutListing = `
folder() { local l=; if ! { IFS= read -r l < "$1/m"; } 2>/dev/null; then echo deny
  elif { : > "$1/probe-$$"; } 2>/dev/null; then rm -f "$1/probe-$$"; echo write; else echo read; fi; }
`;

async function observed(policy: ResolvedPolicy): Promise<readonly string[] | string> {
  const lines = [
    ...folders.map((name) => `folder '${join(base, name)}'`),
    ...files.map((name) => `file '${join(base, name)}'`),
    ...missing.map((name) => `absent '${join(base, name)}'`),
  ];
  const asked = policy.landlock === undefined ? probe : `${probe}${withoutListing}`;
  const argv = ['bash', '-c', [asked, ...lines].join('\n')];
  const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C' };
  const git = ['ws/.git', 'ws/a/.git'].map((name) => join(base, name));
  const planned = await sandbox.plan({ argv, cwd: join(base, 'ws'), env }, policy, git);
  if (planned.kind === 'refused') return planned.message;
  const end = await spawn.run(
    planned,
    { timeoutMs: 20_000, outputBytes: 100_000 },
    { signal: new AbortController().signal },
  );
  await planned.cleanup();
  for (const name of missing) expect(existsSync(join(base, name)), `${name} is left behind`).toBe(false);
  return end.kind === 'exited' ? end.output.text.trim().split('\n') : end.kind;
}

/** Under Landlock: a readable folder that cannot be listed, because a folder in it is hidden. Its own file may be, too. */
function isUnlisted(policy: ResolvedPolicy, name: string): boolean {
  if (policy.landlock === undefined || accessAt(policy, join(base, name)) !== 'read') return false;
  const start = name === '.' ? '' : `${name}/`;
  return folders.some((other) => other.startsWith(start) && accessAt(policy, join(base, other)) === 'deny');
}

const runs = 20 * inject('runFactor');

const routes = [
  { by: 'bubblewrap', isThere: trial.isPossible, more: {} },
  { by: 'Landlock', isThere: hasLandlock, more: { landlock: true } },
] as const;

describe.each(routes)('the text, access() and a real process agree, by $by', ({ by, isThere, more }) => {
  test.skipIf(!isThere)(`law: about every path of ${runs} random profiles`, { timeout: 300_000 }, async () => {
    let cases = 0;
    await fc.assert(
      fc.asyncProperty(filesystem, async (table) => {
        const policy = policyOf(table, more);
        fc.pre(accessAt(policy, join(base, 'ws')) !== 'deny');
        // A policy that Landlock cannot hold is refused, by a law of its own below.
        fc.pre(policy.landlock === undefined || landlockObstacle(policy) === undefined);
        const told = stated(policy);
        const found = await observed(policy);
        // A pattern may match inside a writable folder.
        fc.pre(by === 'bubblewrap' || typeof found !== 'string' || !found.startsWith('Landlock cannot keep '));
        if (typeof found === 'string') throw new Error(`refused: ${found}`);
        const existing = [...folders, ...files];
        const rows = existing.map((name, index) => {
          const path = join(base, name);
          const seen = isUnlisted(policy, name) && found[index] === 'deny' ? 'read' : found[index];
          return [name, accessAt(policy, path), told(path), seen].join(' ');
        });
        expect(rows).toEqual(
          existing.map((name) => {
            const granted = accessAt(policy, join(base, name));
            return [name, granted, granted, granted].join(' ');
          }),
        );
        const made = missing.map((name, index) => `${name} ${found[existing.length + index]}`);
        expect(made).toEqual(
          missing.map((name) => {
            const [path, folder] = [join(base, name), join(base, dirname(name))];
            expect(told(path)).toBe(accessAt(policy, path));
            const isMade = accessAt(policy, path) === 'write' && accessAt(policy, folder) === 'write';
            return `${name} ${isMade ? 'made' : 'kept'}`;
          }),
        );
        cases += found.length;
      }),
      { numRuns: runs },
    );
    expect(cases).toBeGreaterThanOrEqual(by === 'bubblewrap' ? 2000 : 500);
  });
});

describe.skipIf(!hasLandlock)('a policy that Landlock cannot hold', () => {
  test('law: is refused, and the reason names a path of it', { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(filesystem, async (table) => {
        const policy = policyOf(table, { landlock: true });
        const obstacle = landlockObstacle(policy);
        fc.pre(obstacle !== undefined);
        expect(await observed(policy)).toBe(`Landlock cannot enforce this policy: ${obstacle!.why}.`);
      }),
      { numRuns: runs },
    );
  });
});
