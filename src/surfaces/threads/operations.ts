import type { ThreadId, TurnId } from '../../protocol/ids.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { liveThreads } from '../engine/live/kept-threads.ts';
import type { ThreadCut } from '../../protocol/thread-cut.ts';
import type { Pin } from '../../state/pins.ts';
import type { CommandArguments } from '../commands/command.ts';
import type { deleteCommand, forkCommand, undoRollbackCommand } from '../commands/threads-change-commands.ts';
import type { Done } from '../engine/stored-threads.ts';
import { unprovenNotice } from '../engine/unproven-notice.ts';
import { plural } from '../wording/number-words.ts';
import { resumeCommand } from '../wording/resume-command.ts';
import { turnsWord } from '../wording/rollback-words.ts';
import { type OperationArguments, operateOnThread, type ThreadOperation } from './thread-operation.ts';

type PinList = Done<{ readonly kind: 'pins'; readonly id: ThreadId; readonly pins: readonly Pin[] }>;

/** Commands that do one thing to one thread: `capstan threads archive` and so on. */
export const operations = {
  archive: operation(() => ({
    perform: (engine, id) => engine.stored.archive(id),
    text: ({ id }) => `Thread ${id} is archived.\nTo undo this: capstan threads unarchive ${id}`,
  })),
  unarchive: operation(() => ({
    archived: true,
    perform: (engine, id) => engine.stored.unarchive(id),
    text: ({ id }) => `Thread ${id} is active again.`,
  })),
  // It cannot be undone: a name that several threads have means none of them.
  delete: operation(({ options }: CommandArguments<typeof deleteCommand>) => ({
    archived: true,
    unique: true,
    perform: (engine, id) => engine.stored.delete(id, { force: options.force }),
    text({ ids: [id, ...forks] }) {
      const also = forks.length === 0 ? '' : ` So are its forks: ${forks.join(', ')}.`;
      return `Thread ${id} is deleted.${also}`;
    },
  })),
  name: operation(({ words: [wanted = ''] }) => ({
    archived: true,
    perform: (engine, id) => engine.stored.rename(id, wanted),
    text: ({ id, name }) =>
      name === '' ? `Thread ${id} has no name now.` : `Thread ${id} is now named ${JSON.stringify(name)}.`,
  })),
  pin: operation(({ words: [note = ''] }) => ({
    perform: (engine, id) => engine.stored.pin(id, note),
    text: ({ id, pins }) =>
      `Pinned as note ${pins.length} of thread ${id}. The next turn sends it to the model.\nTo remove it: capstan threads unpin ${id} ${pins.length}`,
  })),
  unpin: operation(({ words: [which = ''] }) => ({
    perform: (engine, id) => engine.stored.unpin(id, which),
    text({ id, pin, pins }) {
      const rest = pins.length === 0 ? 'No notes remain.' : `${plural(pins.length, 'note')} left, with new numbers.`;
      return `Removed this note from thread ${id}: ${JSON.stringify(pin.text)}\n${rest}`;
    },
  })),
  pins: operation<OperationArguments, PinList>(() => ({
    archived: true,
    async perform({ stored }, id) {
      const notice = unprovenNotice(id, { ...(await stored.unproven(id)), messages: [] });
      return { kind: 'pins', id, pins: await stored.pins(id), notices: notice === undefined ? [] : [notice] };
    },
    text: ({ id, pins }) =>
      pins.length === 0
        ? `Thread ${id} has no pinned notes.`
        : pins.map((pin, at) => `${at + 1}.  ${pin.id}\n${pin.text.replaceAll(/^/gm, '    ')}`).join('\n'),
  })),
  fork: operation(({ options }: CommandArguments<typeof forkCommand>) => ({
    archived: true,
    async perform(engine, id) {
      const threads = liveThreads(engine);
      const thread = await threads.fork(id, cutOf(options), { unattended: true });
      if (thread.kind === 'refused') return thread;
      await threads.close();
      const location = await engine.stored.location(thread.id);
      return { kind: 'forked', id: thread.id, from: id, location, notices: thread.notices } as const;
    },
    text: ({ id, from }) => `Thread ${id} continues ${from}.\nTo resume: ${resumeCommand(id)}`,
  })),
  undoRollback: operation(({ options }: CommandArguments<typeof undoRollbackCommand>) => ({
    perform: (engine, id) => engine.stored.undoRollback(id, { force: options.force }),
    text({ id, turns, replaced, next }) {
      // An undo that was undone.
      if (turns.length === 0 && replaced.length > 0) return `${turnsWord(replaced)} of thread ${id} rolled back again.`;
      // A rollback to the middle of a turn may have taken no whole one.
      const back = turns.length === 0 ? 'What was rolled back' : turnsWord(turns);
      const instead = replaced.length === 0 ? '' : ` in place of ${replaced.length} newer`;
      const more = next === undefined ? '' : `\nTo undo the rollback before that: capstan threads undo-rollback ${id}`;
      return `${back} of thread ${id} restored${instead}.${more}`;
    },
  })),
};

function operation<Given extends OperationArguments, Result extends { readonly notices: readonly Outcome[] }>(
  operationOf: (given: Given) => ThreadOperation<Result>,
) {
  return { run: (given: Given) => operateOnThread(given, operationOf(given)) };
}

/** A turn is looked up by the thread: here it may be a number or the beginning of an id as well. */
function cutOf({ through, before }: CommandArguments<typeof forkCommand>['options']): ThreadCut {
  if (through !== undefined) return { kind: 'through', turnId: through as TurnId };
  return before === undefined ? { kind: 'latest' } : { kind: 'before', turnId: before as TurnId };
}
