import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';

/** Outside of the temporary folders: there a rule lets git out. */
let base = '';
let repo = '';
let home = '';
/** Only what leaves the sandbox can make it. */
let ran = '';
beforeEach(() => {
  base = realpathSync(mkdtempSync('/var/tmp/capstan-reach-'));
  whenTestEnds(() => rmSync(base, { recursive: true, force: true }));
  [repo, home, ran] = [join(base, 'repo'), join(base, 'home'), join(base, 'ran')];
  for (const folder of [repo, home]) mkdirSync(folder);
  git('init', '-q', '.');
  git('commit', '-q', '--allow-empty', '-m', 'first');
});

const identity = ['-c', 'user.email=a@b', '-c', 'user.name=a', '-c', 'protocol.file.allow=always'];

function git(...words: readonly string[]): string {
  const env = { PATH: process.env['PATH'], HOME: home };
  const { status, stdout, stderr } = spawnSync('git', [...identity, ...words], { cwd: repo, env, encoding: 'utf8' });
  return status === 0 ? stdout : `failed: ${stderr}`;
}

/** The index calls the folder a repository, and nothing names it otherwise. */
function link(folder: string): void {
  git('update-index', '--add', '--cacheinfo', `160000,${git('rev-parse', 'HEAD').trim()},${folder}`);
  git('commit', '-q', '-m', 'link');
  mkdirSync(join(repo, folder), { recursive: true });
}

/** The commands that make a repository in which git would run a program. */
const plants = (folder: string): string =>
  `mkdir -p ${folder} && cd ${folder} && git init -q . && git ${identity.join(' ')} commit -q --allow-empty -m s; ` +
  `git config core.fsmonitor "touch ${ran}; false"`;

const allowed = 'for name in ["add", "status", "diff"]:\n    prefix_rule(pattern=["git", name])\n';

/** Each command in a step of its own. Gives what the model read of the last one. */
async function run(
  commands: readonly string[],
  {
    rules = allowed,
    sandbox = ['sandbox_mode="workspace-write"'],
    variables = {},
  }: { rules?: string; sandbox?: readonly string[]; variables?: Readonly<Record<string, string>> } = {},
) {
  // Only what sleeps runs on beside the next step.
  const patience = (cmd: string) => (cmd.startsWith('sleep') ? 500 : 30_000);
  const steps = commands.map((cmd) =>
    answer({ items: [callTool('exec_command', { cmd, yield_time_ms: patience(cmd) })] }),
  );
  const live = await LiveThread.in([...steps, answer({ items: [say('Done.')] })]);
  mkdirSync(join(live.place.home, 'rules'), { recursive: true });
  writeFileSync(join(live.place.home, 'rules/x.rules'), rules);
  const env = { CAPSTAN_HOME: live.place.home, PATH: '/usr/local/bin:/usr/bin:/bin', HOME: home, ...variables };
  const overrides = [...sandbox, 'approval_policy="never"', 'allow_login_shell=false'];
  await live.open({ env, config: overrides, cwd: repo }, { cwd: repo });
  await live.turn('Go.');
  const outputs = live.told('item-completed').flatMap(({ item }) => (item.kind === 'command' ? [item] : []));
  const warnings = live.told('warning').map(({ outcome }) => outcome);
  return { live, warnings, outputs, last: outputs.at(-1)! };
}

