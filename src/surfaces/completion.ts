import { execOptions } from './exec/options.ts';
import { outlastReaders } from './outlast-readers.ts';
import { threadsCommands } from './threads/run-threads.ts';

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
  threads: [...threadsCommands, '--help'],
  context: ['--changes', '--request', '--checkpoint', '--json', '--help'],
  envelope: ['--turn', '--diff', '--json', '--help'],
  replay: ['--request', '--print', '--json', '--last', '--help'],
};
const names = execOptions.filter(({ help }) => help !== '').flatMap(({ names: all }) => all);
const choices = execOptions.flatMap(({ names: all, choices: values }) =>
  values === undefined ? [] : [{ all, values }],
);
const files = execOptions.filter(({ value }) => value === 'FILE').flatMap(({ names: all }) => all);
const folders = execOptions.filter(({ value }) => value === 'FOLDER').flatMap(({ names: all }) => all);

/** `capstan completion SHELL`: a script that the shell can source. */
export function printCompletion(shell: string | undefined): number {
  outlastReaders();
  const script = shell === 'bash' ? bash() : shell === 'zsh' ? zsh() : shell === 'fish' ? fish() : undefined;
  if (script === undefined) {
    process.stderr.write(`Usage: capstan completion bash|zsh|fish

  bash: capstan completion bash > ~/.local/share/bash-completion/completions/capstan
  zsh:  capstan completion zsh > "\${fpath[1]}/_capstan"
  fish: capstan completion fish > ~/.config/fish/completions/capstan.fish
`);
    return 2;
  }
  process.stdout.write(script);
  return 0;
}

function bash(): string {
  const cases = [
    ...choices.map(
      ({ all, values }) =>
        `    ${all.join('|')}) COMPREPLY=($(compgen -W '${values.join(' ')}' -- "$word")); return ;;`,
    ),
    `    ${files.join('|')}) COMPREPLY=($(compgen -f -- "$word")); return ;;`,
    `    ${folders.join('|')}) COMPREPLY=($(compgen -d -- "$word")); return ;;`,
  ];
  const others = Object.entries(looking).map(
    ([command, options]) => `    ${command}) COMPREPLY=($(compgen -W '${options.join(' ')}' -- "$word")); return ;;`,
  );
  return `_capstan() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}"
  if [ "$COMP_CWORD" -eq 1 ]; then COMPREPLY=($(compgen -W '${commands.join(' ')}' -- "$word")); return; fi
  case "\${COMP_WORDS[1]}" in
${others.join('\n')}
  esac
  [ "\${COMP_WORDS[1]}" = exec ] || [ "\${COMP_WORDS[1]}" = e ] || return
  case "$before" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W 'resume ${names.join(' ')}' -- "$word"))
}
complete -o default -F _capstan capstan
`;
}

function zsh(): string {
  const options = execOptions
    .filter(({ help }) => help !== '')
    .flatMap(({ names: all, value, help, choices: values }) => {
      const argument =
        value === undefined ? '' : `:${value}:${values === undefined ? zshFiles(value) : `(${values.join(' ')})`}`;
      return all.map((name) => `'${name}[${help.replaceAll("'", '').replaceAll(':', '\\:')}]${argument}'`);
    });
  const others = Object.entries(looking).map(
    ([command, options]) => `  [[ $words[2] == ${command} ]] && { compadd -- ${options.join(' ')}; return; }`,
  );
  return `#compdef capstan
_capstan() {
  if (( CURRENT == 2 )); then compadd -- ${commands.join(' ')}; return; fi
${others.join('\n')}
  [[ $words[2] == (exec|e) ]] || return
  _arguments '*:prompt:(resume)' ${options.join(' \\\n    ')}
}
_capstan "$@"
`;
}

function zshFiles(value: string): string {
  return value === 'FILE' ? '_files' : value === 'FOLDER' ? '_files -/' : '';
}

function fish(): string {
  const isExec = '__fish_seen_subcommand_from exec e';
  const options = execOptions
    .filter(({ help }) => help !== '')
    .flatMap(({ names: all, value, help, choices: values }) =>
      all.map((name) => {
        const flag = name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`;
        const argument = value === undefined ? '' : values === undefined ? ' -r' : ` -x -a '${values.join(' ')}'`;
        return `complete -c capstan -n '${isExec}' ${flag}${argument} -d '${help.replaceAll("'", '')}'`;
      }),
    );
  const others = Object.entries(looking).flatMap(([command, flags]) =>
    flags.map((flag) => `complete -c capstan -n '__fish_seen_subcommand_from ${command}' -l ${flag.slice(2)}`),
  );
  return `complete -c capstan -n '__fish_use_subcommand' -f -a '${commands.join(' ')}'
complete -c capstan -n '${isExec}' -a resume
${[...options, ...others].join('\n')}
`;
}
