import type { Candidate } from './candidate.ts';
import type { CompactionRoom } from '../plan/plan.ts';

/** What the parts of a checkpoint may weigh, in tokens. */
export type PartsRoom = Pick<CompactionRoom, 'words' | 'pictures' | 'answer' | 'records'>;

const shares = [1, 0.75, 0.5, 0.35, 0.2, 0.1, 0.05, 0] as const;

/** The first candidate that fits, made with less and less room. If nothing fits, the smallest. */
export function shrinkToFit(room: CompactionRoom, make: (room: PartsRoom) => Candidate): Candidate {
  let candidate: Candidate | undefined;
  for (const share of shares) {
    const part = (tokens: number): number => Math.floor(Math.max(0, tokens) * share);
    candidate = make({
      words: part(room.words),
      pictures: part(room.pictures),
      answer: part(room.answer),
      records: part(room.records),
    });
    if (candidate.tokens <= room.most) return candidate;
  }
  return candidate!;
}
