import type { Candidate } from './candidate.ts';
import type { CompactionRoom } from './plan.ts';

/** What the parts of a checkpoint may weigh, in tokens. */
export interface PartsRoom {
  /** For the message that defines the task. */
  readonly task: number;
  /** For all words of the user. */
  readonly words: number;
  readonly answer: number;
  readonly records: number;
}

/** A text over these is more than its fragment can hold. */
const most = { words: 20_000, answer: 4000, records: 4000 } as const;
const shares = [1, 0.75, 0.5, 0.35, 0.2, 0.1, 0.05, 0] as const;

/**
 * The first candidate that fits, made with less and less room. The message that defines the task gives way last. If
 * nothing fits, the smallest.
 */
export function shrinkToFit(room: CompactionRoom, make: (room: PartsRoom) => Candidate): Candidate {
  const [words, answer, records] = [
    Math.min(room.words, most.words),
    Math.min(room.answer, most.answer),
    Math.min(room.records, most.records),
  ];
  const others = (share: number) => ({
    words: Math.floor(words * share),
    answer: Math.floor(answer * share),
    records: Math.floor(records * share),
  });
  let candidate: Candidate | undefined;
  for (const share of shares) {
    candidate = make({ task: words, ...others(share) });
    if (candidate.tokens <= room.most) return candidate;
  }
  for (const share of shares.slice(1)) {
    candidate = make({ task: Math.floor(words * share), ...others(0) });
    if (candidate.tokens <= room.most) return candidate;
  }
  return candidate!;
}
