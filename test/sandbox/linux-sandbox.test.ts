import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { nodeProgramFiles } from '../../src/adapters/disk/node-program-files.ts';
import { createNodeSpawn } from '../../src/adapters/exec/node-spawn.ts';
import { processTable } from '../../src/adapters/exec/leftover-processes.ts';
import type { SpawnLimits } from '../../src/ports/commands.ts';
import type { PermissionProfile } from '../../src/protocol/permissions.ts';
import { ownSeconds, processesWith } from '../harness/process-table.ts';
import { createTrial, modeProfile, rulesProfile } from '../harness/sandbox-trial.ts';

const clock = { now: () => performance.now(), sleep: () => Promise.resolve() };
const trial = createTrial({
  spawn: createNodeSpawn({ clock, runFolder: '/nowhere' }),
  programFiles: nodeProgramFiles,
  processes: processTable,
});
const { base, repo, sibling, home, temporary, run, succeeding } = trial;
const readOnly = modeProfile('read-only', 'restricted');
const workspaceWrite = modeProfile('workspace-write', 'restricted');
const suite = trial.isPossible ? describe : describe.skip;

/** A slow machine takes its time before the limit begins. */
function pausedUntil(isReady: () => boolean): NonNullable<SpawnLimits['pauses']> {
  return {
    isPaused: true,
    watch(changed) {
      const look = setInterval(() => isReady() && changed(false), 5);
      return () => clearInterval(look);
    },
  };
}

