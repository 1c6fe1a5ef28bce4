import { resolve } from 'node:path';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { CommandArguments } from '../../views/command-line/command.ts';
import type { forkTuiCommand, resumeTuiCommand, tuiCommand } from '../../views/command-line/surface-commands.ts';
import { currentFolder } from '../../views/terminal/process.ts';
import { openTui, type TuiRequest, type WantedConversation } from './open-tui.ts';
import { terminalProblem } from './open-without-command.ts';

type TuiArguments = CommandArguments<typeof tuiCommand>;

export const run = ({ options, words }: TuiArguments): Promise<number | Outcome> =>
  open(options, { kind: 'new' }, words[0]);

type ResumeArguments = CommandArguments<typeof resumeTuiCommand>;

export const resume = { run: (given: ResumeArguments) => reopen(given, 'resume') };
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
    prompt,
  });
}
