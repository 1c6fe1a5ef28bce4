import type { Answer } from '../../protocol/question.ts';
import { oneLine } from '../../state/one-line.ts';

const decided: Readonly<Record<Answer['kind'], string>> = {
  allowed: 'allowed',
  declined: 'declined',
  stopped: 'declined, and the turn ended',
  lapsed: 'not finished',
};

/** What a reviewer decided, in one line. Undefined where the user did. `host`: what it was asked about, if not the call itself. */
export function reviewWords({ by, kind, verdict, note }: Answer, host?: string): string | undefined {
  if (by !== 'review') return undefined;
  const isOverruled = verdict?.overruled === true;
  const why = isOverruled ? note : (verdict?.rationale ?? note);
  const what = isOverruled ? `allowed it, and Capstan ${decided[kind]}` : decided[kind];
  const judged = verdict === undefined ? '' : ` (risk ${verdict.risk}, authorization ${verdict.authorization})`;
  const about = host === undefined ? '' : ` ${host}`;
  return `reviewer: ${what}${about}${judged}${why === undefined ? '' : `: ${oneLine(why, 300)}`}`;
}
