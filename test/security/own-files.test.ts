// @module-tag attack
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { builtInProfile } from '../../src/core/policy/profiles/profiles.ts';
import { resolvePolicy } from '../../src/core/policy/profiles/resolve-policy.ts';
import type { FileSystemEntry, PermissionProfile, ResolvedPolicy } from '../../src/protocol/permissions.ts';
import { ownPlaces } from '../../src/engine/sandbox/protected-paths.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { applyChanges } from '../../src/adapters/tools/apply-patch/apply-changes.ts';
import { computePatch } from '../../src/adapters/tools/apply-patch/compute-patch.ts';
import { nodeDisk } from '../../src/adapters/disk/node-patch-disk.ts';
import { parsePatch } from '../../src/adapters/tools/apply-patch/parse-patch.ts';
import { findPermissionPlaces } from '../../src/adapters/gather/permission-places.ts';
import { policyGuard } from '../../src/adapters/tools/apply-patch/prepare-patch.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { createSandboxed, sandboxIsPossible, users } from './sandboxed.ts';

const sandboxed = createSandboxed();
afterAll(() => sandboxed.remove());

/**
 * A workspace below /tmp in which Capstan is installed, and a home below /tmp. Everything may be written by every user,
 * so that only the policy stands between a command and the files.
 */
let root: string;
let workspace: string;
const secret = 'sk-very-secret';
const files = {
  'home/config.toml': 'sandbox_mode = "read-only"\n',
  'home/auth.json': `${secret}\n`,
  'home/.env': `KEY=${secret}\n`,
  'home/capstan/key': `${secret}\n`,
  'home/capstan/mcp/credentials.json': `${secret}\n`,
  'home/thread-writer-locks/a.lock': `${secret}\n`,
  'home/auth.json.lock': `${secret}\n`,
  'home/config.toml.lock': `${secret}\n`,
  'home/sessions/rollout.jsonl': '{}\n',
  'work/node_modules/user/.cache/capstan/compiled/v1/exec.js': 'compiled\n',
  'work/node_modules/capstan/package.json': '{}\n',
  'work/node_modules/capstan/dist/bin.js': 'bin\n',
  'work/node_modules/capstan/dist/chunks/exec.js': 'exec\n',
  'work/node_modules/capstan/.local/bubblewrap/usr/bin/bwrap': 'bwrap\n',
  'work/node_modules/node/bin/node': 'node\n',
  'work/node_modules/.bin/other': 'other\n',
  [`tmp/mount-points`]: '{}\n',
} as const;

beforeEach(() => {
  root = mkdtempSync('/tmp/capstan-own-');
  workspace = join(root, 'work');
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  symlinkSync('../capstan/dist/bin.js', join(workspace, 'node_modules/.bin/capstan'));
  symlinkSync('../../home', join(workspace, 'node_modules/linked-home'));
  symlinkSync('capstan/dist', join(workspace, 'node_modules/linked-dist'));
  open(root);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function open(path: string): void {
  const entry = lstatSync(path);
  if (entry.isSymbolicLink()) return;
  chmodSync(path, 0o777);
  if (entry.isDirectory()) for (const name of readdirSync(path)) open(join(path, name));
}

function ownHere({
  code = 'work/node_modules/capstan/dist',
  home = 'home',
  script = 'work/node_modules/.bin/capstan',
} = {}) {
  return ownPlaces({
    env: { CODEX_HOME: join(root, home), PATH: '/usr/bin' },
    home: join(root, 'home'),
    userHome: join(workspace, 'node_modules/user'),
    osHome: join(workspace, 'node_modules/user'),
    mounts: [],
    root: dirname(join(root, code)),
    code: join(root, code),
    node: join(workspace, 'node_modules/node/bin/node'),
    script: join(root, script),
    registries: [join(root, 'tmp/mount-points')],
    configFiles: [],
  });
}

const options = { network: false, writableRoots: [], excludeTmpdir: false, excludeSlashTmp: false };
const workspaceWrite = builtInProfile('workspace-write', options);

function policyOf({ cwd = workspace, profile = workspaceWrite, own = ownHere() } = {}): ResolvedPolicy {
  const places = { cwd, workspaceRoots: [cwd], temporaryDirectory: join(root, 'tmp'), slashTmp: true };
  return resolvePolicy(profile, { ...places, gitDirectories: [], own });
}

/** Everything that must stay as it is: files with their content, links with their targets. */
function kept(): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of ['home', 'work/node_modules', 'tmp']) {
    for (const each of readdirSync(join(root, name), { recursive: true, encoding: 'utf8' })) {
      const path = join(root, name, each);
      const entry = lstatSync(path);
      if (entry.isDirectory()) continue;
      found[join(name, each)] = entry.isSymbolicLink() ? readlinkSync(path) : readFileSync(path, 'utf8');
    }
  }
  return found;
}

