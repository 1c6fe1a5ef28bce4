import type { RolloutStore } from '../../ports/rollout-store.ts';
import type { Ordinal, ThreadId, TurnId } from '../../protocol/ids.ts';
import { lineType } from '../../protocol/line.ts';
import { type FilesMessage, isAboutFiles, readMessage, type RecordedMessage } from '../../state/waiting.ts';

/** What a rollback to a place, or a fork there, has to do with: what waited there, and what was said from there on, told or not. */
export async function filesMessages(
  store: Pick<RolloutStore, 'read'>,
  id: ThreadId,
  from: Ordinal,
  then: readonly RecordedMessage[],
): Promise<readonly FilesMessage[]> {
  const found = new Map(then.filter(isAboutFiles).map((message) => [message.id, message]));
  const wanted = ({ type }: { readonly type: string }): boolean => type === lineType.waiting;
  for await (const { type, payload } of store.read(id, { from, wanted })) {
    const message = type === lineType.waiting ? readMessage(payload) : undefined;
    if (message !== undefined && isAboutFiles(message) && !found.has(message.id)) found.set(message.id, message);
  }
  return [...found.values()];
}

/**
 * Files do not go back with the conversation: the model reads again what happened to them, unless the user put them back
 * to before a turn that is taken back too.
 */
export function filesToTell(
  messages: readonly FilesMessage[],
  /** `there`: messages that wait at the place all the same. */
  { there, standing }: { readonly there: readonly RecordedMessage[]; readonly standing: readonly TurnId[] },
): readonly FilesMessage[] {
  const isThere = new Set(there.map(({ id }) => id));
  return messages.flatMap((message) => {
    const turn = message.kind === 'files' ? message.files.before?.turnId : undefined;
    const isUndone = turn !== undefined && !standing.includes(turn);
    return isThere.has(message.id) || isUndone ? [] : [{ ...message, again: true }];
  });
}
