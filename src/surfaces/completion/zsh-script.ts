import { type Command, type CommandOption, shownOptions } from '../commands/command.ts';
import { allCommands, type CommandGroup } from '../commands/command-group.ts';
import { groupsOf, programOptions, valuesOf, wordsOf } from './offers.ts';

export function zshScript(table: CommandGroup): string {
  const groups = groupsOf(table).map(
    ({ name, commands }) =>
      `    ${name})\n      (( CURRENT > first + 1 )) || { compadd -- ${[...Object.keys(commands), '--help'].join(' ')}; return; }\n` +
      `      name="$name $words[first+1]" ;;`,
  );
  return `#compdef capstan
_capstan() {
  local -i first=2
  [[ $words[2] == help ]] && first=3
  (( CURRENT > first )) || { compadd -- ${[...Object.keys(table.commands), ...programOptions].join(' ')}; return; }
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
_capstan "$@"
`;
}

function specsOf(command: Command): readonly string[] {
  const words = wordsOf(command);
  const isFile = command.words?.some(({ name }) => name === 'FILE') === true;
  const rest = `'*:word:${isFile ? '_files' : words.length === 0 ? '' : `(${words.join(' ')})`}'`;
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
  return values.length === 0 ? '' : `(${values.join(' ')})`;
}
