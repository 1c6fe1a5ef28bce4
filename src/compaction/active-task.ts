import { byteLength } from '../fragments/truncate.ts';
import type { UserWords } from '../history/users-words.ts';

/** Fewer calls may be a look at something in passing. */
const leastCalls = 3;
/** Work that is less than this share of the most that one message led to is aside. */
const leastShare = 0.25;
/** Shorter messages, such as "go on", define no task. */
const leastBytes = 24;

/**
 * The message that defines the task, by what code can see: the newest that led to substantial work since the newest
 * checkpoint, else the task of that checkpoint, else the newest that led to any work, else the first of the thread.
 */
export function activeTask(words: readonly UserWords[]): UserWords | undefined {
  const most = words.reduce((found, { calls }) => Math.max(found, calls), 0);
  const says = ({ text }: UserWords): boolean => byteLength(text) >= leastBytes;
  const isSubstantial = ({ calls }: UserWords): boolean => calls >= leastCalls && calls >= most * leastShare;
  return (
    words.findLast((row) => isSubstantial(row) && says(row)) ??
    words.find(({ task }) => task) ??
    words.findLast(isSubstantial) ??
    words.findLast((row) => row.worked && says(row)) ??
    words.findLast(({ worked }) => worked) ??
    words[0]
  );
}

/** What the model took for the defining request, held against what was worked on. */
export interface TaskChoice {
  /** Undefined when the user has said nothing. */
  readonly task: UserWords | undefined;
  /** The message that the model chose, and that no work speaks for: the working task wins over it. */
  readonly doubtful?: UserWords;
  readonly mended: readonly string[];
}

export function chooseTask(words: readonly UserWords[], chosen: UserWords | undefined): TaskChoice {
  const byCode = activeTask(words);
  if (chosen === undefined) {
    const why = 'The quoted request is no message of the user; the one that was worked on was put in its place.';
    return { task: byCode, mended: byCode === undefined ? [] : [why] };
  }
  const isWorkedOn = ({ worked, task }: UserWords): boolean => worked || task;
  if (isWorkedOn(chosen) || !words.some(isWorkedOn)) return { task: chosen, mended: [] };
  const why = 'The chosen request led to no work; the task that was worked on stays, and the other is marked UNKNOWN.';
  return { task: byCode, doubtful: chosen, mended: [why] };
}
