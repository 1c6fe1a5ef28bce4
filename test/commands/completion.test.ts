import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { allCommands, commandNames } from '../../src/surfaces/commands/command-group.ts';
import { commandTable } from '../../src/surfaces/cli/command-table.ts';
import { bashScript } from '../../src/surfaces/completion/bash-script.ts';
import { fishScript } from '../../src/surfaces/completion/fish-script.ts';
import { optionNames, wordsOf } from '../../src/surfaces/completion/offers.ts';
import { zshScript } from '../../src/surfaces/completion/zsh-script.ts';
import { answer, say } from '../../src/testing/index.ts';
import { scene, threadId } from '../harness/scene.ts';

const script = bashScript(commandTable);

/** What bash offers behind these words. `printed`: what the program says about threads or profiles. */
function offered(words: readonly string[], printed = ''): readonly string[] {
  const program = 'capstan() { case "$*" in complete-*) printf "%s" "$PRINTED" ;; esac; }';
  const run = `${program}; eval "$SCRIPT"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _capstan; printf "%s\\n" "\${COMPREPLY[@]}"`;
  const env = { ...process.env, SCRIPT: script, PRINTED: printed };
  const text = execFileSync('bash', ['-c', run, 'bash', 'capstan', ...words], { env, encoding: 'utf8' });
  return [...new Set(text.trim().split('\n'))];
}

const threads = allCommands(commandTable).filter(({ name }) => name.startsWith('threads '));

it('bash offers every command, and what each takes', () => {
  expect(offered([''])).toEqual([...commandNames(commandTable), '--help', '--version']);
  expect(offered(['threads', ''])).toEqual([...threads.map(({ name }) => name.slice('threads '.length)), '--help']);
  for (const command of allCommands(commandTable)) {
    if (command.name === 'help') continue;
    expect([command.name, ...offered([...command.name.split(' '), ''])]).toEqual([
      command.name,
      ...wordsOf(command),
      ...optionNames(command),
    ]);
  }
});

it.each<[string, readonly string[]]>([
  ['threads rol', ['rollback']],
  ['replay --p', ['--print']],
  ['exec f', ['fork']],
  ['e --os', ['--oss']],
  ['config s', ['show']],
  ['exec --sandbox read', ['read-only']],
  ['exec --sandbox = read', ['read-only']],
  ['exec --oss --local-provider ', ['ollama', 'lmstudio']],
  ['threads list --sort ', ['updated', 'created']],
  ['threads export x --format m', ['markdown']],
  ['threads set x -s w', ['workspace-write']],
  ['context --request ', ['last']],
  ['completion z', ['zsh']],
  ['config explain undo.', ['undo.enabled', 'undo.max_file_bytes', 'undo.max_total_bytes']],
  ['help con', ['context', 'config']],
  ['help threads gc', ['gc']],
  ['exec -c model_context', ['model_context_window=']],
  ['exec --config window.effective_p', ['window.effective_percent=']],
  ['exec -c model = ', ['']],
  ['threads compact x -c compaction.st', ['compaction.strategy=']],
  ['sandbox -P ', [':read-only', ':workspace', ':danger-full-access']],
  // Bash makes a word of the colon, and replaces what is behind it.
  ['sandbox -P :', ['read-only', 'workspace', 'danger-full-access']],
  ['sandbox -P : w', ['workspace']],
  ['sandbox --permission-profile =: w', ['workspace']],
  ['sandbox l', ['linux']],
  ['sandbox -- mkfif', ['mkfifo']],
  ['sandbox -P : workspace -- mkfif', ['mkfifo']],
  // Files of the folder, as bash offers them by itself.
  ['sandbox -- cat l', ['']],
  ['exec -- f', ['']],
  // Accepted for scripts, and not shown.
  ['exec --thread-s', ['']],
])('bash completes %s', (typed, expected) => {
  expect(offered(typed.split(' '))).toEqual(expected);
});

