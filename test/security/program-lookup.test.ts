import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { nodeProgramFiles } from '../../src/adapters/disk/node-program-files.ts';
import { createNodeSpawn } from '../../src/adapters/exec/node-spawn.ts';
import { processTable, watchdogScript } from '../../src/adapters/exec/leftover-processes.ts';
import { searchPathPrograms, systemPrograms } from '../../src/adapters/exec/find-programs.ts';
import { tokenFromCommand } from '../../src/adapters/model/http/auth/provider-credentials.ts';
import { programCandidates } from '../../src/core/policy/environment/find-program.ts';
import { builtInProfile } from '../../src/core/policy/profiles/profiles.ts';
import { resolvePolicy } from '../../src/core/policy/profiles/resolve-policy.ts';
import type { CommandSpawner } from '../../src/ports/commands.ts';
import { createFlock } from '../../src/adapters/rollout/files/file-locks.ts';
import { mountRegistryFolders } from '../../src/adapters/sandbox/linux/mount-registry.ts';
import { createSandbox } from '../../src/adapters/sandbox/sandbox.ts';
import { createTrial, modeProfile } from '../harness/sandbox-trial.ts';
import { noOwnPlaces } from '../../src/core/policy/paths/special-places.ts';

/** Outside of the temporary folders, so that a program is skipped for the reason of the test alone. */
let base = '';
let workspace = '';
let ran = '';
beforeEach(() => {
  base = realpathSync(mkdtempSync('/var/tmp/capstan-programs-'));
  workspace = join(base, 'workspace');
  ran = join(base, 'ran');
  mkdirSync(workspace);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  rmSync(base, { recursive: true, force: true });
});

/** A program that leaves a trace when it is run. */
function plant(folder: string, name: string): string {
  const path = join(folder, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, `#!/bin/sh\necho ${name} >> ${ran}\n`);
  chmodSync(path, 0o755);
  return path;
}

const clock = { now: () => 0, sleep: () => Promise.resolve() };

describe('a program that the engine starts by itself', () => {
  const search = (path: readonly string[], writable = [workspace]) =>
    programCandidates({ name: 'tool', prefer: 'caller', path: path.join(':'), writable }, nodeProgramFiles);

  test('is not taken from the workspace, nor through an empty or relative entry of the PATH', () => {
    plant(join(workspace, 'node_modules/.bin'), 'tool');
    const good = plant(join(base, 'good'), 'tool');
    vi.spyOn(process, 'cwd').mockReturnValue(workspace);
    const entries = [
      '',
      '.',
      'node_modules/.bin',
      join(workspace, 'node_modules/.bin'),
      `${workspace}/../workspace/node_modules/.bin`,
    ];
    expect(search([...entries, join(base, 'good')])).toEqual([good]);
  });

  test('is not taken through a link that leads into the workspace, or out of it', () => {
    const inside = plant(join(workspace, 'bin'), 'tool');
    const outside = plant(join(base, 'good'), 'tool');
    symlinkSync(join(workspace, 'bin'), join(base, 'folder-link'));
    mkdirSync(join(base, 'links'));
    symlinkSync(inside, join(base, 'links/tool'));
    mkdirSync(join(workspace, 'links'));
    symlinkSync(outside, join(workspace, 'links/tool'));
    symlinkSync(join(base, 'good'), join(workspace, 'out'));
    const entries = ['folder-link', 'links', 'workspace/links', 'workspace/out'].map((name) => join(base, name));
    expect(search(entries)).toEqual([]);
  });

  test('is not taken from a workspace that is reached by another name', () => {
    plant(join(workspace, 'bin'), 'tool');
    symlinkSync(workspace, join(base, 'alias'));
    expect(search([join(workspace, 'bin')], [join(base, 'alias')])).toEqual([]);
  });

  test('is not taken from a folder that other users may write, nor below one that they may swap', () => {
    for (const name of ['open', 'open-above/bin']) plant(join(base, name), 'tool');
    chmodSync(join(base, 'open'), 0o1777);
    chmodSync(join(base, 'open-above'), 0o777);
    expect(search([join(base, 'open'), join(base, 'open-above/bin')])).toEqual([]);
  });

  test.runIf(process.getuid?.() === 0)("is not taken from another user's folder", () => {
    plant(join(base, 'theirs'), 'tool');
    chownSync(join(base, 'theirs'), 65534, 65534);
    expect(search([join(base, 'theirs')])).toEqual([]);
  });

  test('is no text that leads somewhere', () => {
    plant(workspace, 'tool');
    for (const name of ['', '../tool', `${workspace}/tool`, 'to\0ol']) {
      const found = programCandidates({ name, prefer: 'system', path: base, writable: [] }, nodeProgramFiles);
      expect(found).toEqual([]);
    }
  });
});

