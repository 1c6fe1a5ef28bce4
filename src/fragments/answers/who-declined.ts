import type { Answer } from '../../protocol/question.ts';
import { withUserWords } from './call-answers.ts';
import { clientSilence } from './client-silence.ts';
import { reviewJudgement, reviewReasons } from './review-answers.ts';

/** Who said no to what, with the reasons for the model. `what`: what a yes would have done, after "did not". */
export function whoDeclined(answer: Answer, what: string): string {
  const { by, note, verdict } = answer;
  if (by === 'default') return `no answer was prepared that would ${what}.`;
  if (by === 'client') return `no answer of the user came that would ${what}. ${note ?? clientSilence.unreadable}`;
  if (by === 'hook') return `a hook of the user did not ${what}.${note === undefined ? '' : ` It says: ${note}`}`;
  if (by !== 'review') return withUserWords(`the user did not ${what}.`, note);
  const reasons = reviewReasons(answer);
  if (verdict === undefined) return [`no review was finished that would ${what}.`, ...reasons].join(' ');
  const judged = `(${reviewJudgement(verdict)})`;
  const said =
    verdict.overruled === true
      ? `Capstan did not ${what}, although the reviewer would have ${judged}.`
      : `the reviewer did not ${what} ${judged}.`;
  return [said, ...reasons].join(' ');
}
