import { type Command, type CommandOption, shownOptions } from '../commands/command.ts';
import { allCommands, type CommandGroup, commandNames } from '../commands/command-group.ts';
import {
  groupsOf,
  placeOfThread,
  profilesCommand,
  programOptions,
  takesProfile,
  threadsCommand,
  valuesOf,
  wordsAfterVariants,
  wordsOf,
} from './offers.ts';

export function zshScript(table: CommandGroup): string {
  const groups = groupsOf(table).map(
    (group) =>
      `    ${group.name})\n      (( CURRENT > first + 1 )) || { compadd -- ${[...commandNames(group), '--help'].join(' ')}; return; }\n` +
      `      name="$name $words[first+1]" ;;`,
  );
  const behind = allCommands(table).flatMap((command) =>
    wordsAfterVariants(command).map(([variant, words]) => `    ${variant}) compadd -- ${words.join(' ')}; return ;;`),
  );
  const builtIn = allCommands(table).flatMap(({ options }) =>
    Object.values(options).filter(takesProfile).flatMap(valuesOf),
  );
  return `#compdef capstan
_capstan_threads() {
  local -a found
  local line
  for line in \${(f)"$($words[1] ${threadsCommand} 2>/dev/null)"}; do
    found+=("\${line%%$'\\t'*}:\${line#*$'\\t'}")
  done
  _describe -t threads thread found
}
_capstan_profiles() {
  compadd "$@" -- ${builtIn.join(' ')} \${(f)"$($words[1] ${profilesCommand} 2>/dev/null)"}
}
_capstan_words() {
  case $words[CURRENT-1] in
${behind.join('\n')}
    resume|fork) _capstan_threads; return ;;
  esac
  compadd "$@"
}
_capstan() {
  local -i first=2
  [[ $words[2] == help ]] && first=3
  (( CURRENT > first )) || { compadd -- ${[...commandNames(table), ...programOptions].join(' ')}; return; }
  local name=$words[first]
  case $name in
    e) name=exec ;;
${groups.join('\n')}
  esac
  (( first == 2 )) || return
  case $name in
${allCommands(table)
  .map((command) => `    '${command.name}') _arguments ${specsOf(command).join(' \\\n      ')} ;;`)
  .join('\n')}
  esac
}
# From a folder of fpath this file is the body of the function; sourced, it registers it.
if [[ $funcstack[1] == _capstan ]]; then
  _capstan "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i; }
  compdef _capstan capstan
fi
`;
}

function specsOf(command: Command): readonly string[] {
  const words = wordsOf(command);
  const isFile = command.words?.some(({ name }) => name === 'FILE') === true;
  const isThread = placeOfThread(command) === 'anywhere';
  const known = words.length === 0 ? '' : `_capstan_words ${words.join(' ')}`;
  const rest = `'*:word:${isFile ? '_files' : isThread ? '_capstan_threads' : known}'`;
  return [rest, ...shownOptions(command).flatMap(optionSpecs)];
}

function optionSpecs(option: CommandOption): readonly string[] {
  const { names, value, help, repeats } = option;
  const text = help.replaceAll("'", '').replaceAll(/[\]:\\]/g, (sign) => `\\${sign}`);
  return names.map((name) => {
    if (value === undefined) return `'${name}[${text}]'`;
    // The value may be attached: `-mNAME`, `--model=NAME`.
    const attached = name.startsWith('--') ? `${name}=` : `${name}+`;
    return `'${repeats === true ? '*' : ''}${attached}[${text}]:${value}:${valueSpec(option)}'`;
  });
}

function valueSpec(option: CommandOption): string {
  if (option.value === 'FILE') return '_files';
  if (option.value === 'FOLDER') return '_files -/';
  const values = valuesOf(option);
  // Its names have colons, which would end a part of the specification.
  if (takesProfile(option)) return '_capstan_profiles';
  return values.length === 0 ? '' : `(${values.join(' ')})`;
}
