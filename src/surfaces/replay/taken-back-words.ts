import type { ThreadId } from '../../protocol/ids.ts';
import type { TakenBackRequests } from '../engine/taken-back.ts';
import { plural } from '../wording/number-words.ts';

/** Where the requests are that a thread does not list any more. Undefined: there are none. */
export function takenBackWords(id: ThreadId, { requests }: Pick<TakenBackRequests, 'requests'>): string | undefined {
  if (requests === 0) return undefined;
  const were = requests === 1 ? 'was' : 'were';
  return `${plural(requests, 'more request')} ${were} taken back: capstan replay ${id} --taken-back`;
}
