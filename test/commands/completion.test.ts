import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, it } from 'vitest';
import { answer, say } from '../../src/testing/index.ts';
import { capstanScript } from '../harness/run-capstan.ts';
import { scene, threadId } from '../harness/scene.ts';

/** A home with a thread that has a name, one that a shell would run, a profile, and the command in a folder of its own. */
async function prepared() {
  const { place } = await scene(() => answer({ items: [say('Yes.')] }));
  const ids: string[] = [];
  for (const words of ['first words', 'second words', 'third words'])
    ids.unshift(threadId(await place.run('exec', '--json', words)));
  await place.run('threads', 'name', ids[1]!, 'login-fix');
  await place.run('threads', 'name', ids[0]!, '$(touch no)');
  const config = join(place.home, 'config.toml');
  const profiles = '[permissions.dev]\nextends = ":workspace"\n[permissions."$(x)"]\nextends = ":workspace"\n';
  writeFileSync(config, readFileSync(config, 'utf8') + profiles);
  const folder = join(place.root, 'other folder');
  mkdirSync(folder);
  const program = join(folder, 'cap');
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${capstanScript}" "$@"\n`);
  chmodSync(program, 0o755);
  return { place, ids, program, folder };
}

/** The words of bash for a line: it cuts at colons and equal signs, and replaces what is behind the last one. */
const asBash = `
complete() { :; }
eval "$SCRIPT"
while IFS= read -r COMP_LINE; do
  COMP_POINT=\${#COMP_LINE}
  replaced=\${COMP_LINE##*[ :=]}
  _capstan "$PROGRAM" "$replaced" ''
  printf '%s\\n' "\${COMPREPLY[@]}"
  echo END
done`;

it('bash completes what the program on the PATH offers, however the user names it', async () => {
  const { place, ids, program, folder } = await prepared();
  const cases: readonly (readonly [typed: string, expected: readonly string[]])[] = [
    ['thr', ['threads']],
    ['exec ', ['resume', 'fork', 'review']],
    ['exec --mod', ['--model', '--mode']],
    ['exec "a b" --os', ['--oss']],
    ['exec --sandbox=read', ['read-only']],
    ['exec -c model_context', ['model_context_window=']],
    ['exec -c model=', ['']],
    // Bash replaces what is behind the colon.
    ['sandbox -P ', [':read-only', ':workspace', ':danger-full-access', 'dev']],
    ['sandbox -P :', ['read-only', 'workspace', 'danger-full-access']],
    ['sandbox -P :w', ['workspace']],
    ['sandbox --permission-profile=:w', ['workspace']],
    ['sandbox -P :workspace -- mkfif', ['mkfifo']],
    ['sandbox -C fol', ['folder with space']],
    // Files of the folder, as bash offers them by itself.
    ['sandbox -- cat l', ['']],
    ['threads show log', ['login-fix']],
    ['threads show 0', ids],
    ['threads show ', [ids[0]!, 'login-fix', ids[1]!, ids[2]!]],
    ['threads show $', ['']],
    ['exec log "', ['']],
    ['nothing ', ['']],
  ];
  mkdirSync(join(place.workspace, 'folder with space'));
  const { stdout: script } = await place.run('completion', 'bash');
  const known = `${folder}${delimiter}${process.env['PATH']}`;
  // All with its whole path, and some in its folder. Another program of the name is not run.
  for (const [name, cwd, some, path] of [
    [program, place.workspace, cases, known],
    ['./cap', folder, cases.slice(0, 2), known],
    ['./cap', folder, [['thr', ['']]], process.env['PATH']],
  ] as const) {
    const text = execFileSync('bash', ['--noprofile', '--norc', '-c', asBash], {
      env: { ...process.env, PATH: path, SCRIPT: script, PROGRAM: name, CAPSTAN_HOME: place.home },
      cwd,
      input: some.map(([typed]) => `${name.replaceAll(' ', '\\ ')} ${typed}\n`).join(''),
      encoding: 'utf8',
    });
    const offered = text.split('\nEND\n').slice(0, -1);
    const found = some.map(([typed], at) => [typed, [...new Set(offered[at]!.split('\n'))]]);
    expect(found).toEqual(some);
  }
});

it('threads and profiles are words that no shell evaluates, with what they are about', async () => {
  const { place, ids } = await prepared();
  const threads = await place.run('complete', 'fish', '--', 'capstan', 'threads', 'show', '');
  expect(threads).toMatchObject({ code: 0, stderr: '' });
  const [source, ...lines] = threads.stdout.trimEnd().split('\n');
  expect(source).toBe('threads\t');
  expect(lines.toSorted()).toEqual(
    [`${ids[0]}\t$(touch no)`, 'login-fix\tsecond words', `${ids[1]}\tlogin-fix`, `${ids[2]}\tfirst words`].toSorted(),
  );
  const profiles = await place.run('complete', 'zsh', '--', './capstan', 'sandbox', '--permission-profile=');
  const names = [':read-only', ':workspace', ':danger-full-access', 'dev'];
  expect(profiles).toMatchObject({
    code: 0,
    stderr: '',
    stdout: ['profiles\t', ...names]
      .map((each, at) => (at === 0 ? `${each}--permission-profile=\n` : `--permission-profile=${each}\t\n`))
      .join(''),
  });
});

it('nothing goes wrong aloud', async () => {
  const { place } = await scene([]);
  writeFileSync(join(place.home, 'config.toml'), 'nonsense');
  for (const words of [
    ['zsh', '--', 'capstan', 'threads', 'show', ''],
    ['zsh', '--', 'capstan', 'sandbox', '-P', ''],
    ['bash', '--', 'capstan threads show ', ''],
    ['bash', '--', '', ''],
    ['bash'],
    ['tcsh', '--', 'capstan', ''],
    [],
  ])
    expect(await place.run('complete', ...words)).toMatchObject({ code: 0, stderr: '' });
});

it('the command prints the script of the shell that is named', async () => {
  const { place } = await scene([]);
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, stdout, stderr } = await place.run('completion', shell);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(` complete ${shell} -- `);
    expect(stdout).toContain('_capstan');
  }
  const { code, stderr } = await place.run('completion', 'tcsh');
  expect([code, stderr.split('\n')[0]]).toEqual([2, 'capstan: completion: SHELL is bash, zsh or fish, not "tcsh".']);
});