it.each<[string, readonly string[]]>([
  ['threads show log', ['login-fix']],
  ['threads show 01a', ['01a1e34f-1', '01a1e34f-2']],
  ['context 01a1e34f-2', ['01a1e34f-2']],
  ['exec resume log', ['login-fix']],
  ['e --json fork log', ['login-fix']],
  // Elsewhere it is the beginning of a prompt.
  ['exec log', ['']],
  ['threads show --l', ['--last']],
])('bash completes threads in %s', (typed, expected) => {
  const printed = 'login-fix\tFix the login test\n01a1e34f-1\tlogin-fix\n01a1e34f-2\tWhy $(touch no) does it fail?\n';
  expect(offered(typed.split(' '), printed)).toEqual(expected);
});

it('bash completes profiles of the user', async () => {
  expect(offered(['sandbox', '-P', 'd'], 'dev\nother\n')).toEqual(['dev']);
  const { place } = await scene([]);
  const file = join(place.home, 'config.toml');
  const profiles = '[permissions.dev]\nextends = ":workspace"\n[permissions."$(x)"]\nextends = ":workspace"\n';
  writeFileSync(file, readFileSync(file, 'utf8') + profiles);
  expect(await place.run('complete-profiles')).toMatchObject({ code: 0, stdout: 'dev\n', stderr: '' });
  writeFileSync(file, 'nonsense');
  expect(await place.run('complete-profiles')).toMatchObject({ code: 0, stdout: '', stderr: '' });
});

it('threads are printed for shells, the newest first, and names only where they are plain words', async () => {
  const { place } = await scene(() => answer({ items: [say('Yes.')] }));
  expect(await place.run('complete-threads')).toMatchObject({ code: 0, stdout: '', stderr: '' });
  const ids: string[] = [];
  for (const words of ['first words', 'second words', 'third words'])
    ids.unshift(threadId(await place.run('exec', '--json', words)));
  await place.run('threads', 'name', ids[1]!, 'login-fix');
  await place.run('threads', 'name', ids[0]!, '$(touch no)');
  const { code, stdout, stderr } = await place.run('complete-threads');
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout.trimEnd().split('\n').toSorted()).toEqual(
    [`${ids[0]}\t$(touch no)`, 'login-fix\tsecond words', `${ids[1]}\tlogin-fix`, `${ids[2]}\tfirst words`].toSorted(),
  );
});

it('zsh and fish get the same from the table', () => {
  const [zsh, fish] = [zshScript(commandTable), fishScript(commandTable)];
  for (const command of allCommands(commandTable)) {
    const spec = zsh.slice(zsh.indexOf(`    '${command.name}') _arguments`)).split(' ;;')[0] ?? '';
    const start = `complete -c capstan -n '${
      command.name === 'exec'
        ? '__fish_seen_subcommand_from exec e'
        : command.name
            .split(' ')
            .map((each) => `__fish_seen_subcommand_from ${each}`)
            .join('; and ')
    }'`;
    for (const option of optionNames(command)) {
      expect(spec).toMatch(new RegExp(`'\\*?${option}[=+]?\\[`));
      const flag = option.startsWith('--') ? `-l ${option.slice(2)}` : `-s ${option.slice(1)}`;
      expect(fish).toContain(`${start} ${flag} `);
    }
    for (const word of wordsOf(command)) expect(spec).toContain(word);
  }
  for (const text of [zsh, fish]) expect(text).toMatch(/complete-threads 2>\/dev\/null/);
  expect(zsh).toContain("'threads show') _arguments '*:word:_capstan_threads'");
  expect(zsh).toContain("'--sort=[`updated` or `created`; newest first]:TIME:(updated created)'");
  expect(fish).toContain("-l sort -x -a 'updated created' -d '`updated` or `created`; newest first'");
});

it('the command prints the script of the shell that is named', async () => {
  const { place } = await scene([]);
  expect(await place.run('completion', 'bash')).toMatchObject({ code: 0, stdout: script, stderr: '' });
  expect((await place.run('completion', 'zsh')).stdout).toBe(zshScript(commandTable));
  expect((await place.run('completion', 'fish')).stdout).toBe(fishScript(commandTable));
  const { code, stderr } = await place.run('completion', 'tcsh');
  expect([code, stderr.split('\n')[0]]).toEqual([2, 'capstan: completion: SHELL is bash, zsh or fish, not "tcsh".']);
});