describe.runIf(process.platform === 'linux')('git that a rule lets out of the sandbox', () => {
  const writes = 'git add . && git status --short';

  test('leaves it in a repository that commands cannot change', async () => {
    writeFileSync(join(repo, 'new'), '');
    const { warnings } = await run(['git add new', 'git status'], {});
    expect(git('status', '--short')).toBe('A  new\n');
    expect(warnings).toEqual([]);
  });

  test('leaves it with submodules of the repository itself', async () => {
    git('clone', '-q', '.', join(base, 'other'));
    git('submodule', '--quiet', 'add', join(base, 'other'), 'sub');
    writeFileSync(join(repo, 'new'), '');
    await run([writes]);
    expect(git('diff', '--cached', '--name-only')).toContain('new');
  });

  test('finds no repository that a command put where the index names one', async () => {
    link('sub');
    const { last } = await run([plants('sub'), 'git status']);
    expect([existsSync(ran), existsSync(join(repo, 'sub/.git')), last.exitCode]).toEqual([false, false, 0]);
  });

  test('stays in it after a command made a repository, and cannot add it', async () => {
    const { warnings } = await run([plants('vendor'), 'git add .', 'git status --short']);
    expect(git('ls-files', '--stage')).not.toContain('160000');
    expect(existsSync(ran)).toBe(false);
    const kept = warnings.filter(({ code }) => code === 'git-kept-inside');
    expect(kept.map(({ message }) => message)).toEqual([expect.stringContaining(join(repo, 'vendor/.git'))]);
  });

  test('stays in it after the user has added such a repository', async () => {
    await run([plants('vendor')]);
    git('add', 'vendor');
    rmSync(ran, { force: true });
    await run(['git status --short']);
    expect(existsSync(ran)).toBe(false);
  });

  test.each([
    ['checks it out', 'git checkout evil'],
    ['compares it', 'git diff --submodule=diff main evil'],
  ])('stays in it when a branch has a repository that a command made, and git %s', async (_name, cmd) => {
    const first = git('rev-parse', 'HEAD').trim();
    git('branch', '-M', 'main');
    git('checkout', '-q', '-b', 'evil');
    link('vendor');
    git('checkout', '-q', 'main');
    rmSync(join(repo, 'vendor'), { recursive: true, force: true });
    const makes =
      `git init -q vendor && cd vendor && git fetch -q .. main && git checkout -q ${first}; ` +
      `git config core.fsmonitor "touch ${ran}; false"; git config diff.external "touch ${ran}; true #"`;
    const rules = 'prefix_rule(pattern=["git", ["checkout", "diff"]])\n';
    const { warnings } = await run([makes, cmd], { rules });
    expect(existsSync(join(repo, 'vendor/.git/config'))).toBe(true);
    expect(existsSync(ran)).toBe(false);
    expect(warnings.map(({ code }) => code)).toContain('git-kept-inside');
  });

  test.each([
    ['whose HEAD is a link that leads nowhere', 'rm vendor/.git/HEAD; ln -s refs/heads/none vendor/.git/HEAD'],
    ['whose .git is a link', 'mv vendor/.git elsewhere; ln -s ../elsewhere vendor/.git'],
    ['whose .git is a file', 'mv vendor/.git elsewhere; echo gitdir: ../elsewhere > vendor/.git'],
    ['in a folder that looks like a bare one', 'mkdir -p w/objects w/refs; echo x > w/HEAD; mv vendor w/vendor'],
  ])('stays in it beside a repository %s', async (_name, disguises) => {
    const { warnings } = await run([`(${plants('vendor')}); ${disguises}`, 'git status --short']);
    expect(warnings.map(({ code }) => code)).toContain('git-kept-inside');
  });

  const long = Array(21).fill('d'.repeat(190)).join('/');
  const walksDown = `for i in $(seq 21); do mkdir -p ${'d'.repeat(190)}; cd ${'d'.repeat(190)}; done`;

  test('stays in it when the index names a repository at a path that is too long to protect', async () => {
    whenTestEnds(() => void spawnSync('rm', ['-rf', base]));
    git('update-index', '--add', '--cacheinfo', `160000,${git('rev-parse', 'HEAD').trim()},${long}`);
    git('commit', '-q', '-m', 'link');
    const made = mkdtempSync('/tmp/capstan-reach-');
    whenTestEnds(() => rmSync(made, { recursive: true, force: true }));
    const plant = `(${plants(made)}); git -C ${made} config core.worktree ${made}; ${walksDown}; echo gitdir: ${made}/.git > .git`;
    const { live, warnings } = await run([plant, 'git status --short']);
    expect(existsSync(ran)).toBe(false);
    expect(warnings.map(({ code }) => code)).toEqual(expect.arrayContaining(['git-folders-unseen', 'git-kept-inside']));
    expect(live.notices.map(({ code }) => code)).toContain('submodules-unprotected');
  });

  test('stays in it beside a folder that is too deep to look at', async () => {
    whenTestEnds(() => void spawnSync('rm', ['-rf', base]));
    const { warnings } = await run([walksDown, 'git status --short']);
    const kept = warnings.filter(({ code }) => code === 'git-kept-inside');
    expect(kept.map(({ message }) => message)).toEqual([expect.stringMatching(/from "\/.{250,310}", which/)]);
  });

  test('stays in it beside a repository in a folder that is opened again in a denied one', async () => {
    mkdirSync(join(repo, 'closed/open'), { recursive: true });
    const entries = '{ "closed" = "deny", "closed/open" = "write" }';
    const sandbox = [
      'default_permissions="p"',
      `permissions.p={ extends = ":workspace", filesystem = { ":workspace_roots" = ${entries} } }`,
    ];
    const { warnings } = await run([plants('closed/open/vendor'), 'git status --short'], { sandbox });
    expect(warnings.map(({ code }) => code)).toContain('git-kept-inside');
  });

  test('stays in it where git trusts every folder, and the user reads why', async () => {
    writeFileSync(join(home, '.gitconfig'), '[safe]\n\tdirectory = *\n');
    const { warnings } = await run(['git status --short']);
    const kept = warnings.filter(({ code }) => code === 'git-kept-inside');
    expect(kept.map(({ next }) => next)).toEqual([expect.stringContaining('safe.directory = *')]);
  });

  test('stays in it where a variable has it load what commands can write, and the user reads which', async () => {
    const variables = { BASH_ENV: join(repo, 'env.sh') };
    const { warnings } = await run([`echo 'touch ${ran}' > env.sh`, 'git status --short'], { variables });
    expect(existsSync(ran)).toBe(false);
    expect(warnings).toContainEqual(
      expect.objectContaining({ code: 'git-kept-inside', message: expect.stringContaining('BASH_ENV') }),
    );
  });

  test('stays in it where it writes files while a command runs that could lead them elsewhere', async () => {
    git('branch', 'topic');
    const rules = 'prefix_rule(pattern=["git"])\n';
    const { warnings, outputs } = await run(['sleep 30', 'git checkout -q topic', 'git tag x'], {
      rules,
    });
    expect(git('branch', '--show-current').trim()).not.toBe('topic');
    expect(outputs.at(-1)).toMatchObject({ exitCode: 0 });
    expect(warnings).toContainEqual(expect.objectContaining({ message: expect.stringContaining('still runs') }));
    const alone = await run(['git checkout -q topic'], { rules });
    expect(alone.last).toMatchObject({ exitCode: 0 });
  });

  test('stays in it where its settings are not known: too large a file, or settings in variables', async () => {
    const hooks = `[core]\n\thooksPath = ${join(repo, '.husky')}\n`;
    const plant = `mkdir -p .husky; printf '#!/bin/sh\\ntouch ${ran}\\n' > .husky/pre-commit; chmod +x .husky/pre-commit`;
    const rules = 'prefix_rule(pattern=["git"])\n';
    const commit = 'git commit -q --allow-empty -m x';
    const user = '[user]\n\tname = a\n\temail = a@b\n';
    writeFileSync(join(home, '.gitconfig'), `${user}${hooks}${'# long\n'.repeat(40_000)}`);
    const large = await run([plant, commit], { rules });
    expect(large.warnings).toContainEqual(expect.objectContaining({ code: 'git-kept-inside' }));
    writeFileSync(join(home, '.gitconfig'), user);
    mkdirSync(join(home, '.config/git'), { recursive: true });
    writeFileSync(join(home, '.config/git/config'), hooks);
    await run([plant, commit], { rules, variables: { XDG_CONFIG_HOME: '' } });
    rmSync(join(home, '.config'), { recursive: true });
    writeFileSync(join(repo, '.gc'), user + hooks);
    await run([plant, commit], { rules, variables: { GIT_CONFIG_GLOBAL: '.gc' } });
    await run([plant, commit], { rules, variables: { GIT_CONFIG_PARAMETERS: "'core.hooksPath=.husky'" } });
    expect(existsSync(ran)).toBe(false);
  });

  test('writes what it has signed where no command does', async () => {
    writeFileSync(join(home, '.gitconfig'), '[user]\n\tname = a\n\temail = a@b\n');
    const hook = join(repo, '.git/hooks/pre-commit');
    writeFileSync(hook, `#!/bin/sh\nprintf %s "$TMPDIR" > ${ran}\n`, { mode: 0o755 });
    await run(['git commit -q --allow-empty -m x'], { rules: 'prefix_rule(pattern=["git"])\n' });
    expect(readFileSync(ran, 'utf8')).toMatch(/\/git-programs\/tmp$/);
  });

  test('stays in it when a hook is a link into the workspace', async () => {
    mkdirSync(join(repo, 'scripts'));
    writeFileSync(join(repo, 'scripts/pre-commit'), '#!/bin/sh\n', { mode: 0o755 });
    symlinkSync('../../scripts/pre-commit', join(repo, '.git/hooks/pre-commit'));
    const rewrites = `printf '#!/bin/sh\\ntouch ${ran}\\n' > scripts/pre-commit`;
    const rules = 'prefix_rule(pattern=["git", "commit"])\n';
    const { warnings } = await run([rewrites, 'git commit --allow-empty -m x'], { rules });
    expect(existsSync(ran)).toBe(false);
    const kept = warnings.filter(({ code }) => code === 'git-kept-inside');
    expect(kept.map(({ message }) => message)).toEqual([expect.stringContaining('hooks/pre-commit')]);
  });

  test.each([
    ['a program to an option', () => `git fetch --upload-pack='touch ${ran}; true' .`, 'fetch'],
    ['a file to write to an option', () => `git diff --output=${ran}`, 'diff'],
    ['a repository in a temporary folder', (bare: string) => `git push -q ${bare} HEAD:refs/heads/x`, 'push'],
  ])('stays in it when a word behind those of the rule names %s', async (_name, command, name) => {
    const bare = mkdtempSync('/tmp/capstan-reach-');
    whenTestEnds(() => rmSync(bare, { recursive: true, force: true }));
    const plantsHook = `git init -q --bare ${bare}; printf '#!/bin/sh\\ntouch ${ran}\\n' > ${bare}/hooks/update; chmod +x ${bare}/hooks/update`;
    await run([plantsHook, command(bare)], { rules: `prefix_rule(pattern=["git", "${name}"])\n` });
    expect(existsSync(ran)).toBe(false);
  });

  test('stays in it if one script adds such a repository and looks at it', async () => {
    await run([plants('vendor'), writes]);
    expect(git('ls-files', '--stage')).not.toContain('160000');
    expect(existsSync(ran)).toBe(false);
  });

  test('stays in it in a later thread, too', async () => {
    await run([plants('vendor'), 'git add .']);
    await run(['git status']);
    expect(existsSync(ran)).toBe(false);
  });

  test.each([
    ['which stands in the workspace', '.gitconfig', '../.gitconfig', true],
    ['which does not exist yet', 'later/settings', '../later/settings', false],
    ['by a path of the home folder', 'shared', '~/../repo/shared', false],
  ] as const)('stays in it when settings include a file, %s', async (_name, file, included, exists) => {
    git('config', 'include.path', included);
    if (exists) writeFileSync(join(repo, file), '[user]\n\tname = a\n');
    const settings = `printf '[core]\\n\\tfsmonitor = "touch ${ran}; false"\\n'`;
    const { outputs } = await run([`mkdir -p later; ${settings} > ${file}`, 'git status']);
    expect(existsSync(ran)).toBe(false);
    // Existing files are protected from commands, so that the user's own git is safe as well.
    expect(outputs[0]?.exitCode === 0).toBe(!exists);
    if (exists) git('status');
    expect(existsSync(ran)).toBe(false);
  });

  test('stays in it when hooks come from the workspace', async () => {
    git('config', 'core.hooksPath', '.husky');
    const hook = '.husky/post-index-change';
    const makes = `mkdir .husky && printf '#!/bin/sh\\ntouch ${ran}\\n' > ${hook} && chmod +x ${hook} && touch new`;
    await run([makes, 'git add new', 'git status']);
    expect(existsSync(ran)).toBe(false);
  });

  test("stays in it when commands may write the user's own settings", async () => {
    home = repo;
    await run([`printf '[core]\\n\\tfsmonitor = "touch ${ran}; false"\\n' > .gitconfig`, 'git status']);
    expect(existsSync(ran)).toBe(false);
  });
});

