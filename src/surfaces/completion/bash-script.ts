import { type Command, type CommandOption, keyAndValue } from '../commands/command.ts';
import { allCommands, type CommandGroup, commandNames } from '../commands/command-group.ts';
import {
  groupsOf,
  optionNames,
  placeOfThread,
  profilesCommand,
  programOptions,
  takesProfile,
  threadsCommand,
  valuesOf,
  wordsAfterVariants,
  wordsOf,
} from './offers.ts';

export function bashScript(table: CommandGroup): string {
  const commands = allCommands(table);
  const groups = groupsOf(table).map(
    (group) =>
      `    ${group.name}) path="$path \${COMP_WORDS[first+1]}"; [ "$COMP_CWORD" -gt "$((first + 1))" ] || { ${offer([...commandNames(group), '--help'])}; } ;;`,
  );
  return `_capstan_threads() {
  case "$word" in
    -*) ;;
    *) "\${COMP_WORDS[0]}" ${threadsCommand} 2>/dev/null | cut -f 1 ;;
  esac
}
_capstan() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" colon=
  case "$COMP_WORDBREAKS" in
    *:*)
      # A colon is a word of its own here, and what is offered replaces only what stands behind it.
      case "$word" in :|=:) colon=: word=: ;; esac
      case "$before" in :|=:) colon=: word=":$word" before="\${COMP_WORDS[COMP_CWORD-2]}" ;; esac ;;
  esac
  _capstan_offer
  [ -z "$colon" ] || COMPREPLY=("\${COMPREPLY[@]#:}")
}
_capstan_offer() {
  local first=1 at
  case "$before \${COMP_WORDS[COMP_CWORD-3]}" in
    '= -c'|'= --config') return ;;
  esac
  [ "$before" = '=' ] && before="\${COMP_WORDS[COMP_CWORD-2]}"
  [ "\${COMP_WORDS[1]}" = help ] && first=2
  [ "$COMP_CWORD" -gt "$first" ] || { ${offer([...commandNames(table), ...programOptions])}; }
  local path="\${COMP_WORDS[first]}"
  case "$path" in
    e) path=exec ;;
${groups.join('\n')}
  esac
  [ "$first" -eq 1 ] || return
  for ((at = 2; at < COMP_CWORD; at++)); do
    [ "\${COMP_WORDS[at]}" = -- ] || continue
    case "$path $((COMP_CWORD - at))" in
${commands
  .filter(takesProgram)
  .map(({ name }) => `      '${name} 1') COMPREPLY=($(compgen -c -- "$word")) ;;`)
  .join('\n')}
    esac
    return
  done
  case "$path $before" in
${commands.flatMap(valueCases).join('\n')}
  esac
  case "$path" in
${commands.map((command) => `    '${command.name}') ${offerAll(command)} ;;`).join('\n')}
  esac
}
complete -o default -F _capstan capstan
`;
}

/** `printing`: a command that prints more words. */
function offer(words: readonly string[], printing?: string): string {
  const more = printing === undefined ? '' : `" $(${printing})"`;
  return `COMPREPLY=($(compgen -W '${words.join(' ')}'${more} -- "$word")); return`;
}

/** Words, options and threads. What the command prints is offered as it is: no shell takes it for more than a word. */
function offerAll(command: Command): string {
  const words = [...wordsOf(command), ...optionNames(command)];
  const all = `COMPREPLY=($(compgen -W '${words.join(' ')}'" $(_capstan_threads)" -- "$word")); return`;
  switch (placeOfThread(command)) {
    case 'anywhere':
      return all;
    case 'behind a variant': {
      const behind = Object.keys(command.variants ?? {}).map((variant) => `*' ${variant} '*`);
      return `case " \${COMP_WORDS[*]:0:COMP_CWORD} " in ${behind.join('|')}) ${all} ;; esac; ${offer(words)}`;
    }
    case 'nowhere':
      return offer(words);
  }
}

/** Behind "--" it takes a command of the system. */
function takesProgram({ words = [] }: Command): boolean {
  return words.some(({ name, verbatim }) => name === 'COMMAND' && verbatim === true);
}

function valueCases(command: Command): readonly string[] {
  const { name, options } = command;
  const ofOptions = Object.values(options).flatMap((option) => {
    const values = valueOffer(option);
    if (values === undefined || option.hidden === true) return [];
    return [`    ${option.names.map((each) => `'${name} ${each}'`).join('|')}) ${values} ;;`];
  });
  return [
    ...ofOptions,
    ...wordsAfterVariants(command).map(([variant, words]) => `    '${name} ${variant}') ${offer(words)} ;;`),
  ];
}

function valueOffer(option: CommandOption): string | undefined {
  if (option.value === 'FILE') return 'COMPREPLY=($(compgen -f -- "$word")); return';
  if (option.value === 'FOLDER') return 'COMPREPLY=($(compgen -d -- "$word")); return';
  const values = valuesOf(option);
  if (option.value === keyAndValue) return `compopt -o nospace 2>/dev/null; ${offer(values)}`;
  if (takesProfile(option)) return offer(values, `"\${COMP_WORDS[0]}" ${profilesCommand} 2>/dev/null`);
  return values.length === 0 ? undefined : offer(values);
}
