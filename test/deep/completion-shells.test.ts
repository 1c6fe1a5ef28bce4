import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answer, say } from '../../src/testing/index.ts';
import { capstanScript, type Place, Running } from '../harness/run-capstan.ts';
import { scene, threadId } from '../harness/scene.ts';
import { hasTerminals, onTerminal } from '../harness/terminal.ts';

/** Each needs the real shell, and is left out where it is not installed. */
const has = (shell: string): boolean => spawnSync(shell, ['--version']).status === 0;

/** The offers of every shell for a typed text, in any order. `THREAD` is the id of the only thread. */
const cases: readonly (readonly [typed: string, offered: readonly string[]])[] = [
  ['thr', ['threads']],
  ['threads rol', ['rollback']],
  ['threads un', ['unarchive', 'undo-rollback', 'unpin']],
  ['execpolicy ', ['check']],
  ['exec ', ['fork', 'resume', 'review']],
  ['exec --os', ['--oss']],
  ['exec --mod', ['--mode', '--model']],
  ['threads show login-fix ', []],
  ['exec -s ', ['danger-full-access', 'read-only', 'workspace-write']],
  ['threads list --sort ', ['created', 'updated']],
  ['threads export --format m', ['markdown']],
  ['completion ', ['bash', 'fish', 'zsh']],
  ['config explain undo.', ['undo.enabled', 'undo.max_file_bytes', 'undo.max_total_bytes']],
  ['exec -c model_con', ['model_context_window=']],
  ['sandbox -P ', [':danger-full-access', ':read-only', ':workspace', 'dev']],
  ['help thr', ['threads']],
  ['help threads g', ['gc']],
  ['threads show log', ['login-fix']],
  ['exec resume log', ['login-fix']],
  ['exec fork ', ['THREAD', 'login-fix']],
  ['threads list --sort=u', ['updated']],
  ['exec -C fol', ['folder']],
  ['exec --output-schema=sch', ['schema.json']],
  ['sandbox -- mkfif', ['mkfifo']],
];

/** A home with one named thread and a profile, and the command on the search path. */
async function prepared() {
  const { place } = await scene(() => answer({ items: [say('Yes.')] }));
  const id = threadId(await place.run('exec', '--json', 'Why: $(touch evil) `touch evil` %F{red}\\?'));
  await place.run('threads', 'name', id, 'login-fix');
  const config = join(place.home, 'config.toml');
  writeFileSync(config, `${readFileSync(config, 'utf8')}\n[permissions.dev]\nextends = ":workspace"\n`);
  const programs = join(place.root, 'programs');
  mkdirSync(programs);
  const echoes = 'case "$ECHO $1" in yes\\ complet*) ;; yes*) echo "RAN $*."; exit ;; esac';
  const runs = `exec "${process.execPath}" "${capstanScript}" "$@"`;
  writeFileSync(join(programs, 'capstan'), `#!/bin/sh\n${echoes}\n${runs}\n`);
  mkdirSync(join(place.workspace, 'folder'));
  writeFileSync(join(place.workspace, 'schema.json'), '{}');
  // A repository may hold a program of that name.
  writeFileSync(join(place.workspace, 'capstan'), '#!/bin/sh\ntouch evil\n', { mode: 0o755 });
  chmodSync(join(programs, 'capstan'), 0o755);
  const env = {
    ...process.env,
    CAPSTAN_HOME: place.home,
    HOME: place.root,
    PATH: `${programs}${delimiter}${process.env['PATH']}`,
    TERM: 'xterm',
  };
  return { place, env, wanted: cases.map(([typed, offered]) => [typed, offered.map((o) => o.replace('THREAD', id))]) };
}

/** Without what shells show of a value and its option, or of a folder, in their own ways. */
function sorted(words: readonly string[]): readonly string[] {
  const plain = words.map((word) => word.replace(/^--[\w-]+=/, '').replace(/\/$/, ''));
  return [...new Set(plain)].filter((word) => word !== '').toSorted();
}

describe.runIf(has('fish'))('fish', () => {
  it('completes commands, subcommands, values and threads', async () => {
    const { place, env, wanted } = await prepared();
    const offered = cases.map(([typed]) => {
      const run = 'capstan completion fish | source; complete -C $argv[1]';
      const text = execFileSync('fish', ['--no-config', '-c', run, '--', `capstan ${typed}`], {
        env,
        cwd: place.workspace,
        encoding: 'utf8',
      });
      return [typed, sorted(text.split('\n').map((line) => line.split('\t')[0]!))];
    });
    const hostile = 'capstan completion fish | source; complete -C "./capstan ex"; complete -C "$PWD/capstan ex"';
    execFileSync('fish', ['--no-config', '-c', hostile], { env, cwd: place.workspace });
    expect(offered).toEqual(wanted);
    expect(existsSync(join(place.workspace, 'evil'))).toBe(false);
  });
});

