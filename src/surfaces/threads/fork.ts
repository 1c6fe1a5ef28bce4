import type { ThreadId, TurnId } from '../../protocol/ids.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ThreadCut } from '../../protocol/thread-cut.ts';
import { type CommandForm, type ParsedWords, wrongUsage } from '../command-words.ts';
import { resumeCommand } from '../resume-command.ts';
import { onThread, type OnThread, threadOptions } from './on-thread.ts';

interface Forked {
  readonly kind: 'forked';
  readonly id: ThreadId;
  readonly from: ThreadId;
  readonly path: string;
  readonly notices: readonly Outcome[];
}

export const form: CommandForm = {
  name: 'threads fork',
  summary: 'Begins a thread that goes on from another one. Nothing is copied, and the other one stays what it is.',
  forms: ['THREAD [--through TURN | --before TURN]', '--last [--all] …'],
  options: [
    { key: 'through', names: ['--through'], value: 'TURN', help: 'up to the end of this turn' },
    { key: 'before', names: ['--before'], value: 'TURN', help: 'up to the beginning of this turn' },
    ...threadOptions,
  ],
  notes:
    'TURN is the number of a turn, its id, or the beginning of that. Without it the fork takes over everything; a turn\nthat is still running counts as interrupted there. `capstan exec resume` goes on with the new thread.',
};

const command: OnThread<Forked> = {
  form,
  archived: true,
  more: 0,
  async run(engine, id, words) {
    const cut = cutOf(words);
    if ('code' in cut) return cut;
    const opened = await engine.fork(id, cut, { listener: () => {} });
    if (opened.kind === 'refused') return opened;
    const { thread, notices } = opened;
    await thread.close();
    return { kind: 'forked', id: thread.id, from: id, path: thread.path, notices };
  },
  text: ({ id, from }) => `Thread ${id} continues ${from}.\nTo resume: ${resumeCommand(id)}`,
};

/** A turn is looked up by the thread: here it may be a number or the beginning of an id as well. */
function cutOf({ values }: ParsedWords): ThreadCut | Outcome<'usage'> {
  const [through, before] = [values.get('through')?.at(-1), values.get('before')?.at(-1)];
  if (through !== undefined && before !== undefined) {
    return wrongUsage(form, '--through and --before are two places: choose one.');
  }
  if (through !== undefined) return { kind: 'through', turnId: through as TurnId };
  return before === undefined ? { kind: 'latest' } : { kind: 'before', turnId: before as TurnId };
}

export const run = (words: readonly string[]): Promise<number> => onThread(command, words);
