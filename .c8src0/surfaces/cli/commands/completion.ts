import { basename } from 'node:path';
import type { CommandArguments } from '../../views/command-line/command.ts';
import type { completionCommand } from '../../views/command-line/surface-commands.ts';
import { print } from '../../views/terminal/print.ts';

export function run({ words: [shell = ''] }: CommandArguments<typeof completionCommand>): number {
  print(scripts[shell]?.(namesOf(process.argv[1] ?? '')) ?? '', 'text');
  return 0;
}

/** Program names that the user may type: a link to the program can have any name. */
function namesOf(program: string): string {
  const own = basename(program);
  return /^[\w.-]+$/.test(own) && own !== 'bin.cjs' && own !== 'capstan' ? `capstan ${own}` : 'capstan';
}

// Each script asks the program that is being typed (complete.ts), and evaluates nothing of the answer. A path must lead
// to the program of that name on the PATH: a repository may hold a file with that name, and pressing a key must not run
// it.

/** Works in bash 3.2 too, which has no `compopt`: there, files are offered wherever nothing else is. */
const bashScript = (names: string): string => `_capstan() {
  local IFS=$'\\n' tab=$'\\t' source line program=$1
  case $1 in '~/'*) program=$HOME/\${1#??} ;; esac
  COMPREPLY=()
  case $program in */*) [[ $program -ef $(type -P -- "\${program##*/}") ]] || return ;; esac
  {
    IFS=$tab read -r source line
    while IFS= read -r line; do COMPREPLY+=("\${line%%$tab*}"); done
  } <<< "$("$program" complete bash -- "\${COMP_LINE:0:COMP_POINT}" "$2" 2>/dev/null)"
  [[ $source == files ]] || compopt +o default 2>/dev/null
  case $source in
    programs) COMPREPLY=($(compgen -c -- "$2")) ;;
    folders) compopt -o dirnames 2>/dev/null || COMPREPLY=($(compgen -d -- "$2")) ;;
  esac
  case \${COMPREPLY[0]-} in *=) compopt -o nospace 2>/dev/null ;; esac
}
complete -o default -F _capstan ${names}
`;

const zshScript = (names: string): string => `#compdef ${names}
_capstan() {
  local line word program=\${\${(Q)words[1]}/#\\~\\//$HOME/}
  local -a lines source found open
  [[ $program != */* || $program -ef $commands[\${program:t}] ]] || { _files; return; }
  lines=("\${(@f)$("$program" complete zsh -- "\${(@Q)words[1,CURRENT]}" 2>/dev/null)}")
  source=("\${(@ps:\\t:)lines[1]}")
  case $source[1] in
    files) compset -p \${#source[2]}; _files; return ;;
    folders) compset -p \${#source[2]}; _files -/; return ;;
    programs) _command_names -e; return ;;
  esac
  for line in "\${(@)lines[2,-1]}"; do
    word=\${line%%$'\\t'*} line=\${line#*$'\\t'}
    if [[ $word == *= ]]; then open+=("$word"); else found+=("\${word//:/\\\\:}\${line:+:$line}"); fi
  done
  compadd -S '' -a open
  _describe -t words word found
}
# From a folder of fpath this file is the body of the function; sourced, it registers it.
if [[ $funcstack[1] == _capstan ]]; then
  _capstan "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i; }
  compdef _capstan ${names}
fi
`;

const fishScript = (names: string): string => `function __capstan_offers
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    set -l program (string replace -r '^~/' "$HOME/" -- $words[1])
    if string match -q '*/*' -- $program
        set -l known (command -s (basename -- $program)); or return
        test (realpath -- $program) = (realpath -- $known); or return
    end
    set -l lines (command $program complete fish -- $words "$word" 2>/dev/null)
    set -l source (string split \\t -- "$lines[1]")
    set -l attached "$source[2]"
    set -l rest (string sub -s (math 1 + (string length -- "$attached")) -- "$word")
    switch "$source[1]"
        case files
            printf '%s\\n' "$attached"(__fish_complete_path "$rest")
        case folders
            printf '%s\\n' "$attached"(__fish_complete_directories "$rest")
        case programs
            __fish_complete_command
    end
    set -q lines[2]; and printf '%s\\n' $lines[2..-1]
end
for name in ${names}
    complete -c $name -f -k -a '(__capstan_offers)'
end
`;

const scripts: Readonly<Record<string, typeof bashScript>> = { bash: bashScript, zsh: zshScript, fish: fishScript };