describe.runIf(process.platform === 'linux')("the user's own git", () => {
  test.each([['sub'], ['deep/in/sub']])(
    'runs nothing that a command put into %s, which the index names',
    async (sub) => {
      link(sub);
      await run([plants(sub)], { rules: '' });
      expect(git('status', '--short')).toBe('');
      expect(existsSync(ran)).toBe(false);
    },
  );

  test('runs nothing that a command put into a submodule of a submodule', async () => {
    git('clone', '-q', '.', join(base, 'other'));
    const outer = repo;
    repo = join(base, 'other');
    link('inner');
    repo = outer;
    git('submodule', '--quiet', 'add', join(base, 'other'), 'sub');
    git('commit', '-q', '-m', 'sub');
    await run([plants('sub/inner')], { rules: '' });
    expect(git('status', '--short')).toBe('');
    expect(existsSync(ran)).toBe(false);
  });

  test('is warned of in a new repository, with the folder, the danger above it and the way out', async () => {
    const { warnings } = await run([plants('vendor'), 'true'], { rules: '' });
    const told = warnings.filter(({ code }) => code === 'new-repositories');
    expect(told).toHaveLength(1);
    expect(told[0]!.message).toContain(join(repo, 'vendor'));
    expect(told[0]!.next).toMatch(/`git status` in that one is enough.*Check the file config/);
  });
});

