import type { Pin } from '../../../core/state/fold/pinned-notes.ts';
import type { EngineRefused } from '../../../engine/engine-refused.ts';
import type { Engine } from '../../../engine/engine.ts';
import { liveThreads } from '../../../engine/live/live-threads.ts';
import type { WithNotices } from '../../../engine/store/stored-threads.ts';
import { unprovenNotice } from '../../../engine/store/thread-notices.ts';
import { plural } from '../../../engine/wording.ts';
import type { ThreadId, TurnId } from '../../../protocol/ids.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { ThreadCut } from '../../../protocol/thread.ts';
import { type CommandEngine, loadCommandEngine } from '../../views/command-line/command-engine.ts';
import type { CommandArguments } from '../../views/command-line/command.ts';
import { printResult } from '../../views/terminal/tables.ts';
import { printFailure } from '../../views/terminal/print.ts';
import { diskLossAsOutcome } from '../../views/terminal/process.ts';
import { turnsWord } from '../../views/threads/rollback-and-restore-words.ts';
import { resumeCommand } from '../../views/wording/command-hints.ts';
import type { deleteCommand, forkCommand, undoRollbackCommand } from '../table/threads-change-commands.ts';
import { renameLocationsToPaths } from './list-and-search.ts';

type PinList = WithNotices<{ readonly kind: 'pins'; readonly id: ThreadId; readonly pins: readonly Pin[] }>;

export const threadOperations = {
  archive: operation(() => ({
    perform: (engine, id) => engine.stored.archive(id),
    text: ({ id }) => `Thread ${id} is archived.\nTo undo this: capstan threads unarchive ${id}`,
  })),
  unarchive: operation(() => ({
    archived: true,
    perform: (engine, id) => engine.stored.unarchive(id),
    text: ({ id }) => `Thread ${id} is active again.`,
  })),
  // A deletion cannot be undone, so an ambiguous name is refused.
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
      if (turns.length === 0 && replaced.length > 0) return `${turnsWord(replaced)} of thread ${id} rolled back again.`;
      // A rollback to the middle of a turn may have removed no whole turn.
      const back = turns.length === 0 ? 'What was rolled back' : turnsWord(turns);
      const instead = replaced.length === 0 ? '' : ` in place of ${replaced.length} newer`;
      const more = next === undefined ? '' : `\nTo undo the rollback before that: capstan threads undo-rollback ${id}`;
      return `${back} of thread ${id} restored${instead}.${more}`;
    },
  })),
};

type Noticed = { readonly notices: readonly Outcome[] };

function operation<Given extends OperationArguments, Result extends Noticed>(
  operationOf: (given: Given) => ThreadOperation<Result>,
) {
  return { run: (given: Given) => operateOnThread(given, operationOf(given)) };
}

/** Passes the user's words on: they may be a number or the beginning of an id, and the thread looks the turn up. */
function cutOf({ through, before }: CommandArguments<typeof forkCommand>['options']): ThreadCut {
  if (through !== undefined) return { kind: 'through', turnId: through as TurnId };
  return before === undefined ? { kind: 'latest' } : { kind: 'before', turnId: before as TurnId };
}

interface OperationArguments {
  readonly thread: string | undefined;
  readonly words: readonly string[];
  readonly options: { readonly json: boolean; readonly all?: boolean };
}

interface ThreadOperation<Result extends Noticed> extends Pick<ThreadSearch, 'archived' | 'unique'> {
  perform(engine: Engine, id: ThreadId): Promise<Result | EngineRefused>;
  text(result: Result): string;
  /** False if a part of the operation failed. Absent: unless it is refused, all of it succeeds. */
  isWhole?(result: Result): boolean;
}

/** Finds the thread, runs the operation and reports it. Exit codes: 0: done; 1: refused, or a part of it failed. */
export async function operateOnThread<Result extends Noticed>(
  { thread, options: { json, all = false } }: OperationArguments,
  { text, isWhole = () => true, perform, ...search }: ThreadOperation<Result>,
): Promise<number | Outcome> {
  const done = await diskLossAsOutcome(async () => {
    const found = await findThread({ ...search, thread, anywhere: all });
    return 'code' in found ? found : perform(found.engine, found.id);
  });
  if ('code' in done) return reportRefusedOperation(done, { json });
  if ('outcome' in done) return reportRefusedOperation(done.outcome, { json });
  printResult(renameLocationsToPaths(done), { json }, () => `${text(done)}\n`);
  if (!json) for (const notice of done.notices) printFailure(notice, 0);
  return isWhole(done) ? 0 : 1;
}

/** Programs get refusals as JSON on standard output, too. */
export function reportRefusedOperation(outcome: Outcome, { json }: { readonly json: boolean }): number | Outcome {
  if (!json) return outcome;
  const { code, message, next } = outcome;
  printResult({ kind: 'refused', code, message, next }, { json }, () => '');
  return 1;
}

export type FoundThread = CommandEngine & { readonly id: ThreadId };

interface ThreadSearch {
  /** Undefined: the thread that was used last. */
  readonly thread: string | undefined;
  readonly archived?: boolean;
  /** Refuses a name that several threads have. */
  readonly unique?: boolean;
  /** Without a name: searches all folders, not only this one. */
  readonly anywhere?: boolean;
  readonly overrides?: readonly string[];
}

export async function findThread(search: ThreadSearch): Promise<FoundThread | Outcome> {
  const { thread: name, archived = false, unique = false, anywhere = false } = search;
  const loaded = await loadCommandEngine(search.overrides);
  if ('code' in loaded) return loaded;
  const cwd = anywhere ? undefined : loaded.cwd;
  const chosen = await loaded.engine.stored.choose(
    name === undefined ? { kind: 'last', cwd } : { kind: 'named', name, archived, unique },
  );
  if (chosen.kind === 'chosen') return { ...loaded, id: chosen.id };
  if (name !== undefined || anywhere) return chosen;
  // Some of these commands have no option to search other folders, so the advice names none.
  return { ...chosen, next: 'Name a thread: `capstan threads list` shows those of all folders.' };
}