function patched(policy: ResolvedPolicy, text: string, cwd = workspace): string {
  const parsed = parsePatch(`*** Begin Patch\n${text}\n*** End Patch`);
  if (parsed.kind === 'problem') return parsed.message;
  const disk = nodeDisk();
  const computed = computePatch(parsed.patch, { folder: cwd, disk, guard: policyGuard(policy, cwd, disk) });
  if (computed.kind !== 'computed') return `${computed.kind}: ${computed.message}`;
  return applyChanges(computed.changes, disk).kind;
}

const commands = {
  'replaces the bundled bubblewrap':
    'cd node_modules/capstan/.local/bubblewrap/usr/bin; echo x > bwrap; rm -f bwrap; cp /bin/true bwrap',
  'rewrites a chunk of the program':
    'echo x > node_modules/capstan/dist/chunks/exec.js; echo x > node_modules/capstan/dist/chunks/new.js',
  'rewrites a chunk through a link':
    'echo x > node_modules/linked-dist/bin.js; ln -s capstan/dist/bin.js l; echo x > l; rm l',
  'rewrites what was compiled of the program':
    'cd node_modules/user/.cache/capstan; echo x > compiled/v1/exec.js; echo x > compiled/v1/new; mv compiled c; mv ../capstan ../c',
  'replaces Node': 'rm -f node_modules/node/bin/node; echo x > node_modules/node/bin/node',
  'moves Node away':
    'mv node_modules/node node_modules/moved; mv node_modules/node/bin node_modules/moved; rm -rf node_modules/moved',
  'swaps the link that starts the program':
    'ln -sf /bin/true node_modules/.bin/capstan; rm -f node_modules/.bin/capstan',
  'puts a Node before the real one': 'echo x > node_modules/.bin/node; mv node_modules/.bin node_modules/moved',
  'moves the package away': 'mv node_modules/capstan node_modules/moved; rm -rf node_modules/capstan',
  'moves the folder of all packages away': 'mv node_modules moved',
  'sets the mode of the next run': `echo 'sandbox_mode = "danger-full-access"' > ../home/config.toml; echo x > ../home/new`,
  'sets the mode of the next run through a link': 'echo x > node_modules/linked-home/config.toml',
  'puts another home in its place': 'mv ../home ../moved; mkdir ../home; mv .. ../../moved',
  'writes into a thread': 'echo x >> ../home/sessions/rollout.jsonl',
  'forges an entry of the mount registry':
    'for folder in ../tmp/mount-points; do echo x > $folder/2-0; rm -f $folder/1-0; done',
} as const;

const secrets =
  'home/auth.json home/.env home/capstan/key home/capstan/mcp/credentials.json home/thread-writer-locks/a.lock home/auth.json.lock home/config.toml.lock work/node_modules/linked-home/auth.json'.split(
    ' ',
  );

