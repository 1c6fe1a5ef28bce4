import type { Answer } from '../../protocol/question.ts';
import { oneLine } from '../../state/one-line.ts';

const decided: Readonly<Record<Answer['kind'], string>> = {
  allowed: 'allowed',
  declined: 'declined',
  stopped: 'declined, and the turn ended',
  lapsed: 'not finished',
};

/** What a reviewer decided, in one line. Undefined where the user did. */
export function reviewWords({ by, kind, verdict, note }: Answer): string | undefined {
  if (by !== 'review') return undefined;
  const why = verdict?.rationale ?? note;
  const judged = verdict === undefined ? '' : ` (risk ${verdict.risk}, authorization ${verdict.authorization})`;
  return `reviewer: ${decided[kind]}${judged}${why === undefined ? '' : `: ${oneLine(why, 300)}`}`;
}