/** Writes down what is offered, and lets the shell go on with it. */
const zshSetup = `precmd() { psvar=($((++prompts))) }
PS1='READY-%v> '
compadd() {
  local -a hits
  [[ " $* " == *' -'[OAD]' '* ]] || { builtin compadd -O hits "$@"; print -rl -- $hits >> $OFFERED; }
  builtin compadd "$@"
}
`;

describe.runIf(hasTerminals && has('zsh'))('zsh', () => {
  it.each([
    ['sourced', 'source <(capstan completion zsh)'],
    [
      'from a folder of fpath',
      'mkdir -p $HOME/site; capstan completion zsh > $HOME/site/_capstan; fpath=($HOME/site $fpath); autoload -Uz compinit; compinit -u',
    ],
  ])('completes commands, subcommands, values and threads: %s', async (_, install) => {
    const { place, env, wanted } = await prepared();
    const file = join(place.root, 'offered');
    writeFileSync(join(place.root, 'setup.zsh'), `${install}\n${zshSetup}`);
    const zsh = await startShell(['zsh', '-f', '-i'], { place, env: { ...env, OFFERED: file } });
    const offered: unknown[] = [];
    for (const [at, [typed]] of cases.entries()) {
      writeFileSync(file, '');
      // The typed text is removed again. The next prompt comes when all of it is done.
      zsh.child.stdin?.write(`capstan ${typed}\t\u0015:\r`);
      await zsh.printed(`READY-${at + 2}> `);
      offered.push([typed, sorted(readFileSync(file, 'utf8').split('\n'))]);
    }
    zsh.child.stdin?.write('./capstan ex\t\u0015:\r');
    await zsh.printed(`READY-${cases.length + 2}> `);
    zsh.child.stdin?.write('exit\r');
    await zsh.finished;
    expect(offered).toEqual(wanted);
    expect(existsSync(join(place.workspace, 'evil'))).toBe(false);
  });
});

interface ShellScene {
  readonly place: Place;
  readonly env: Readonly<Record<string, string | undefined>>;
}

async function startShell(shell: readonly string[], { place, env }: ShellScene): Promise<Running> {
  const [program, ...words] = [...onTerminal, ...shell];
  const running = new Running(spawn(program, words, { cwd: place.workspace, env, stdio: ['pipe', 'pipe', 'pipe'] }));
  running.child.stdin?.write(`source $HOME/setup.${shell[0]}\r`);
  await running.printed('READY-1> ');
  return running;
}

/** Lines that bash makes, word by word, when Tab is pressed at their ends. */
const lines = [
  ['sandbox -P :w', 'sandbox -P :workspace'],
  ['sandbox --permission-profile=:w', 'sandbox --permission-profile=:workspace'],
  ['sandbox -P d', 'sandbox -P dev'],
  ['threads rol', 'threads rollback'],
  ['threads show log', 'threads show login-fix'],
  ['exec --oss --local-provider o', 'exec --oss --local-provider ollama'],
  ["exec 'a b' --os", 'exec a b --oss'],
  ['exec -c model_con', 'exec -c model_context_window='],
  ['exec -C fol', 'exec -C folder/'],
  ['exec -i sch', 'exec -i schema.json'],
  ['exec --output-schema=sch', 'exec --output-schema=schema.json'],
  ['sandbox -- mkfif', 'sandbox -- mkfifo'],
  ['sandbox -- cat sch', 'sandbox -- cat schema.json'],
  // Files are offered where a file may stand.
  ['exec -c model=sch', 'exec -c model=sch'],
  ['exec sch', 'exec sch'],
  ['nope sch', 'nope sch'],
] as const;

describe.runIf(hasTerminals)('bash', () => {
  it('completes lines on a terminal', async () => {
    const { place, env } = await prepared();
    const aliased = /in bash, add `(.*)`/.exec(readFileSync('docs/install.md', 'utf8'))![1]!;
    const setup = [
      'source <(capstan completion bash)',
      `alias cap=capstan; ${aliased}`,
      'PROMPT_COMMAND=\'PS1="READY-$((++prompts))> "\'',
    ];
    writeFileSync(join(place.root, 'setup.bash'), setup.join('\n'));
    const shell = ['bash', '--norc', '--noprofile', '-i'];
    const bash = await startShell(shell, { place, env: { ...env, ECHO: 'yes' } });
    for (const [at, [typed]] of lines.entries()) {
      // By its name, by an alias and by its path in turn.
      bash.child.stdin?.write(`${['capstan', 'cap', '~/programs/capstan'][at % 3]} ${typed}\t\r`);
      await bash.printed(`READY-${at + 2}> `);
    }
    bash.child.stdin?.write('./capstan ex\t\u0015\r');
    await bash.printed(`READY-${lines.length + 2}> `);
    bash.child.stdin?.write('exit\r');
    const { stdout } = await bash.finished;
    const ran = Array.from(stdout.matchAll(/^RAN (.*)\.\r$/gm), ([, words]) => words);
    expect(ran).toEqual(lines.map(([, completed]) => completed));
    expect(existsSync(join(place.workspace, 'evil'))).toBe(false);
  });
});
