import { type CommandForm, optionNames } from './command-words.ts';
import { envelopeForm } from './envelope/arguments.ts';
import { execOptions } from './exec/options.ts';
import { outlastReaders } from './outlast-readers.ts';
import { print, printNote } from './print.ts';
import { replayForm } from './replay/run-replay.ts';
import { threadsForms } from './threads/run-threads.ts';

const commands = [
  'exec',
  'threads',
  'config',
  'context',
  'envelope',
  'replay',
  'demo',
  'completion',
  '--help',
  '--version',
];
/** The other commands, with what may follow. */
const looking: Readonly<Record<string, readonly string[]>> = {
  context: ['--changes', '--request', '--checkpoint', '--json', '--help'],
  envelope: optionNames(envelopeForm),
  replay: optionNames(replayForm),
};
const names = execOptions.filter(({ help }) => help !== '').flatMap(({ names: all }) => all);
const choices = execOptions.flatMap(({ names: all, choices: values }) =>
  values === undefined ? [] : [{ all, values }],
);
const files = execOptions.filter(({ value }) => value === 'FILE').flatMap(({ names: all }) => all);
const folders = execOptions.filter(({ value }) => value === 'FOLDER').flatMap(({ names: all }) => all);

/** Commands of `threads`, by name. */
type Threads = ReadonlyMap<string, CommandForm>;

/** `capstan completion SHELL`: a script that the shell can source. */
export async function printCompletion(shell: string | undefined): Promise<number> {
  outlastReaders();
  const scripts: Readonly<Record<string, (threads: Threads) => string>> = { bash, zsh, fish };
  const script = shell !== undefined && Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
  if (script === undefined) {
    printNote(`Usage: capstan completion bash|zsh|fish

  bash: capstan completion bash > ~/.local/share/bash-completion/completions/capstan
  zsh:  capstan completion zsh > "\${fpath[1]}/_capstan"
  fish: capstan completion fish > ~/.config/fish/completions/capstan.fish`);
    return 2;
  }
  print(script(await threadsForms()), 'text');
  return 0;
}

function bash(threads: Threads): string {
  const offer = (words: readonly string[]): string =>
    `COMPREPLY=($(compgen -W '${words.join(' ')}' -- "$word")); return ;;`;
  const cases = [
    ...choices.map(({ all, values }) => `    ${all.join('|')}) ${offer(values)}`),
    `    ${files.join('|')}) COMPREPLY=($(compgen -f -- "$word")); return ;;`,
    `    ${folders.join('|')}) COMPREPLY=($(compgen -d -- "$word")); return ;;`,
  ];
  const others = Object.entries(looking).map(([command, options]) => `    ${command}) ${offer(options)}`);
  const ofThreads = [...threads].map(([command, form]) => `    'threads '${command}) ${offer(optionNames(form))}`);
  return `_capstan() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}"
  if [ "$COMP_CWORD" -eq 1 ]; then COMPREPLY=($(compgen -W '${commands.join(' ')}' -- "$word")); return; fi
  if [ "$COMP_CWORD" -eq 2 ] && [ "$before" = threads ]; then
    COMPREPLY=($(compgen -W '${[...threads.keys(), '--help'].join(' ')}' -- "$word")); return
  fi
  case "\${COMP_WORDS[1]} \${COMP_WORDS[2]}" in
${ofThreads.join('\n')}
  esac
  case "\${COMP_WORDS[1]}" in
${others.join('\n')}
  esac
  [ "\${COMP_WORDS[1]}" = exec ] || [ "\${COMP_WORDS[1]}" = e ] || return
  case "$before" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W 'resume fork ${names.join(' ')}' -- "$word"))
}
complete -o default -F _capstan capstan
`;
}

function zsh(threads: Threads): string {
  const options = execOptions
    .filter(({ help }) => help !== '')
    .flatMap(({ names: all, value, help, choices: values }) => {
      const argument =
        value === undefined ? '' : `:${value}:${values === undefined ? zshFiles(value) : `(${values.join(' ')})`}`;
      return all.map((name) => `'${name}[${help.replaceAll("'", '').replaceAll(':', '\\:')}]${argument}'`);
    });
  const offer = (words: readonly string[]): string => `{ compadd -- ${words.join(' ')}; return; }`;
  const others = Object.entries(looking).map(
    ([command, words]) => `  [[ $words[2] == ${command} ]] && ${offer(words)}`,
  );
  const ofThreads = [...threads].map(
    ([command, form]) => `    [[ $words[3] == ${command} ]] && ${offer(optionNames(form))}`,
  );
  return `#compdef capstan
_capstan() {
  if (( CURRENT == 2 )); then compadd -- ${commands.join(' ')}; return; fi
  if [[ $words[2] == threads ]]; then
    (( CURRENT == 3 )) && ${offer([...threads.keys(), '--help'])}
${ofThreads.join('\n')}
    return
  fi
${others.join('\n')}
  [[ $words[2] == (exec|e) ]] || return
  _arguments '*:prompt:(resume fork)' ${options.join(' \\\n    ')}
}
_capstan "$@"
`;
}

function zshFiles(value: string): string {
  return value === 'FILE' ? '_files' : value === 'FOLDER' ? '_files -/' : '';
}

function fish(threads: Threads): string {
  const isExec = '__fish_seen_subcommand_from exec e';
  const options = execOptions
    .filter(({ help }) => help !== '')
    .flatMap(({ names: all, value, help, choices: values }) =>
      all.map((name) => {
        const argument = value === undefined ? '' : values === undefined ? ' -r' : ` -x -a '${values.join(' ')}'`;
        return `complete -c capstan -n '${isExec}' ${fishFlag(name)}${argument} -d '${help.replaceAll("'", '')}'`;
      }),
    );
  const others = Object.entries(looking).flatMap(([command, flags]) =>
    flags.map((flag) => `complete -c capstan -n '__fish_seen_subcommand_from ${command}' ${fishFlag(flag)}`),
  );
  const commandsOfThreads = [...threads.keys()].join(' ');
  const isThreads = '__fish_seen_subcommand_from threads';
  const ofThreads = [...threads].flatMap(([command, form]) =>
    optionNames(form).map(
      (flag) => `complete -c capstan -n '${isThreads}; and __fish_seen_subcommand_from ${command}' ${fishFlag(flag)}`,
    ),
  );
  return `complete -c capstan -n '__fish_use_subcommand' -f -a '${commands.join(' ')}'
complete -c capstan -n '${isThreads}; and not __fish_seen_subcommand_from ${commandsOfThreads}' -f -a '${commandsOfThreads}'
complete -c capstan -n '${isExec}' -a 'resume fork'
${[...options, ...others, ...ofThreads].join('\n')}
`;
}

function fishFlag(name: string): string {
  return name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`;
}
