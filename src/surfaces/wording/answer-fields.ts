import { defined } from '../../protocol/defined.ts';
import type { Answer } from '../../protocol/question.ts';

/** An answer as programs read it. */
export interface AnswerFields extends Pick<Answer, 'scope' | 'note' | 'by' | 'verdict'> {
  readonly decision: 'approved' | 'denied' | 'abort' | 'lapsed';
}

const decisions = { allowed: 'approved', declined: 'denied', stopped: 'abort', lapsed: 'lapsed' } as const;

export function answerFields({ kind, scope, note, by, verdict }: Answer): AnswerFields {
  return { decision: decisions[kind], ...defined({ scope, note, by, verdict }) };
}
