import type { ThreadId } from '../../protocol/ids.ts';
import { sentence } from '../../protocol/outcome.ts';
import type { TakenBackRequests } from '../engine/taken-back.ts';
import { plural } from '../wording/number-words.ts';

/** Where the requests are that a thread does not list any more. Undefined: there are none. */
export function takenBackWords(
  id: ThreadId,
  { requests, problem }: Pick<TakenBackRequests, 'requests' | 'problem'>,
): string | undefined {
  if (problem !== undefined) return `Requests that were taken back could not be counted: ${sentence(problem.message)}`;
  if (requests === 0) return undefined;
  const were = requests === 1 ? 'was' : 'were';
  return `${plural(requests, 'more request')} ${were} taken back: capstan replay ${id} --taken-back`;
}
