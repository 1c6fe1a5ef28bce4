import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { processStartTime } from '../../disk/processes.ts';
import { mainCheckout } from '../git/repository.ts';
import {
  changedConfiguration,
  findTrust,
  partDigests,
  type ProjectFolder,
  projectPartsStamp,
  recordAgreedParts,
  recordLandlockRoots,
} from './project-trust.ts';
import { forgetLandlockWriter } from './landlock-writers.ts';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'capstan-landlock-record-')));
  write('work/.codex/config.toml', 'model = "a"\n');
  write('work/.agents/skills/one/SKILL.md', 'text');
});
afterEach(() => {
  forgetLandlockWriter(home());
  rmSync(folder, { recursive: true, force: true });
});

const path = (name: string): string => join(folder, name);
const home = (): string => path('home');

function write(name: string, text: string): void {
  mkdirSync(dirname(path(name)), { recursive: true });
  writeFileSync(path(name), text);
}

function record(roots: readonly string[] = ['work'], trusted: readonly string[] = ['work']): void {
  recordLandlockRoots(home(), roots.map(path), () => trusted.map((owner) => ({ owner: path(owner) })));
}

const found = (owner = 'work') => changedConfiguration(home(), { owner: path(owner) });
const agree = (owner = 'work') => recordAgreedParts(home(), partDigests(home(), [{ owner: path(owner) }]));

test('a project that no command could write under Landlock is trusted as it is', () => {
  expect(found()).toBeUndefined();
  record(['other']);
  write('work/.codex/config.toml', 'model = "b"\n');
  expect(found()).toBeUndefined();
});

test.each([
  ['its configuration', '.codex/config.toml', '.codex'],
  ['a new configuration', '.capstan/config.toml', '.capstan'],
  ['a rule', '.codex/rules/x.rules', '.codex'],
  ['a script that a hook may name', '.codex/hooks/check.sh', '.codex'],
  ['a program that a server may name', '.codex/bin/server', '.codex'],
  ['a file of a skill', '.agents/skills/one/run.sh', '.agents'],
  ['a file beside the skills', '.agents/lib/shared.sh', '.agents'],
])('%s is not trusted once it changed, until the user agrees', (_what, name, part) => {
  record();
  expect(found()).toBeUndefined();
  write(`work/${name}`, 'changed');
  const changed = { changed: path(`work/${part}`) };
  expect(found()).toEqual(changed);
  // Another record would call the change the state that was trusted.
  record();
  expect(found()).toEqual(changed);
  agree();
  expect(found()).toBeUndefined();
  write(`work/${name}`, 'changed again');
  expect(found()).toEqual(changed);
});

test('a part that is gone is a change too: it may have held something back', () => {
  record();
  rmSync(path('work/.codex'), { recursive: true });
  expect(found()).toEqual({ changed: path('work/.codex') });
  agree();
  expect(found()).toBeUndefined();
  write('work/.codex/config.toml', 'model = "a"\n');
  expect(found()).toEqual({ changed: path('work/.codex') });
});

test('an empty folder, as a sandbox of bubblewrap leaves it for a while, is no change', () => {
  record();
  mkdirSync(path('work/.capstan'));
  expect(found()).toBeUndefined();
});

test('a file counts by what it is, whatever its times say', () => {
  utimesSync(path('work/.codex/config.toml'), 1, 1);
  record();
  expect(found()).toBeUndefined();
  write('work/.codex/config.toml', 'model = "b"\n');
  utimesSync(path('work/.codex/config.toml'), 1, 1);
  expect(found()).toEqual({ changed: path('work/.codex') });
  write('work/.codex/config.toml', 'model = "a"\n');
  expect(found()).toBeUndefined();
  chmodSync(path('work/.codex/config.toml'), 0o755);
  expect(found()).toEqual({ changed: path('work/.codex') });
});

test('a file with a second name is compared by its content', () => {
  write('work/free', 'model = "a"\n');
  rmSync(path('work/.codex/config.toml'));
  linkSync(path('work/free'), path('work/.codex/config.toml'));
  record();
  write('work/free', 'model = "b"\n');
  expect(found()).toEqual({ changed: path('work/.codex') });
});

test('a yes is for what was shown, and not for what came after it', () => {
  record();
  write('work/.codex/config.toml', 'shown');
  const seen = partDigests(home(), [{ owner: path('work') }]);
  write('work/.codex/config.toml', 'later');
  recordAgreedParts(home(), seen);
  expect(found()).toEqual({ changed: path('work/.codex') });
});

test('a project that was not trusted when commands ran has nothing that was agreed to', () => {
  record(['work'], []);
  expect(found()).toEqual({ changed: path('work/.codex') });
});

