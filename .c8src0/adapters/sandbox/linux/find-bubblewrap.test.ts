import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { nodeProgramFiles } from '../../disk/node-program-files.ts';
import type { ProgramFiles } from '../../../ports/system.ts';
import type { CommandSpawner } from '../../../ports/commands.ts';
import type { Bubblewrap } from './bubblewrap.ts';
import { bubblewrapCandidates, findBubblewrap, namespaceAdvice, packagedNotice } from './find-bubblewrap.ts';
import { programHash, isProgramIntact, packagedBubblewrap } from '../sandbox.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'capstan-find-')));
afterAll(() => rmSync(base, { recursive: true, force: true }));

function program(folder: string, mode = 0o755): string {
  const path = join(base, folder, 'bwrap');
  mkdirSync(join(base, folder), { recursive: true });
  writeFileSync(path, '');
  chmodSync(path, mode);
  return path;
}

const inWorkspace = program('work/bin');
const plain = program('plain');
const system = program('system');
const chosen = program('chosen');
const packaged = program('packaged');
mkdirSync(join(base, 'folder/bwrap'), { recursive: true });
program('not-executable', 0o644);
mkdirSync(join(base, 'linked'));
symlinkSync(inWorkspace, join(base, 'linked/bwrap'));
const folders = ['work/bin', 'linked', 'folder', 'not-executable', 'missing', 'plain', 'system', 'plain'].map((name) =>
  join(base, name),
);
const path = ['', 'relative', ...folders].join(':');
/** This machine, but for the folders of its system, which may have a bubblewrap or not. */
const files: ProgramFiles = {
  ...nodeProgramFiles,
  program: (program) => (program.startsWith(base) ? nodeProgramFiles.program(program) : undefined),
};

describe('advice where namespaces are forbidden', () => {
  const host = { '/proc/self/uid_map': '         0          0 4294967295\n', '/proc/self/status': 'Seccomp:\t0\n' };
  const advice = (system: Readonly<Record<string, string>>): string =>
    namespaceAdvice((path) => ({ ...host, ...system })[path] ?? '').split('. ', 1)[0]!;
  const sysctl = '/proc/sys/kernel/apparmor_restrict_unprivileged_userns';

  test('names the setting that forbids it, and only that', () => {
    expect(advice({ [sysctl]: '1\n' })).toMatch(
      /^Run `sudo sysctl -w kernel\.apparmor_restrict_unprivileged_userns=0`, or install/,
    );
    expect(advice({ '/proc/sys/user/max_user_namespaces': '0\n' })).toBe(
      'Run `sudo sysctl -w user.max_user_namespaces=15000`',
    );
    expect(advice({ [sysctl]: '0\n', '/proc/sys/kernel/unprivileged_userns_clone': '0\n' })).toBe(
      'Run `sudo sysctl -w kernel.unprivileged_userns_clone=1`',
    );
    expect(advice({})).toBe('Let this user create namespaces, which a setting of the system forbids');
  });

  test.each([
    ['a file of the engine', { '/.dockerenv': '\n' }],
    ['its filter', { '/proc/self/status': 'Name:\tnode\nSeccomp:\t2\n' }],
    ['its users', { '/proc/self/uid_map': '0 1000 1\n' }],
  ])('names no setting in a container, known by %s', (_how, system) => {
    expect(advice({ ...system, [sysctl]: '1\n' })).toBe('Start the container so that it may create user namespaces');
  });
});

describe('candidates', () => {
  test('come from the search path outside the workspace, then by choice, then from the package', () => {
    expect(bubblewrapCandidates({ path, writable: [join(base, 'work')], chosen, packaged }, files)).toEqual([
      plain,
      system,
      chosen,
      packaged,
    ]);
  });

  test('are not skipped when the workspace is the whole disk', () => {
    expect(bubblewrapCandidates({ path, writable: ['/'] }, files)[0]).toBe(inWorkspace);
  });

  test('need not exist', () => {
    expect(bubblewrapCandidates({ path: '', writable: [], chosen: '', packaged: '/neither' }, files)).toEqual([]);
  });

  test.each([
    ['/no/such', 'does not exist'],
    [join(base, 'not-executable/bwrap'), 'is not an executable file'],
    [join(base, 'folder/bwrap'), 'is not an executable file'],
  ])('end with what is wrong with the one that the user named: %s', (wrong, why) => {
    const search = { path: join(base, 'plain'), writable: [], chosen: wrong, packaged };
    expect(bubblewrapCandidates(search, files)).toEqual([
      plain,
      packaged,
      {
        kind: 'refused',
        code: 'sandbox-missing',
        message: `CAPSTAN_BWRAP is ${JSON.stringify(wrong)}, which ${why}.`,
        next: 'Set CAPSTAN_BWRAP to the path of bubblewrap, or unset it and install the package "bubblewrap".',
      },
    ]);
  });

  test('end with a refusal when commands could have written the one that the user named', () => {
    const search = { path: join(base, 'plain'), writable: [join(base, 'chosen')], chosen, packaged };
    expect(bubblewrapCandidates(search, files)).toEqual([
      plain,
      {
        kind: 'refused',
        code: 'sandbox-unusable',
        message: `CAPSTAN_BWRAP is ${JSON.stringify(chosen)}, which is in a folder where commands can write, so a command could have replaced it.`,
        next: 'Move the program out of the workspace and the temporary folders, or unset CAPSTAN_BWRAP.',
      },
    ]);
  });
});

