import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { createGitLab } from '../security/git-lab.ts';

/** What git would write into many folders, of which a command makes links meanwhile. */
const [folders, fillers] = [200, 97];
const rules = 'prefix_rule(pattern=["git"])\n';

let lab: ReturnType<typeof createGitLab>;
beforeEach(() => {
  lab = createGitLab();
  writeFileSync(join(lab.home, '.gitconfig'), '[user]\n\tname = a\n\temail = a@b\n');
});

/** A branch with the same files in each folder: names that git obeys, behind enough others to swap the folder meanwhile. */
function branchOf(files: Readonly<Record<string, string>>): void {
  const names = [
    ...Array.from({ length: fillers }, (_, index) => `Z${String(index).padStart(3, '0')}`),
    ...Object.keys(files),
  ];
  const blobs = names.map((name, index) => {
    const text = files[name] ?? `${name}\n`;
    return `blob\nmark :${index + 1}\ndata ${Buffer.byteLength(text)}\n${text}\n`;
  });
  const entries = Array.from({ length: folders }, (_, folder) =>
    names.map((name, index) => `M 100755 :${index + 1} d${String(folder).padStart(3, '0')}/${name}\n`),
  );
  const commit = 'commit refs/heads/big\ncommitter a <a@b> 0 +0000\ndata 3\nbig\nfrom refs/heads/main\n';
  const input = [...blobs, commit, ...entries.flat(), '\n'].join('');
  const { status, stderr } = spawnSync('git', ['fast-import', '--quiet'], { cwd: lab.repo, input, encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
}

/** As soon as a folder stands there, a link to the target takes its place. */
function swaps(target: string): string {
  lab.write(
    'swap.mjs',
    `import { lstatSync, renameSync, symlinkSync } from 'node:fs';
for (;;) for (let n = 0; n < ${folders}; n++) {
  const name = 'd' + String(n).padStart(3, '0');
  try {
    if (!lstatSync(name).isDirectory()) continue;
    renameSync(name, 'old-' + name + '-' + Math.random());
    symlinkSync(${JSON.stringify(target)}, name);
  } catch {}
}
`,
  );
  return `${process.execPath} swap.mjs`;
}

const session = (cmd: string) => ({ cmd, yield_time_ms: 1000 });

/** What git obeys in its folder. */
function repositoryText(): string {
  const names = ['hooks', 'modules', 'modules/x'].map((name) => join(lab.repo, '.git', name));
  const held = names.flatMap((folder) => (existsSync(folder) ? readdirSync(folder) : []));
  const others = ['commondir', 'config.worktree'].filter((name) => existsSync(join(lab.repo, '.git', name)));
  const known = [...held.filter((name) => !name.endsWith('.sample')), ...others];
  return [readFileSync(join(lab.repo, '.git/config'), 'utf8'), ...known].join('\n');
}

describe.runIf(process.platform === 'linux')('while git checks out files, a command swaps folders for links', () => {
  test.each([
    ['into hooks', '.git/hooks', (marks: string) => ({ 'post-checkout': `#!/bin/sh\n${marks}\n` })],
    [
      'into hooks by the absolute path',
      'absolute hooks',
      (marks: string) => ({ 'post-checkout': `#!/bin/sh\n${marks}\n` }),
    ],
    [
      'into the git folder, for its settings',
      '../repo/.git',
      (marks: string) => ({ config: `[core]\n\trepositoryformatversion = 0\n\tfsmonitor = "${marks}; false"\n` }),
    ],
    ['into the git folder, for another one in its place', '/proc/self/cwd/.git', () => ({ commondir: '../evil\n' })],
    [
      'into the git folder, for its repositories',
      '.git',
      (marks: string) => ({ 'modules/x/config': `[core]\n\tfsmonitor = "${marks}; false"\n` }),
    ],
  ])('%s', async (_name, given, files) => {
    branchOf(files(lab.marks));
    const before = repositoryText();
    const target = given === 'absolute hooks' ? join(lab.repo, '.git/hooks') : given;
    await lab.run(
      [
        [session(swaps(target))],
        [{ cmd: 'git checkout -q big', yield_time_ms: 30_000 }],
        [{ cmd: 'git status --short | head -1' }],
      ],
      { rules },
    );
    lab.git('status');
    expect(readdirSync(lab.repo).some((name) => name.startsWith('old-'))).toBe(true);
    expect([repositoryText(), lab.hasEscaped()]).toEqual([before, false]);
  });

  test('to a place outside the workspace', async () => {
    const outside = join(lab.base, 'outside');
    mkdirSync(outside);
    branchOf({ made: 'x\n' });
    await lab.run([[session(swaps(outside))], [{ cmd: 'git checkout -q big', yield_time_ms: 30_000 }]], { rules });
    expect(readdirSync(lab.repo).some((name) => name.startsWith('old-'))).toBe(true);
    expect(readdirSync(outside)).toEqual([]);
  });
});

describe.runIf(process.platform === 'linux')('git that a rule allows', () => {
  test('reads nothing through a link that the profile keeps from commands', async () => {
    const secret = join(lab.base, 'secret');
    mkdirSync(secret);
    lab.write('empty', '');
    writeFileSync(join(secret, 'key'), 'the secret\n');
    const sandbox = `permissions.p={ extends = ":workspace", filesystem = { "${secret}" = "deny" } }`;
    const call = { cmd: 'git diff --no-index empty link/key' };
    const { outputs } = await lab.run([[{ cmd: `ln -s ${secret} link` }], [call]], {
      rules,
      sandbox: ['default_permissions="p"', sandbox],
    });
    expect(outputs.map(({ output }) => output).join('')).not.toContain('the secret');
    const minimal = `permissions.p={ filesystem = { ":minimal" = "read", ":workspace_roots" = "write" } }`;
    const again = await lab.run([[call]], { rules, sandbox: ['default_permissions="p"', minimal] });
    expect(again.outputs.map(({ output }) => output).join('')).not.toContain('the secret');
  });

  test('runs no hook of the workspace with more than commands have', async () => {
    lab.git('config', 'core.hooksPath', '.husky');
    const hook = `mkdir -p .husky; printf '#!/bin/sh\\n${lab.marks}; touch .git/x\\n' > .husky/pre-commit; chmod +x .husky/pre-commit`;
    await lab.run([[{ cmd: hook }], [{ cmd: 'git commit --allow-empty -m x' }]], { rules });
    expect([lab.hasEscaped(), existsSync(join(lab.repo, '.git/x'))]).toEqual([false, false]);
  });

  test('does not enter a repository that a command plants while it runs', async () => {
    branchOf({ made: 'x\n' });
    lab.branchWithLink('evil', 'vendor');
    lab.git('branch', '-f', 'big', 'evil');
    const hides = `${lab.plants('made')}; mv made/.git skel`;
    const shows = 'mkdir -p vendor; mv skel vendor/.git; sleep 0.02; mv vendor/.git skel; rmdir vendor';
    const looks = [
      'git checkout -q evil',
      'git status --short',
      'git add -A',
      'git diff',
      'git checkout -q main',
      'git rm -rq vendor',
    ];
    await lab.run([[session(`${hides}; while :; do ${shows}; done 2>/dev/null`)], ...looks.map((cmd) => [{ cmd }])], {
      rules,
    });
    expect(lab.hasEscaped()).toBe(false);
    expect(existsSync(join(lab.repo, '.git/modules/vendor'))).toBe(false);
  });

  test('is not found by its second name from another command', async () => {
    rmSync(join(lab.repo, '.git/hooks'), { recursive: true });
    const waits = 'git commit --allow-empty -m x -e';
    writeFileSync(join(lab.home, '.gitconfig'), '[user]\n\tname = a\n\temail = a@b\n[core]\n\teditor = "sleep 3;:"\n');
    const look =
      'cat /proc/*/cmdline /proc/*/environ /proc/*/mountinfo 2>/dev/null | tr "\\0" "\\n" | grep -cE "/dev/git-[0-9a-f]{40}"; ls /dev';
    const { outputs } = await lab.run([[{ cmd: waits, yield_time_ms: 500 }], [{ cmd: look }]], { rules });
    expect(outputs.at(-1)!.output).not.toMatch(/git-/);
    expect(outputs.at(-1)!.output.split('\n')[0]).toBe('0');
  });
});