test('a project in the home is recorded as any other, and the home itself is no project', () => {
  write('home/proj/.codex/config.toml', 'a');
  record(['home/proj'], ['home/proj']);
  expect(found('home/proj')).toBeUndefined();
  write('home/proj/.codex/config.toml', 'b');
  expect(found('home/proj')).toEqual({ changed: path('home/proj/.codex') });
  symlinkSync(home(), path('other-codex'));
  mkdirSync(path('user'));
  symlinkSync(home(), path('user/.codex'));
  record(['user'], []);
  expect(found('user')).toBeUndefined();
});

describe('links', () => {
  test('a linked folder counts where commands could write what it leads to', () => {
    write('elsewhere/config.toml', 'a');
    mkdirSync(path('linked'));
    symlinkSync(path('elsewhere'), path('linked/.codex'));
    record(['elsewhere'], ['linked']);
    expect(found('linked')).toBeUndefined();
    write('elsewhere/config.toml', 'b');
    expect(found('linked')).toEqual({ changed: path('linked/.codex') });
  });

  test('what a link inside a part leads to is compared, unless no command could write it', () => {
    write('shared/SKILL.md', 'a');
    write('fixed/SKILL.md', 'a');
    symlinkSync(path('shared'), path('work/.agents/skills/two'));
    symlinkSync(path('fixed'), path('work/.agents/skills/three'));
    symlinkSync('..', path('work/.agents/skills/loop'));
    symlinkSync('nowhere', path('work/.agents/skills/broken'));
    record(['work', 'shared']);
    expect(found()).toBeUndefined();
    write('fixed/SKILL.md', 'b');
    expect(found()).toBeUndefined();
    write('shared/SKILL.md', 'b');
    expect(found()).toEqual({ changed: path('work/.agents') });
  });

  test('a link into a writable folder makes a project one that commands could change', () => {
    write('shared/SKILL.md', 'a');
    symlinkSync(path('shared'), path('work/.agents/skills/two'));
    record(['shared']);
    expect(found()).toBeUndefined();
    write('shared/SKILL.md', 'b');
    expect(found()).toEqual({ changed: path('work/.agents') });
  });

  test('a link to the root of the disk cannot be compared, and is given up soon', () => {
    record();
    symlinkSync('/', path('work/.codex/skills'));
    agree();
    expect(found()).toEqual({ changed: path('work/.codex'), isIncomparable: true });
  });
});

test('a part with too much in it, or that cannot be read, is never the same', () => {
  record();
  writeFileSync(path('work/.codex/large'), Buffer.alloc(21_000_000));
  agree();
  expect(found()).toEqual({ changed: path('work/.codex'), isIncomparable: true });
});

test.skipIf(process.platform !== 'linux')('a pipe in a part holds nothing up', () => {
  execFileSync('mkfifo', [path('work/.codex/pipe')]);
  record();
  expect(found()).toBeUndefined();
  rmSync(path('work/.codex/pipe'));
  expect(found()).toEqual({ changed: path('work/.codex') });
});

test('a folder is known again by its inode after it or one above it was renamed', () => {
  write('above/place/.codex/config.toml', 'a');
  record(['above/place'], ['above/place']);
  renameSync(path('above'), path('renamed'));
  write('renamed/place/.codex/config.toml', 'b');
  expect(found('renamed/place')).toEqual({ changed: path('renamed/place/.codex') });
});

test('a folder that was made anew at a known path is known by both inodes', () => {
  record();
  renameSync(path('work'), path('first'));
  write('work/.codex/config.toml', 'model = "a"\n');
  write('work/.agents/skills/one/SKILL.md', 'text');
  record();
  expect([found()?.changed, found('first')?.changed]).toEqual([undefined, path('first/.codex')]);
  renameSync(path('work'), path('second'));
  expect(found('second')?.changed).toBe(path('second/.codex'));
});

test.each([
  ['torn', '{"root":'],
  ['empty', ''],
  ['of another kind', '[1]'],
  ['huge', ' '.repeat(17_000_000)],
])('a record that is %s counts for every folder, until the user agrees', (_what, text) => {
  record(['other']);
  write('home/capstan/landlock/broken.json', text);
  expect(found()).toEqual({ changed: path('work/.codex') });
  agree();
  expect(found()).toBeUndefined();
});

test('a home that cannot be written is an error', () => {
  write('home/capstan', 'a file');
  expect(() => record()).toThrow('cannot be made');
});

test('trust in a folder does not cover what changed there', () => {
  const projects = { [path('work')]: { trustLevel: 'trusted' } } as const;
  const decide = () => findTrust(path('work'), { projects, projectRootMarkers: ['.git'] }, home());
  record();
  expect(decide()).toEqual({ trust: 'trusted', folder: path('work') });
  write('work/.codex/config.toml', 'changed');
  expect(decide()).toEqual({ trust: 'unknown', folder: path('work'), changed: path('work/.codex') });
});