suite(trial.title, () => {
  beforeEach(() => trial.reset());
  afterAll(() => trial.remove());

  describe('read-only', () => {
    test.each([
      ['the working folder', () => `echo new > ${repo}/file`],
      ['a new file', () => `touch ${repo}/new`],
      ['the temporary folder', () => `touch ${temporary}/new`],
      ['the home folder', () => `touch ${home}/new`],
      ['the system', () => 'touch /etc/capstan-test'],
      ['a remount', () => `mount -o remount,rw / && touch ${repo}/new`],
    ])('%s cannot be written', async (_, script) => {
      const { exitCode } = await run(readOnly, script());
      expect(exitCode).not.toBe(0);
      expect(readFileSync(join(repo, 'file'), 'utf8')).toBe('old');
      expect([repo, home, temporary].map((folder) => existsSync(join(folder, 'new')))).toEqual([false, false, false]);
    });

    test('everything can be read, devices work, rights are gone', async () => {
      const script = `cat file; head -c 1 /dev/urandom | wc -c; echo x > /dev/null; grep -E '^(CapEff|NoNewPrivs|Seccomp):' /proc/self/status`;
      const { exitCode, text } = await run(readOnly, script);
      expect(text.replaceAll(/[\t ]+/g, ' ')).toBe('old1\nCapEff: 0000000000000000\nNoNewPrivs: 1\nSeccomp: 2\n');
      expect(exitCode).toBe(0);
    });

    test.runIf(process.arch === 'x64' || process.arch === 'arm64')(
      'the kernel answers no call that builds do not need, and those that they need it answers',
      async () => {
        const column = process.arch === 'x64' ? 0 : 1;
        // Most would end with another error, or succeed: a bad pointer, an odd flag, the size of the log.
        const calls = {
          bpf: [[321, 280], '99, 0, 0'],
          perf_event_open: [[298, 241], '0, 0, -1, -1, 0'],
          userfaultfd: [[323, 282], '0x40000001'],
          open_by_handle_at: [[304, 265], '-1, 0, 0'],
          fanotify_init: [[300, 262], '0x200, 0'],
          quotactl: [[179, 60], '0xff, 0, 0, 0'],
          quotactl_fd: [[443, 443], '-1, 0xff, 0, 0'],
          syslog: [[103, 116], '10, 0, 0'],
          keyctl: [[250, 219], '0, -3, 0'],
          io_uring_setup: [[425, 425], '1, 0'],
          name_to_handle_at: [[303, 264], '-1, 0, 0, 0, 0'],
          memfd_create: [[319, 279], '0, 0'],
        } as const;
        const asked = Object.values(calls).map(([numbers, given]) => `[${numbers[column]}, ${given}]`);
        const look = `for (${asked.join(', ')}) { $! = 0; my ($n, @a) = @$_; syscall($n, @a); print $!{EPERM} ? "refused\n" : "answered\n" }`;
        const words = Object.keys(calls).map((name) =>
          ['name_to_handle_at', 'memfd_create'].includes(name) ? 'answered' : 'refused',
        );
        for (const network of ['restricted', 'enabled'] as const) {
          const { text } = await run(modeProfile('read-only', network), ['perl', '-MErrno', '-e', look]);
          expect(text.trim().split('\n')).toEqual(words);
        }
      },
    );

    test('nothing is open but the standard streams', async () => {
      const look =
        'for (0 .. 1023) { my $target = readlink("/proc/self/fd/$_"); print "$target\\n" if defined $target }';
      const { text } = await run(readOnly, ['perl', '-e', look]);
      expect([...new Set(text.trim().split('\n'))]).toEqual(['/dev/null', expect.stringMatching(/^pipe:\[\d+\]$/)]);
    });

    test('exit codes and signals come through', async () => {
      expect((await run(readOnly, 'exit 42')).exitCode).toBe(42);
      expect((await run(readOnly, 'kill -TERM $$')).exitCode).toBe(143);
    });

    test('processes outside are not visible', async () => {
      const { text } = await run(readOnly, `ls -d /proc/${process.pid} /proc/1/exe 2>&1; kill -0 ${process.pid} 2>&1`);
      expect(text).toContain('No such');
    });
  });

  describe('workspace-write', () => {
    test('the workspace and the temporary folder can be written', async () => {
      const { exitCode, text } = await run(
        workspaceWrite,
        `echo new > file && mkdir -p a/b && touch ${temporary}/new && rm ${temporary}/new && mv a c`,
      );
      expect({ exitCode, text }).toEqual({ exitCode: 0, text: '' });
      expect(readFileSync(join(repo, 'file'), 'utf8')).toBe('new\n');
      expect(existsSync(join(repo, 'c/b'))).toBe(true);
    });

    test('the home folder and a neighbour cannot', async () => {
      expect((await run(workspaceWrite, `touch ${home}/new`)).exitCode).toBe(1);
      expect((await run(workspaceWrite, `touch ${sibling}/new`)).exitCode).toBe(1);
      expect((await run(workspaceWrite, `ln -s ${home} link && touch link/new`)).exitCode).toBe(1);
      expect(existsSync(join(home, 'new'))).toBe(false);
    });

    test('protected folders that exist can be read and not written, replaced or moved', async () => {
      mkdirSync(join(repo, '.git/hooks'), { recursive: true });
      writeFileSync(join(repo, '.git/config'), 'old');
      expect(
        await succeeding(workspaceWrite, [
          'echo new > .git/config',
          'touch .git/hooks/pre-commit',
          'mv .git other',
          'rm -rf .git',
          'chmod 777 .git/config',
        ]),
      ).toEqual([]);
      expect(await run(workspaceWrite, 'cat .git/config')).toEqual({ exitCode: 0, text: 'old' });
    });

    test.each(['.git', '.agents', '.codex', '.aws', '.capstan'])(
      'a missing %s cannot be made, and is not left behind',
      async (name) => {
        expect(
          await succeeding(workspaceWrite, [
            `mkdir ${name}`,
            `touch ${name}/x`,
            `mkdir -p ${name}/x`,
            `ln -sf ${home} ${name}/`,
            `mv file ${name}/`,
            `rmdir ${name} && mkdir ${name}`,
          ]),
        ).toEqual([]);
        expect(readdirSync(repo)).toEqual(['file']);
      },
    );

    test('git init fails, and nothing is left', async () => {
      expect((await run(workspaceWrite, 'git init .')).exitCode).not.toBe(0);
      expect(readdirSync(repo)).toEqual(['file']);
    });

    test('an empty protected folder that was there stays there', async () => {
      mkdirSync(join(repo, '.codex'));
      expect((await run(workspaceWrite, 'touch .codex/x')).exitCode).toBe(1);
      expect(readdirSync(repo)).toEqual(['.codex', 'file']);
    });

    test('commands that overlap do not take the protection from each other', async () => {
      const quick = () => run(workspaceWrite, 'true');
      const slow = run(
        workspaceWrite,
        'for i in $(seq 40); do mkdir .codex/x .git/x 2>/dev/null && echo made; rmdir .codex 2>/dev/null && echo gone; sleep 0.01; done',
      );
      for (let round = 0; round < 5; round += 1) await Promise.all([quick(), quick()]);
      expect(await slow).toEqual({ exitCode: 0, text: '' });
      expect(readdirSync(repo)).toEqual(['file']);
    });

    test('many commands at once', async () => {
      const ends = await Promise.all(
        Array.from({ length: 16 }, (_, i) =>
          run(workspaceWrite, `echo ${i} > out${i}; mkdir .git 2>/dev/null || echo kept`),
        ),
      );
      expect(ends).toEqual(ends.map(() => ({ exitCode: 0, text: 'kept\n' })));
      expect(readdirSync(repo).length).toBe(17);
    });

    test('a time-out kills everything inside', async () => {
      const seconds = ownSeconds(73011);
      const script = `(setsid sleep ${seconds} &) ; echo up; touch ready; sleep 60`;
      const pauses = pausedUntil(() => existsSync(join(repo, 'ready')));
      const { text } = await run(workspaceWrite, script, { timeoutMs: 500, pauses });
      expect(text).toBe('up\n');
      await expect.poll(() => processesWith(seconds)).toEqual([]);
    });

    test('processes left behind end with the command', async () => {
      const seconds = ownSeconds(73012);
      const { exitCode } = await run(workspaceWrite, `sleep ${seconds} > /dev/null 2>&1 & exit 3`);
      expect(exitCode).toBe(3);
      await expect.poll(() => processesWith(seconds)).toEqual([]);
    });

    test('a workspace that is reached through a link works, and is protected', async () => {
      symlinkSync(repo, join(base, 'alias'));
      try {
        const { text } = await run(workspaceWrite, 'pwd -P; touch made; mkdir .git 2>&1', { cwd: join(base, 'alias') });
        expect(text).toBe(`${repo}\nmkdir: cannot create directory '.git': File exists\n`);
        expect(readdirSync(repo)).toEqual(['file', 'made']);
      } finally {
        rmSync(join(base, 'alias'));
      }
    });
  });

  describe('links', () => {
    test('a protected name that is a link cannot be replaced, and what is there can be worked on', async () => {
      mkdirSync(join(repo, 'shared'));
      mkdirSync(join(repo, 'src'));
      symlinkSync('shared', join(repo, '.codex'));
      expect(
        await succeeding(workspaceWrite, [
          'rm .codex',
          'mv .codex x',
          'ln -sfn src .codex',
          'touch .codex/x',
          'touch shared/x',
          'mv shared y',
          'mkdir .git',
        ]),
      ).toEqual([]);
      expect(await run(workspaceWrite, 'touch src/x && echo new > file && cat .codex/none || ls src')).toMatchObject({
        text: expect.stringContaining('x\n') as string,
      });
      expect(readdirSync(repo).toSorted()).toEqual(['.codex', 'file', 'shared', 'src']);
    });

    test('nothing is granted through a link that a command could have made', async () => {
      symlinkSync(home, join(repo, 'extra'));
      const profile = rulesProfile([
        ['/', 'read'],
        [repo, 'write'],
        [join(repo, 'extra'), 'write'],
      ]);
      expect((await run(profile, 'touch extra/new')).exitCode).toBe(1);
      expect((await run(profile, 'touch new')).exitCode).toBe(0);
    });

    test('folders above something protected keep their place', async () => {
      mkdirSync(join(repo, 'a/b'), { recursive: true });
      writeFileSync(join(repo, 'a/b/secret'), 'secret');
      const profile = rulesProfile([
        ['/', 'read'],
        [repo, 'write'],
        [join(repo, 'a/b/secret'), 'deny'],
      ]);
      expect(await succeeding(profile, ['mv a c', 'mv a/b a/c', 'rm -rf a', 'cat a/b/secret'])).toEqual([]);
      expect((await run(profile, 'touch a/b/new && mv a/b/new a/new')).exitCode).toBe(0);
      expect(readFileSync(join(repo, 'a/b/secret'), 'utf8')).toBe('secret');
    });
  });

  describe('finer rules', () => {
    test('what is denied cannot be read, listed or written', async () => {
      mkdirSync(join(repo, 'private'));
      writeFileSync(join(repo, 'private/key'), 'secret');
      writeFileSync(join(home, 'key'), 'secret');
      const profile = rulesProfile([
        ['/', 'read'],
        [repo, 'write'],
        [join(repo, 'private'), 'deny'],
        [join(home, 'key'), 'deny'],
      ]);
      const { text } = await run(
        profile,
        `cat private/key; ls private; cat ${home}/key; cat ${home}/* private/*; true`,
      );
      expect(text).not.toContain('secret');
      const changes = ['touch private/x', 'rm -rf private', 'chmod 777 private', `echo x > ${home}/key`];
      expect(await succeeding(profile, ['cat private/key', 'ls private', `cat ${home}/key`, ...changes])).toEqual([]);
      expect(readFileSync(join(repo, 'private/key'), 'utf8')).toBe('secret');
    });

    test('a denied path that is missing cannot be made, and an ordinary read-only one neither', async () => {
      const profile = rulesProfile([
        ['/', 'read'],
        [repo, 'write'],
        [join(repo, 'no/such'), 'deny'],
        [join(repo, 'blocked'), 'read'],
      ]);
      expect((await run(profile, 'mkdir -p no/such')).exitCode).not.toBe(0);
      expect((await run(profile, 'echo x > blocked')).exitCode).not.toBe(0);
      expect(readdirSync(repo)).toEqual(['file']);
    });

    test('a folder inside a denied one can be opened again', async () => {
      mkdirSync(join(repo, 'a/b'), { recursive: true });
      writeFileSync(join(repo, 'a/secret'), 'secret');
      writeFileSync(join(repo, 'a/b/open'), 'open');
      const profile = rulesProfile([
        ['/', 'read'],
        [repo, 'write'],
        [join(repo, 'a'), 'deny'],
        [join(repo, 'a/b'), 'write'],
      ]);
      expect(await run(profile, 'cat a/b/open; touch a/b/new')).toEqual({ exitCode: 0, text: 'open' });
      expect(
        await succeeding(profile, ['cat a/secret', 'ls a', 'touch a/new', 'mkdir a/b/.git', 'mv a/b a/c']),
      ).toEqual([]);
      expect(readdirSync(join(repo, 'a')).toSorted()).toEqual(['b', 'secret']);
      expect(readdirSync(join(repo, 'a/b')).toSorted()).toEqual(['new', 'open']);
    });

    test('reads can be limited to the system and the workspace', async () => {
      writeFileSync(join(home, 'key'), 'secret');
      const profile = rulesProfile([[repo, 'write']], { platform: true });
      expect(await run(profile, 'cat file; touch new; /bin/ls')).toEqual({ exitCode: 0, text: 'oldfile\nnew\n' });
      expect((await run(profile, `cat ${home}/key`)).exitCode).toBe(1);
      expect((await run(profile, `ls ${base}`)).text).toBe('repo\n');
      expect((await run(profile, `touch ${base}/new`)).exitCode).toBe(1);
      expect((await run(profile, 'true', { cwd: home })).text).toMatch(
        /^policy-unenforceable: The policy denies reading the working folder/,
      );
    });

    test('globs hide what they match, also behind links', async () => {
      mkdirSync(join(repo, 'app'));
      for (const name of ['.env', 'app/prod.env', 'app/plain']) writeFileSync(join(repo, name), 'secret');
      writeFileSync(join(home, 'real'), 'secret');
      symlinkSync(join(home, 'real'), join(repo, 'app/linked.env'));
      const profile = rulesProfile(
        [
          ['/', 'read'],
          [repo, 'write'],
        ],
        { globs: [`${repo}/**/*.env`] },
      );
      const { text } = await run(
        profile,
        `cat .env app/prod.env app/linked.env ${home}/real 2>&1 | grep -c denied; cat app/plain`,
      );
      expect(text).toBe('4\nsecret');
      expect((await run(rulesProfile([['/', 'read']], { globs: ['/**/*.env'] }), 'true')).text).toMatch(
        /^policy-unenforceable: /,
      );
    });

    test('a writable root that is missing, and one that is not ours, do not matter', async () => {
      const foreign = process.getuid?.() === 0 ? join(base, 'foreign') : '/usr';
      if (foreign !== '/usr') {
        mkdirSync(foreign, { recursive: true });
        chownSync(foreign, 12_345, 12_345);
      }
      const profile = rulesProfile([
        ['/', 'read'],
        [repo, 'write'],
        [join(home, 'later'), 'write'],
        [join(repo, 'later'), 'write'],
        [foreign, 'write'],
      ]);
      expect(await run(profile, 'mkdir later && touch later/x && echo ok')).toEqual({ exitCode: 0, text: 'ok\n' });
    });

    test('a disk without limits and a network with them', async () => {
      const profile: PermissionProfile = {
        type: 'managed',
        file_system: { type: 'unrestricted' },
        network: 'restricted',
      };
      expect(await run(profile, `touch ${home}/new && mkdir .git && echo ok`)).toEqual({ exitCode: 0, text: 'ok\n' });
      expect(existsSync(join(repo, '.git'))).toBe(true);
    });
  });

  test('a program that is not there is reported as such', async () => {
    const { exitCode, text } = await run(readOnly, ['no-such-program']);
    expect(exitCode).toBe(1);
    expect(text).toContain('no-such-program');
  });
});