describe('a tool of the system', () => {
  test('flock of the PATH does not run', async () => {
    const planted = plant(join(workspace, 'node_modules/.bin'), 'flock');
    plant(join(workspace, 'node_modules/.bin'), 'perl');
    vi.stubEnv('PATH', `${join(planted, '..')}:${process.env['PATH']}`);
    const lock = await createFlock({ clock, programs: systemPrograms }).take(join(base, 'lock'));
    expect(lock.kind).toBe('lock');
    if (lock.kind === 'lock') await lock.release();
    expect(existsSync(ran)).toBe(false);
  });

  test('perl does not load what PERL5OPT names', async () => {
    vi.stubEnv('PERL5OPT', `-Mblib=${workspace}`);
    vi.stubEnv('PERL5LIB', workspace);
    const lockers = [
      { command: 'perl', args: ['-e', 'exit(defined $ENV{PERL5OPT} || defined $ENV{PERL5LIB} ? 2 : 0)'] },
    ];
    const lock = await createFlock({ clock, programs: systemPrograms, lockers }).take(join(base, 'lock'));
    expect(lock.kind).toBe('lock');
    if (lock.kind === 'lock') await lock.release();
  });

  test('the warden calls none by its bare name', () => {
    for (const platform of ['linux', 'darwin']) {
      const script = watchdogScript(platform, systemPrograms);
      expect(script.match(/(?<![/\w])(grep|sleep|ps)\b/g)).toBeNull();
    }
  });
});

describe('a command of the user that has no path', () => {
  test('is found on the PATH, and not in the workspace', async () => {
    plant(join(workspace, 'bin'), 'print-key');
    const parts = (path: string) => ({
      environment: {},
      programs: searchPathPrograms({ path, writable: () => [workspace] }),
      programFolder: () => base,
      now: () => 0,
    });
    const command = { command: 'print-key', args: [], timeoutMs: 5000, refreshIntervalMs: 0, cwd: workspace };
    const ask = (path: string) =>
      tokenFromCommand(command, { id: 'p', name: 'P' }, parts(path))({ signal: new AbortController().signal });
    expect(await ask(join(workspace, 'bin'))).toMatchObject({ kind: 'missing' });
    expect(existsSync(ran)).toBe(false);
    const own = plant(join(base, 'bin'), 'print-key');
    writeFileSync(own, '#!/bin/sh\necho key\n');
    expect(await ask(`${join(workspace, 'bin')}:${join(base, 'bin')}`)).toMatchObject({ kind: 'bearer', token: 'key' });
    expect(existsSync(ran)).toBe(false);
  });
});