describe.skipIf(!sandboxIsPossible)('a command (on Linux with bubblewrap)', () => {
  describe.each(users)('as user %d', (user) => {
    const run = (script: string, policy = policyOf()) => sandboxed.run(policy, script, { user, cwd: workspace });

    test.each(Object.entries(commands))('that %s changes nothing', (_, script) => {
      const before = kept();
      run(script);
      expect(kept()).toEqual(before);
    });

    test('that swaps the link by which the home is named changes nothing', { tags: 'representative' }, () => {
      symlinkSync('home', join(root, 'linked'));
      const before = readlinkSync(join(root, 'linked'));
      run(
        'mkdir ../evil; ln -sfn evil ../linked; mv ../linked ../moved',
        policyOf({ own: ownHere({ home: 'linked' }) }),
      );
      expect(readlinkSync(join(root, 'linked'))).toBe(before);
    });

    test('that swaps the program where packages are links changes nothing', () => {
      const store = 'work/node_modules/.pnpm/capstan@1/node_modules/capstan';
      mkdirSync(join(root, store, 'dist'), { recursive: true });
      writeFileSync(join(root, store, 'dist/bin.js'), 'bin\n');
      rmSync(join(workspace, 'node_modules/capstan'), { recursive: true });
      symlinkSync('.pnpm/capstan@1/node_modules/capstan', join(workspace, 'node_modules/capstan'));
      open(root);
      const before = kept();
      const own = ownHere({ code: `${store}/dist`, script: 'work/node_modules/capstan/dist/bin.js' });
      const script = `rm -f node_modules/capstan; ln -sfn /tmp node_modules/capstan; echo x > node_modules/.bin/other
echo x > node_modules/.pnpm/capstan@1/node_modules/capstan/dist/bin.js; mv node_modules/.pnpm/capstan@1 node_modules/.pnpm/x`;
      run(script, policyOf({ own }));
      expect(kept()).toEqual(before);
    });

    test('cannot read a login, a key or the variables of providers, under any policy', () => {
      const script = secrets.map((name) => `cat ../${name}; cp ../${name} copy; ln ../${name} hard`).join('; ');
      for (const policy of [policyOf(), policyOf({ profile: builtInProfile('read-only', options) })]) {
        expect(run(`${script}; cat copy hard`, policy)).not.toContain(secret);
      }
    });

    test('works as before beside it', () => {
      const script =
        'echo new > file; cat file; cat ../home/config.toml; cat node_modules/capstan/dist/bin.js; echo a > ../tmp/a; cat ../tmp/a';
      expect(run(script)).toBe('new\nsandbox_mode = "read-only"\nbin\na\n');
    });
  });
});

const paths = {
  'the bundled bubblewrap': 'node_modules/capstan/.local/bubblewrap/usr/bin/bwrap',
  'a chunk of the program': 'node_modules/capstan/dist/chunks/exec.js',
  'a chunk through a link': 'node_modules/linked-dist/bin.js',
  Node: 'node_modules/node/bin/node',
  'the configuration': '../home/config.toml',
  'the configuration through a link': 'node_modules/linked-home/config.toml',
  'a thread': '../home/sessions/rollout.jsonl',
  'the login': '../home/auth.json',
  'the key': '../home/capstan/key',
  'logins to servers': '../home/capstan/mcp/credentials.json',
  'the login through a link': 'node_modules/linked-home/auth.json',
} as const;

