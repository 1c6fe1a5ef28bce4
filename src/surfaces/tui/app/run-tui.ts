import { resolve } from 'node:path';
import { defined } from '../../../protocol/defined.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { CommandArguments } from '../../commands/command.ts';
import type { forkTuiCommand, resumeTuiCommand, tuiCommand } from '../../commands/tui-command.ts';
import { currentFolder } from '../../terminal/current-folder.ts';
import { openTui } from './open-tui.ts';
import { terminalProblem } from './terminal-problem.ts';
import type { TuiRequest, WantedConversation } from './tui-request.ts';

type TuiArguments = CommandArguments<typeof tuiCommand>;

/** `capstan tui` */
export function run({ options, words }: TuiArguments): Promise<number | Outcome> {
  return open(options, { kind: 'new' }, words[0]);
}

type ResumeArguments = CommandArguments<typeof resumeTuiCommand>;

/** `capstan resume` */
export const resume = { run: (given: ResumeArguments) => reopen(given, 'resume') };

/** `capstan fork` */
export const fork = { run: (given: CommandArguments<typeof forkTuiCommand>) => reopen(given, 'fork') };

function reopen({ options, thread, words }: ResumeArguments, does: 'resume' | 'fork'): Promise<number | Outcome> {
  const wanted: WantedConversation = options.last
    ? { kind: 'last' }
    : thread === undefined
      ? { kind: 'pick' }
      : { kind: 'named', name: thread };
  return open(options, wanted, words[0], { does, anyFolder: options.all });
}

async function open(
  options: TuiArguments['options'],
  thread: WantedConversation,
  prompt: string | undefined,
  more: Pick<TuiRequest, 'does' | 'anyFolder'> = {},
): Promise<number | Outcome> {
  const problem = terminalProblem();
  if (problem !== undefined) return problem;
  const here = currentFolder();
  if ('code' in here) return here;
  const cwd = options.cwd === undefined ? here.path : resolve(here.path, options.cwd);
  return openTui({
    cwd,
    choices: options,
    thread,
    ...more,
    isFull: options.fullScreen,
    isInline: options.noAltScreen,
    isReader: options.screenReader,
    ...defined({ prompt }),
  });
}