describe.runIf(process.platform === 'linux')('bubblewrap', () => {
  const probed: string[] = [];
  const spawn: Pick<CommandSpawner, 'run'> = {
    run: async ({ argv }) => {
      probed.push(argv[0] ?? '');
      return { kind: 'exited', exitCode: 0, output: { text: '', totalBytes: 0 }, durationMs: 0 };
    },
  };
  beforeEach(() => void probed.splice(0));

  /** A machine whose own folders have no bubblewrap. */
  const files = {
    ...nodeProgramFiles,
    program: (path: string) =>
      path.startsWith('/var/tmp/') || path.startsWith('/tmp/') ? nodeProgramFiles.program(path) : undefined,
  };
  const plan = (env: Readonly<Record<string, string>>, writableRoots: readonly string[] = []) => {
    const sandbox = createSandbox({
      platform: 'linux',
      architecture: 'x64',
      env,
      writable: () => [workspace],
      packagedBubblewrap: join(base, 'package/bwrap'),
      mountRegistries: mountRegistryFolders,
      spawn,
      programFiles: files,
      processes: processTable,
    });
    const choices = { network: false, writableRoots, excludeTmpdir: false, excludeSlashTmp: false };
    const places = {
      cwd: workspace,
      workspaceRoots: [workspace],
      slashTmp: true,
      gitDirectories: [],
      own: noOwnPlaces,
    };
    const policy = resolvePolicy(builtInProfile('workspace-write', choices), places);
    return sandbox.plan({ argv: ['true'], cwd: workspace, env: {} }, policy, []);
  };

  test('of a temporary folder or the workspace is not used, though it is on the PATH', async () => {
    const temporary = realpathSync(mkdtempSync('/tmp/capstan-programs-'));
    try {
      plant(temporary, 'bwrap');
      plant(join(workspace, 'bin'), 'bwrap');
      plant(join(base, 'TMPDIR'), 'bwrap');
      const packaged = plant(join(base, 'package'), 'bwrap');
      const env = {
        PATH: [temporary, join(workspace, 'bin'), join(base, 'TMPDIR')].join(':'),
        TMPDIR: join(base, 'TMPDIR'),
      };
      expect(await plan(env)).toMatchObject({ kind: 'runnable', argv: expect.arrayContaining([packaged]) as string[] });
      expect(probed).toEqual([packaged]);
    } finally {
      rmSync(temporary, { recursive: true, force: true });
    }
  });

  test('of a writable root is not used under the policy that has the root', async () => {
    const own = plant(join(base, 'tools'), 'bwrap');
    const packaged = plant(join(base, 'package'), 'bwrap');
    const env = { PATH: join(base, 'tools') };
    expect(await plan(env)).toMatchObject({ argv: expect.arrayContaining([own]) as string[] });
    probed.splice(0);
    expect(await plan(env, [join(base, 'tools')])).toMatchObject({
      argv: expect.arrayContaining([packaged]) as string[],
    });
    // To try it would be to run it.
    expect(probed).toEqual([packaged]);
  });

  test('that CAPSTAN_BWRAP names is used, unless commands can write it: then nothing runs', async () => {
    const chosen = plant(join(base, 'chosen'), 'bwrap');
    plant(join(base, 'package'), 'bwrap');
    expect(await plan({ CAPSTAN_BWRAP: chosen })).toMatchObject({ argv: expect.arrayContaining([chosen]) as string[] });
    const refusal = {
      kind: 'refused',
      code: 'sandbox-unusable',
      message: expect.stringContaining('CAPSTAN_BWRAP') as string,
    };
    expect(await plan({ CAPSTAN_BWRAP: chosen }, [join(base, 'chosen')])).toMatchObject(refusal);
    expect(await plan({ CAPSTAN_BWRAP: plant(join(workspace, 'bin'), 'bwrap') })).toMatchObject(refusal);
    symlinkSync(join(workspace, 'bin/bwrap'), join(base, 'link'));
    expect(await plan({ CAPSTAN_BWRAP: join(base, 'link') })).toMatchObject(refusal);
  });
});

const trial = createTrial({
  spawn: createNodeSpawn({ clock, runFolder: '/nowhere' }),
  programFiles: nodeProgramFiles,
  processes: processTable,
});
const suite = trial.isPossible ? describe : describe.skip;
suite(trial.title, () => {
  test('bubblewrap itself does not have the variables of the command, which has them all', async () => {
    trial.reset();
    try {
      // The loader of the system would look for the library before bubblewrap runs, and complain.
      const profile = modeProfile('read-only', 'restricted');
      const script = 'echo "$LD_PRELOAD|$LD_LIBRARY_PATH|$EMPTY|$LINES_OF|$HOME"';
      const env = { LD_LIBRARY_PATH: trial.repo, LD_PRELOAD: '', EMPTY: '', LINES_OF: 'a\n=b "c"' };
      const { exitCode, text } = await trial.run(profile, script, { env });
      expect({ exitCode, text }).toEqual({ exitCode: 0, text: `|${trial.repo}||a\n=b "c"|${trial.home}\n` });
      const seen = await trial.run(profile, "tr '\\0' '\\n' < /proc/1/environ", { env });
      expect(seen.text.split('\n').filter((line) => line !== '')).toEqual([expect.stringMatching(/^CAPSTAN_COMMAND=/)]);
    } finally {
      trial.remove();
    }
  });
});