describe('a patch', () => {
  test.each(Object.entries(paths))('to %s is refused, whatever it would do', (_, path) => {
    const before = kept();
    const [first] = readFileSync(join(workspace, path), 'utf8').split('\n');
    const update = `*** Update File: ${path}\n-${first}\n+x`;
    const tries = [
      update,
      update.replace('\n', '\n*** Move to: copy\n'),
      `*** Delete File: ${path}`,
      `*** Add File: ${path}\n+x`,
      `*** Add File: ${join(workspace, path)}\n+x`,
    ];
    for (const text of tries) expect(patched(policyOf(), text)).toMatch(/^refused: /);
    expect(kept()).toEqual(before);
  });

  test('to the link that starts the program, or to a Node beside it, is refused', () => {
    for (const path of ['node_modules/.bin/capstan', 'node_modules/.bin/node']) {
      expect(patched(policyOf(), `*** Add File: ${path}\n+x`)).toMatch(/^refused: /);
    }
    expect(patched(policyOf(), '*** Delete File: node_modules/.bin/capstan')).toMatch(/^refused: /);
  });

  test.each(['node_modules/capstan/dist/chunks', 'node_modules/linked-dist', '../home', 'node_modules/linked-home'])(
    'that adds a file to %s is refused',
    { tags: 'representative' },
    (folder) => expect(patched(policyOf(), `*** Add File: ${folder}/new\n+x`)).toMatch(/^refused: /),
  );

  test('beside it applies', () => {
    expect(patched(policyOf(), '*** Add File: node_modules/other/x\n+x\n*** Add File: ../tmp/y\n+y')).toBe('applied');
  });
});

describe('a workspace that is one of these places', () => {
  const write = (policy: ResolvedPolicy, cwd: string) => patched(policy, '*** Add File: new\n+x', cwd);

  const realPolicyOf = (cwd: string): ResolvedPolicy => {
    const own = ownHere();
    return resolvePolicy(
      workspaceWrite,
      findPermissionPlaces(cwd, { TMPDIR: '/nowhere' }, { own, profile: workspaceWrite }),
    );
  };

  test('the home is not writable, nor are its own folders; a folder of the user in it is', () => {
    const home = join(root, 'home');
    mkdirSync(join(home, 'worktrees/x'), { recursive: true });
    const verdict = (cwd: string) => [cwd.slice(home.length), write(policyOf({ cwd }), cwd).split(':')[0]];
    const closed = ['', '/sessions', '/capstan', '/capstan/mcp', '/thread-writer-locks'];
    expect([...closed, '/worktrees/x'].map((name) => verdict(`${home}${name}`))).toEqual([
      ...closed.map((name) => [name, 'refused']),
      ['/worktrees/x', 'applied'],
    ]);
  });

  test('nor is the home through a link to it, to a part of it, or to its parent', () => {
    symlinkSync(join(root, 'home'), join(root, 'to-home'));
    symlinkSync(join(root, 'home/sessions'), join(root, 'to-part'));
    symlinkSync(root, join(workspace, 'to-parent'));
    const before = kept();
    for (const [cwd, path] of [
      [join(root, 'to-home'), 'new'],
      [join(root, 'to-home'), 'config.toml'],
      [join(root, 'to-part'), 'new'],
      [join(workspace, 'to-parent'), 'home/new'],
    ] as const) {
      const said = patched(realPolicyOf(cwd), `*** Add File: ${path}\n+x`, cwd);
      expect([cwd, said]).toEqual([cwd, expect.stringMatching(/^refused: /)]);
    }
    expect(kept()).toEqual(before);
  });

  test.skipIf(!sandboxIsPossible).each([
    ['the home', 'home'],
    ['a link to the home', 'to-home'],
    ['a folder of threads', 'home/sessions'],
    ['the parent of the home', '.'],
    ['a link to the parent of the home', 'work/to-parent'],
  ])('a command in %s changes nothing of the home', (_, name) => {
    symlinkSync(join(root, 'home'), join(root, 'to-home'));
    symlinkSync(root, join(workspace, 'to-parent'));
    const [cwd, home] = [join(root, name), join(root, 'home')];
    const before = kept();
    const script = [
      `for place in . ${home} ${home}/sessions ${home}/capstan; do`,
      '  echo x > $place/config.toml; echo x >> $place/rollout.jsonl; mkdir $place/made; ln -s /etc $place/link',
      '  ln $place/config.toml $place/hard; cp -r $place/mcp $place/mcp2; rm -rf $place/mcp $place/capstan',
      'done',
      `mv ${home} ${home}2; mkdir ${home}; mv ${home}/sessions ${home}/old; ln -sfn /tmp ${home}`,
    ].join('\n');
    for (const user of users) sandboxed.run(realPolicyOf(cwd), script, { user, cwd });
    rmSync(join(root, 'config.toml'), { force: true });
    expect(kept()).toEqual(before);
  });

  test('the program is not writable, nor a folder in it', () => {
    for (const name of ['capstan', 'capstan/dist', 'capstan/dist/chunks']) {
      const cwd = join(workspace, 'node_modules', name);
      expect([name, write(policyOf({ cwd }), cwd)]).toEqual([name, expect.stringMatching(/^refused: /)]);
    }
  });

  test('in a checkout only what runs is kept', () => {
    for (const name of ['src/bin.ts', 'dist/bin.js', '.local/x', 'README.md']) {
      mkdirSync(dirname(join(workspace, name)), { recursive: true });
      writeFileSync(join(workspace, name), 'x\n');
    }
    const verdicts = (code: string) =>
      ['src/bin.ts', 'dist/bin.js', '.local/x', 'README.md'].map((path) => {
        const update = `*** Update File: ${path}\n-x\n+x`;
        return [path, patched(policyOf({ own: ownHere({ code }) }), update).split(':')[0]];
      });
    expect(verdicts('work/dist')).toEqual([
      ['src/bin.ts', 'applied'],
      ['dist/bin.js', 'refused'],
      ['.local/x', 'refused'],
      ['README.md', 'applied'],
    ]);
    expect(verdicts('work/src')[0]).toEqual(['src/bin.ts', 'refused']);
  });
});