describe('probing', () => {
  /** A system in which each program says what the table gives, by the options it is called with. */
  function system(
    says: (program: string, options: readonly string[]) => string,
  ): Pick<CommandSpawner, 'run'> & { runs: number } {
    const spawn = {
      runs: 0,
      run: async ({ argv }: { argv: readonly string[] }) => {
        spawn.runs += 1;
        const [called = '', ...options] = argv;
        const text = says(called, options);
        return {
          kind: 'exited',
          exitCode: text === '' ? 0 : 1,
          output: { text, totalBytes: text.length },
          durationMs: 1,
        } as const;
      },
    };
    return spawn;
  }

  const search = { path: join(base, 'plain'), writable: [], packaged };

  test('one run is enough when all is well', async () => {
    const spawn = system(() => '');
    expect(await findBubblewrap(search, { spawn, files })).toEqual({
      kind: 'bubblewrap',
      path: plain,
      closesUserNamespaces: true,
      ownProcessTable: true,
    });
    expect(spawn.runs).toBe(1);
  });

  test('a program that has built a sandbox for another search is not tried again; one that failed is', async () => {
    const proven = new Map<string, Bubblewrap>();
    let problem = 'bwrap: No permissions to create new namespace\n';
    const spawn = system(() => problem);
    const once = () => findBubblewrap({ path: join(base, 'plain'), writable: [] }, { spawn, files, proven });
    expect(await once()).toMatchObject({ kind: 'refused' });
    problem = '';
    const found = await once();
    expect(found).toMatchObject({ kind: 'bubblewrap', path: plain });
    expect(await once()).toEqual(found);
    expect(spawn.runs).toBe(2);
  });

  test('continues without what an older program or a container does not have', async () => {
    const spawn = system((_, options) => {
      if (options.includes('--disable-userns')) return 'bwrap: Unknown option --disable-userns\n';
      return options.includes('--proc') ? "bwrap: Can't mount proc on /newroot/proc: Operation not permitted\n" : '';
    });
    expect(await findBubblewrap(search, { spawn, files })).toEqual({
      kind: 'bubblewrap',
      path: plain,
      closesUserNamespaces: false,
      ownProcessTable: false,
    });
  });

  test('takes the next program when the first is too old', async () => {
    const spawn = system((called) => (called === plain ? 'bwrap: Unknown option --perms' : ''));
    expect(await findBubblewrap(search, { spawn, files })).toMatchObject({ path: packaged });
  });

  test.each([
    ['bwrap: Unknown option --perms', 'sandbox-unusable', 'too old', 'Install bubblewrap 0.5'],
    [
      'bwrap: setting up uid map: Permission denied',
      'sandbox-unusable',
      'cannot create the namespaces',
      'danger-full-access',
    ],
    [
      'bwrap: No permissions to create new namespace, likely because…',
      'sandbox-unusable',
      'No permissions',
      'namespaces',
    ],
    ['bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted', 'sandbox-unusable', 'RTM_NEWADDR', 'namespaces'],
    ['error while loading shared libraries: libcap.so.2', 'sandbox-unusable', 'libcap', 'CAPSTAN_BWRAP'],
    ['bwrap: pivot_root: Invalid argument', 'sandbox-unusable', 'pivot_root', 'bwrap --ro-bind / / true'],
  ])('%s', async (says, code, message, next) => {
    expect(await findBubblewrap(search, { spawn: system(() => says), files })).toEqual({
      kind: 'refused',
      code,
      message: expect.stringContaining(message) as string,
      next: expect.stringContaining(next) as string,
    });
  });

  test('a probe that takes too long proves nothing', async () => {
    const spawn: Pick<CommandSpawner, 'run'> = {
      run: async () => ({ kind: 'timed-out', output: { text: '', totalBytes: 0 }, durationMs: 5000 }),
    };
    expect(await findBubblewrap(search, { spawn, files })).toMatchObject({ kind: 'bubblewrap', path: plain });
  });

  test('nothing to probe is reported with what to install', async () => {
    expect(await findBubblewrap({ path: '', writable: [] }, { spawn: system(() => ''), files })).toMatchObject({
      code: 'sandbox-missing',
    });
  });
});

