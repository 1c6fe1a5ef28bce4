import type { ThreadId, TurnId } from '../../protocol/ids.ts';
import type { ThreadCut } from '../../protocol/thread-cut.ts';
import type { CommandArguments } from '../commands/command.ts';
import type { forkCommand } from '../commands/threads-change-commands.ts';
import type { Done } from '../engine/stored-threads.ts';
import { resumeCommand } from '../wording/resume-command.ts';
import { operateOnThread } from './thread-operation.ts';

type Forked = Done<{
  readonly kind: 'forked';
  readonly id: ThreadId;
  readonly from: ThreadId;
  readonly location: string;
}>;

/** `capstan threads fork` */
export function run(given: CommandArguments<typeof forkCommand>) {
  return operateOnThread<Forked>(given, {
    archived: true,
    async perform(engine, id) {
      const opened = await engine.fork(id, cutOf(given.options), { listener: () => {} });
      if (opened.kind === 'refused') return opened;
      const { thread, notices } = opened;
      await thread.close();
      return { kind: 'forked', id: thread.id, from: id, location: thread.location, notices };
    },
    text: ({ id, from }) => `Thread ${id} continues ${from}.\nTo resume: ${resumeCommand(id)}`,
  });
}

/** A turn is looked up by the thread: here it may be a number or the beginning of an id as well. */
function cutOf({ through, before }: CommandArguments<typeof forkCommand>['options']): ThreadCut {
  if (through !== undefined) return { kind: 'through', turnId: through as TurnId };
  return before === undefined ? { kind: 'latest' } : { kind: 'before', turnId: before as TurnId };
}