test('an entry that names the path itself opens it again', () => {
  const named = (path: string, access: 'read' | 'write'): FileSystemEntry => ({
    path: { type: 'path', path: join(root, path) },
    access,
  });
  const profile: PermissionProfile = {
    type: 'managed',
    file_system: {
      type: 'restricted',
      entries: [...entriesOf(workspaceWrite), named('home', 'write'), named('home/.env', 'write')],
    },
    network: 'restricted',
  };
  const policy = policyOf({ profile });
  const add = (path: string) => patched(policy, `*** Add File: ${path}\n+x`).split(':')[0];
  expect(['../home/config.toml', '../home/.env', '../home/auth.json'].map(add)).toEqual([
    'applied',
    'applied',
    'refused',
  ]);
});

function entriesOf(profile: PermissionProfile): readonly FileSystemEntry[] {
  return profile.type === 'managed' && profile.file_system.type === 'restricted' ? profile.file_system.entries : [];
}

test('a thread in a home below /tmp: commands and patches leave the home alone, and the model knows', async () => {
  const attack = (home: string) => [
    callTool('exec_command', { cmd: `echo 'sandbox_mode = "danger-full-access"' > ${home}/config.toml` }),
    callTool('exec_command', { cmd: `cat ${home}/auth.json` }),
    callTool('exec_command', { cmd: `echo '${JSON.stringify(home)}' && grep -c model ${home}/config.toml` }),
    callTool('exec_command', {
      cmd: `apply_patch <<'END'\n*** Begin Patch\n*** Add File: ${home}/config.toml\n+x\n*** End Patch\nEND`,
    }),
  ];
  const live: LiveThread = await LiveThread.in([
    () => answer({ items: attack(live.place.home) }),
    answer({ items: [say('done')] }),
  ]);
  const { home } = live.place;
  writeFileSync(join(home, 'auth.json'), JSON.stringify({ OPENAI_API_KEY: secret }));
  const before = readFileSync(join(home, 'config.toml'), 'utf8');
  await live.turn('try it');
  expect(readFileSync(join(home, 'config.toml'), 'utf8')).toBe(before);
  const told = JSON.stringify(live.model.requests.map(({ body }) => body));
  expect(told).not.toContain(secret);
  expect(told).toContain('Read-only file system');
  expect(told).toContain(`${home}/config.toml may not be written`);
  expect(told).toMatch(new RegExp(`Read-only inside them[^\\n]*${home}`));
});
