import { expect, it } from 'vitest';
import { commandTable } from '../table/command-table.ts';
import { helpOption, shownOptionNames, optionsInHelp } from '../../views/command-line/command.ts';
import { allCommands, commandNames } from '../../views/command-line/command-group.ts';
import { type OfferedWord, findCompletions } from './complete.ts';

/** Words that begin with the last one, and what else may stand there. */
function offered(typed: readonly string[]) {
  const { words, source, attached } = findCompletions(commandTable, typed);
  const begun = (typed.at(-1) ?? '').slice((attached ?? '').length);
  const names = words.map(({ word }) => word).filter((word) => word.startsWith(begun));
  return [...names, ...(source === undefined ? [] : [`<${source}>`])].join(' ');
}

const wordsOf = (words: readonly OfferedWord[]): readonly string[] => words.map(({ word }) => word);

it('every command is offered with what it does, and all that it takes', () => {
  const { words } = findCompletions(commandTable, ['']);
  expect(wordsOf(words)).toEqual(commandNames(commandTable));
  expect(words.filter(({ does }) => does === undefined || does === '')).toEqual([]);
  const threads = allCommands(commandTable).filter(({ name }) => name.startsWith('threads '));
  expect(wordsOf(findCompletions(commandTable, ['threads', '']).words)).toEqual(
    threads.map(({ name }) => name.slice('threads '.length)),
  );
  for (const command of allCommands(commandTable)) {
    if (command.name === 'help') continue;
    const { variants = {}, words: plain = [] } = command;
    const options = optionsInHelp(command).flatMap((each) =>
      shownOptionNames(each).map((word) => ({ word, does: each.help })),
    );
    const path = command.name.split(' ');
    expect([command.name, findCompletions(commandTable, [...path, '-'])]).toEqual([command.name, { words: options }]);
    expect([command.name, ...wordsOf(findCompletions(commandTable, [...path, '']).words)]).toEqual([
      command.name,
      ...Object.keys(variants),
      ...plain.slice(0, 1).flatMap(({ choices = [] }) => choices),
    ]);
    for (const option of optionsInHelp(command)) {
      if (option === helpOption || option.value === undefined) continue;
      const { choices = [], offers = [] } = option;
      for (const name of option.names) {
        const { words: values } = findCompletions(commandTable, [...path, name, '']);
        expect(name === '-c' || name === '--config' ? [] : wordsOf(values)).toEqual([...choices, ...offers]);
        const long = findCompletions(commandTable, [...path, `${name}=`]);
        expect(long).toMatchObject({ words: values, attached: `${name}=` });
      }
    }
  }
});

it.each([
  ['thr', 'threads'],
  ['threads rol', 'rollback'],
  ['execpolicy ', 'check'],
  ['-', '-h --help --version'],
  ['threads --', '--help'],
  ['help thr', 'threads'],
  ['help threads g', 'gc'],
  ['help exec ', ''],
  ['nothing ', ''],
  ['replay --p', '--print'],
  ['exec ', 'resume fork review'],
  ['e --os', '--oss'],
  ['exec --sandbox read', 'read-only'],
  ['exec --sandbox=read', 'read-only'],
  ['exec -sread', 'read-only'],
  ['exec --oss --local-provider ', 'ollama lmstudio'],
  ['threads list --sort ', 'updated created'],
  ['threads export x --format m', 'markdown'],
  ['threads set x -s w', 'workspace-write'],
  ['context --request ', 'last'],
  ['completion z', 'zsh'],
  ['config explain undo.', 'undo.enabled undo.max_file_bytes undo.max_total_bytes'],
  ['features enable sleep', 'sleep_tool'],
  ['exec -c model_context', 'model_context_window='],
  ['exec --config=window.effective_p', 'window.effective_percent='],
  ['exec -c model=', ''],
  ['mcp add x --env ', ''],
  ['sandbox -P :w', ':workspace <profiles>'],
  // Threads stand where the command takes one, unless an option names it.
  ['threads show log', '<threads>'],
  ['threads show x ', ''],
  ['threads show x -', '--full --tree --json --last -h --help'],
  ['threads name --last ', ''],
  ['threads name --last --', '--all --json --help'],
  ['mcp remove ', ''],
  ['context ', '<threads>'],
  ['resume ', '<threads>'],
  ['exec resume ', '<threads>'],
  ['e --json fork ', '<threads>'],
  ['exec resume --last ', ''],
  ['exec resume --last --mo', '--model --mode'],
  // Elsewhere it is the beginning of a prompt.
  ['exec log', ''],
  ['exec resume x on', ''],
  ['exec -- f', ''],
  ['exec -i ', '<files>'],
  ['exec --output-schema=sch', '<files>'],
  ['exec -C ', '<folders>'],
  ['threads import ', '<files>'],
  ['sandbox -- mk', '<programs>'],
  ['sandbox run -- ', '<programs>'],
  ['sandbox -P :workspace -- mk', '<programs>'],
  ['mcp add x -- ', '<programs>'],
  ['sandbox -- cat -', '<files>'],
  ['execpolicy check git -', '<files>'],
  ['sandbox l', 'linux'],
  ['exec -- --', ''],
  // An option that counts once is not offered twice.
  ['exec --json --js', ''],
  ['exec -i a --im', '--image'],
  // Accepted for scripts, and not shown.
  ['exec --thread-s', ''],
  ['exec --yo', ''],
  ['exec --dang', '--dangerously-bypass-approvals-and-sandbox'],
  ['comple', 'completion'],
])('%j: %j', (typed, expected) => {
  expect(offered(typed.split(' '))).toEqual(expected);
});
