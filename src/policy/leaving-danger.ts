import type { CallNeeds } from './approval.ts';
import type { DecisionContext } from './call-decision.ts';
import { gitDanger } from './git-danger.ts';

/**
 * What a yes to leaving the sandbox would also let happen, for the question. Rules and answers for the session say
 * nothing about it: such a call leaves only by a question of its own. Undefined: nothing is known.
 */
export function leavingDanger(
  context: Pick<DecisionContext, 'ground' | 'analysis'>,
  needs: Pick<CallNeeds, 'typed'>,
): string | undefined {
  const found = [typingWords(needs), gitDanger(context), evaluationWords(context)].filter(
    (words) => words !== undefined,
  );
  return found.length === 0 ? undefined : found.join(' ');
}

/** Names the command. Undefined: no command of the shell evaluates its words. */
export function evaluationWords({ analysis }: Pick<DecisionContext, 'analysis'>): string | undefined {
  const name = analysis?.evaluating;
  return name && `The shell may run what stands in the words of \`${name}\`, or in the file that they name.`;
}

/** For every question about such a call. Undefined: its input is closed. */
export function typingWords({ typed }: Pick<CallNeeds, 'typed'>): string | undefined {
  return typed === true ? 'The model will be able to type into it while it runs.' : undefined;
}