describe('a linked worktree', () => {
  const decide = () => {
    const projects = { [path('main')]: { trustLevel: 'trusted' } } as const;
    return findTrust(path('tree'), { projects, projectRootMarkers: ['.git'] }, home());
  };
  const link = (): void => {
    write('main/.git/HEAD', 'ref: refs/heads/main\n');
    write('main/.git/worktrees/tree/HEAD', 'ref: refs/heads/main\n');
    write('main/.git/worktrees/tree/commondir', '../..\n');
    write('main/.git/worktrees/tree/gitdir', `${path('tree/.git')}\n`);
    write('tree/.git', `gitdir: ${path('main/.git/worktrees/tree')}\n`);
    expect(mainCheckout(path('tree'))).toBe(path('main'));
  };
  const recordTree = (root: string, trusted: readonly ProjectFolder[]): void =>
    recordLandlockRoots(home(), [path(root)], () => trusted);

  test('has no trust of a checkout whose records commands could write', () => {
    recordTree('main', [{ owner: path('main') }]);
    link();
    const changed = path('tree/.git');
    expect(decide()).toEqual({ trust: 'unknown', folder: path('main'), link: path('tree'), changed });
  });

  test('keeps it while the link is as it was recorded', () => {
    link();
    recordTree('tree', [{ owner: path('tree'), link: path('tree') }]);
    expect(decide()).toEqual({ trust: 'trusted', folder: path('main'), link: path('tree') });
    write('main/.git/worktrees/tree/gitdir', `${path('tree')}/../tree/.git\n`);
    expect(decide()).toMatchObject({ trust: 'unknown', changed: path('tree/.git') });
  });
});

test('the stamp of a project changes with all that is put there for a moment', () => {
  const stamp = () => projectPartsStamp(home(), [path('work')]);
  expect(stamp()).toBe('');
  record();
  const before = stamp();
  expect(stamp()).toBe(before);
  renameSync(path('work/.codex/config.toml'), path('work/.codex/aside'));
  renameSync(path('work/.codex/aside'), path('work/.codex/config.toml'));
  const after = stamp();
  expect(after).not.toBe(before);
  mkdirSync(path('work/.capstan'));
  rmSync(path('work/.capstan'), { recursive: true });
  expect(stamp()).not.toBe(after);
});

describe.skipIf(process.platform !== 'linux')('engines that run', () => {
  const running = (): string => path('home/capstan/landlock/running');
  let other: ChildProcess;
  beforeEach(() => {
    other = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] });
  });
  afterEach(async () => {
    if (other.exitCode === null && other.signalCode === null) await endOther();
  });
  const endOther = () =>
    new Promise<void>((resolve) => {
      other.once('exit', () => resolve());
      other.kill('SIGKILL');
    });
  function register(more: object = {}): string {
    const file = join(running(), `1-${other.pid}.json`);
    mkdirSync(running(), { recursive: true });
    const registration = {
      pid: other.pid,
      startedAt: processStartTime(other.pid!),
      namespace: readlinkSync('/proc/self/ns/pid'),
      roots: [{ root: path('work'), ids: [] }],
      ...more,
    };
    writeFileSync(file, JSON.stringify(registration));
    return file;
  }

  test('this one is registered while it may start commands, and its own threads are trusted', () => {
    record();
    const [name = ''] = readdirSync(running());
    expect(JSON.parse(readFileSync(join(running(), name), 'utf8'))).toMatchObject({
      pid: process.pid,
      roots: [{ root: path('work'), alone: true }],
    });
    // Another one that comes later can do no more than the commands of this one.
    register();
    expect(found()).toBeUndefined();
    forgetLandlockWriter(home());
    expect(readdirSync(running())).toEqual([`1-${other.pid}.json`]);
  });

  test('another one that may write there counts as a change of the project until it ends', async () => {
    record();
    forgetLandlockWriter(home());
    rmSync(running(), { recursive: true });
    const file = register();
    const writer = { pid: other.pid };
    expect(found()).toEqual({ changed: path('work/.codex'), writer });
    // To use the folder too does not make it safe.
    record();
    expect(found()).toEqual({ changed: path('work/.codex'), writer });
    register({ roots: [{ root: path('elsewhere'), ids: [] }] });
    expect(found()).toBeUndefined();
    register();
    await endOther();
    expect(found()).toBeUndefined();
    expect(readdirSync(running())).not.toContain(file);
  });

  test('one of another container counts until the system starts again', () => {
    record();
    rmSync(running(), { recursive: true });
    const file = register({ namespace: 'pid:[1]' });
    expect(found()).toEqual({ changed: path('work/.codex'), writer: { pid: other.pid, file } });
    register({ namespace: 'pid:[1]', startedAt: 'another-boot 1' });
    expect(found()).toBeUndefined();
  });

  test('a registration that is torn counts for every folder while its process runs', async () => {
    record();
    rmSync(running(), { recursive: true });
    writeFileSync(register(), '{');
    expect(found()).toEqual({ changed: path('work/.codex'), writer: { pid: other.pid } });
    await endOther();
    expect(found()).toBeUndefined();
  });
});
