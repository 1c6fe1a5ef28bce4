import { type Command, type CommandOption, keyAndValue } from '../commands/command.ts';
import { allCommands, type CommandGroup } from '../commands/command-group.ts';
import { groupsOf, optionNames, programOptions, valuesOf, wordsOf } from './offers.ts';

export function bashScript(table: CommandGroup): string {
  const commands = allCommands(table);
  const groups = groupsOf(table).map(
    ({ name, commands: below }) =>
      `    ${name}) path="$path \${COMP_WORDS[first+1]}"; [ "$COMP_CWORD" -gt "$((first + 1))" ] || { ${offer([...Object.keys(below), '--help'])}; } ;;`,
  );
  return `_capstan() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" first=1
  case "$before \${COMP_WORDS[COMP_CWORD-3]}" in
    '= -c'|'= --config') return ;;
  esac
  [ "$before" = '=' ] && before="\${COMP_WORDS[COMP_CWORD-2]}"
  [ "\${COMP_WORDS[1]}" = help ] && first=2
  [ "$COMP_CWORD" -gt "$first" ] || { ${offer([...Object.keys(table.commands), ...programOptions])}; }
  local path="\${COMP_WORDS[first]}"
  case "$path" in
    e) path=exec ;;
${groups.join('\n')}
  esac
  [ "$first" -eq 1 ] || return
  case "$path $before" in
${commands.flatMap(valueCases).join('\n')}
  esac
  case "$path" in
${commands.map((command) => `    '${command.name}') ${offer([...wordsOf(command), ...optionNames(command)])} ;;`).join('\n')}
  esac
}
complete -o default -F _capstan capstan
`;
}

function offer(words: readonly string[]): string {
  return `COMPREPLY=($(compgen -W '${words.join(' ')}' -- "$word")); return`;
}

function valueCases({ name, options }: Command): readonly string[] {
  return Object.values(options).flatMap((option) => {
    const values = valueOffer(option);
    if (values === undefined || option.hidden === true) return [];
    return [`    ${option.names.map((each) => `'${name} ${each}'`).join('|')}) ${values} ;;`];
  });
}

function valueOffer(option: CommandOption): string | undefined {
  if (option.value === 'FILE') return 'COMPREPLY=($(compgen -f -- "$word")); return';
  if (option.value === 'FOLDER') return 'COMPREPLY=($(compgen -d -- "$word")); return';
  const values = valuesOf(option);
  if (option.value === keyAndValue) return `compopt -o nospace 2>/dev/null; ${offer(values)}`;
  return values.length === 0 ? undefined : offer(values);
}