describe('a packaged program', () => {
  const works: Pick<CommandSpawner, 'run'> = {
    run: async () => ({ kind: 'exited', exitCode: 0, output: { text: '', totalBytes: 0 }, durationMs: 0 }),
  };

  test('is marked, and not used when it changed since it was unpacked', async () => {
    const unpacked = packagedBubblewrap(join(base, 'unpacked'));
    mkdirSync(join(base, 'unpacked/usr/bin'), { recursive: true });
    writeFileSync(unpacked.program, 'program', { mode: 0o755 });
    const search = { path: '', writable: [], packaged: [join(base, 'missing/bwrap'), unpacked.program] };
    const parts = { spawn: works, files, isIntact: isProgramIntact };
    const found = { kind: 'bubblewrap', path: unpacked.program, isPackaged: true };
    expect(await findBubblewrap(search, parts)).toMatchObject(found);
    writeFileSync(unpacked.hashFile, `${programHash(Buffer.from('program'))}\n`);
    expect(await findBubblewrap(search, parts)).toMatchObject(found);
    writeFileSync(unpacked.program, 'another');
    expect(await findBubblewrap(search, parts)).toMatchObject({
      kind: 'refused',
      code: 'sandbox-unusable',
      message: expect.stringContaining('its hash differs') as string,
    });
  });

  test('says what is wrong with the one on the search path', async () => {
    const notice = async (path: string, says: string, writable: readonly string[] = []) => {
      const run: CommandSpawner['run'] = async ({ argv }) => {
        const text = argv[0] === packaged ? '' : says;
        return { kind: 'exited', exitCode: text === '' ? 0 : 1, output: { text, totalBytes: 0 }, durationMs: 0 };
      };
      const found = await findBubblewrap({ path, writable, packaged }, { spawn: { run }, files });
      return found.kind === 'refused' ? found : packagedNotice(found);
    };
    const used = `Capstan runs commands in the copy that it unpacked: ${packaged}.`;
    expect(await notice('', '')).toEqual({
      code: 'sandbox-packaged',
      message: `bubblewrap is not on the PATH. ${used}`,
      next: 'Install the package "bubblewrap" to get its updates.',
    });
    expect(await notice(join(base, 'plain'), 'bwrap: No permissions to create new namespace')).toEqual({
      code: 'sandbox-replaced',
      message: `"${plain}" cannot create the namespaces of a sandbox on this system (bwrap: No permissions to create new namespace). ${used}`,
      next: 'Commands are sandboxed; no action is needed.',
    });
    expect(await notice(join(base, 'plain'), '', [base])).toEqual({
      code: 'sandbox-replaced',
      message: `"${plain}" is on the PATH, but in a folder where commands can write, so a command could have replaced it. ${used}`,
      next: 'Commands are sandboxed; no action is needed.',
    });
  });

  test('without one, the program on the search path that fails is reported, and not that there is none', async () => {
    const spawn: Pick<CommandSpawner, 'run'> = {
      run: async () => ({ kind: 'not-started', reason: 'bwrap: No permissions to create new namespace' }),
    };
    const fails = (chosen?: string) =>
      findBubblewrap({ path: join(base, 'plain'), writable: [], ...(chosen && { chosen }) }, { spawn, files });
    const message = `"${plain}" cannot create the namespaces of a sandbox on this system (bwrap: No permissions to create new namespace).`;
    expect(await fails()).toMatchObject({ code: 'sandbox-unusable', message });
    expect(await fails('/no/such')).toMatchObject({
      code: 'sandbox-unusable',
      message: `${message} CAPSTAN_BWRAP is "/no/such", which does not exist.`,
    });
    const inWritable = await findBubblewrap({ path: join(base, 'plain'), writable: [base] }, { spawn, files });
    expect(inWritable).toMatchObject({
      code: 'sandbox-unusable',
      message: expect.stringContaining(`"${plain}" is on the PATH, but`) as string,
    });
  });

  test('that is also on the search path is one of the system', async () => {
    const search = { path: join(base, 'plain'), writable: [], packaged: plain };
    expect(await findBubblewrap(search, { spawn: works, files })).not.toHaveProperty('isPackaged');
  });
});