describe.runIf(process.platform === 'linux')('a submodule that is not checked out', () => {
  beforeEach(() => {
    writeFileSync(join(repo, '.gitmodules'), '[submodule "sub"]\n\tpath = sub\n\turl = ../other\n');
    git('add', '.gitmodules');
    link('sub');
  });

  test.each(['git status --short', 'git diff', 'git diff HEAD --stat'])(
    'leaves %j working in the sandbox',
    async (cmd) => {
      const { last } = await run([cmd], { rules: '' });
      expect([last.exitCode, last.output.trim()]).toEqual([0, '']);
    },
  );

  test('leaves git working in another terminal while a command runs', async () => {
    const seen: string[] = [];
    const waits = `touch ready; while [ ! -e go ]; do sleep 0.05; done; rm ready go`;
    const running = run([waits], { rules: '' });
    while (!existsSync(join(repo, 'ready'))) await new Promise((resolve) => void setTimeout(resolve, 20));
    seen.push(git('status', '--short', '--untracked-files=no'), readdirSync(join(repo, 'sub')).join(' '));
    writeFileSync(join(repo, 'go'), '');
    await running;
    expect(seen).toEqual(['', '']);
  });

  test('cannot be filled by a command, and the model knows', async () => {
    const { live, last } = await run(['touch sub/x; mkdir sub/.git; mv sub other; rmdir sub; ls -A sub'], {
      rules: '',
    });
    expect(last.output.match(/Read-only file system|busy/g)).toHaveLength(4);
    expect(JSON.stringify(live.model.requests[0]!.body)).toContain(join(repo, 'sub'));
    expect(readdirSync(join(repo, 'sub'))).toEqual([]);
  });

  test('is kept when its folder is missing, and is missing afterwards', async () => {
    rmSync(join(repo, 'sub'), { recursive: true });
    const { live, last } = await run([plants('sub')], { rules: '' });
    expect(last.output).toMatch(/Read-only file system/);
    expect(existsSync(ran)).toBe(false);
    await live.close();
    await vi.waitUntil(() => !existsSync(join(repo, 'sub')), { timeout: 20_000 });
  });
});
