import type { Step } from '../../envelope/step.ts';
import { isReviewed } from '../../policy/review/is-reviewed.ts';
import type { AskUser } from '../../ports/ask-user.ts';
import type { AskDecision } from '../../policy/call-decision.ts';
import { asksForContent, type Question } from '../../protocol/question.ts';
import { defined } from '../../protocol/defined.ts';
import type { Turn } from '../parts/parts.ts';

/** Whom the questions of a turn are put to. */
export interface Asker extends AskUser {
  /** A model answers in the user's place. */
  readonly to?: 'review';
}

/** The reviewer where the settings say so, else the user; undefined where no one can be asked. */
export function askerOf(
  turn: Turn,
  step: Step,
  { question: { kind }, decided }: { readonly question: Pick<Question, 'kind'>; readonly decided: AskDecision },
): Asker | undefined {
  // Neither hooks nor a reviewer know what the user wants, or what the client does.
  if (asksForContent(kind)) return turn.parts.askUser;
  const asker = lastAsker(turn, step);
  if (turn.parts.hooks === undefined || asker === undefined) return asker;
  return {
    ...asker,
    // Hooks of the user come first. Loaded on use, like the reviewer.
    ask: async (question, signal, item) => {
      const { answerByHooks } = await import('../hooks/question-hooks.ts');
      return (
        (await answerByHooks(turn, question, { signal, ...defined({ byUser: decided.byUser }) })) ??
        asker.ask(question, signal, item)
      );
    },
  };
}

function lastAsker(turn: Turn, step: Step): Asker | undefined {
  if (!isReviewed(turn.envelope.policy)) return turn.parts.askUser;
  return {
    to: 'review',
    // Loaded on use: few threads have a reviewer, and those that do seldom ask.
    ask: async (question, signal, item) => {
      const { reviewCall } = await import('./review-call.ts');
      return reviewCall({ turn, step, ...defined({ item }) }, question, signal);
    },
  };
}
