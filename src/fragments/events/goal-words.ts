import { defineFragment } from '../text/define.ts';
import { quote } from '../text/markup.ts';

/** `goes-on`: the goal is not reached yet. `budget`: there are no tokens left for it. */
export type GoalWords = {
  readonly about: 'goes-on' | 'budget';
  readonly objective: string;
  readonly used: number;
  readonly budget?: number;
};

/** The name of the markers is that of Codex, which keeps them out of what users see. */
export const goalFragment = defineFragment<GoalWords>({
  id: 'internal-context',
  purpose: 'The thread has a goal and continues by itself, or has spent its budget.',
  role: 'user',
  markers: ['<codex_internal_context source="goal">', '</codex_internal_context>'],
  capTokens: 5000,
  separate: true,
  body: (words) => `\n${words.about === 'budget' ? spent(words) : goesOn(words)}\n`,
});

function goesOn({ objective, used, budget }: GoalWords): string {
  const left = budget === undefined ? '' : ` ${Math.max(0, budget - used)} of ${budget} tokens are left for it.`;
  return [
    `The goal of this thread is still active: ${quote(objective)}${left}`,
    'The user did not write this message. Choose the next step towards the goal and do it. If the goal seems reached, check each part of it against files, tests or output first, then call update_goal with "complete". If you cannot continue without the user, call update_goal with "blocked" and say what is missing.',
  ].join('\n');
}

function spent({ objective, used, budget }: GoalWords): string {
  return [
    `The goal of this thread has used ${used} of ${budget ?? used} tokens, so it ends here: ${quote(objective)}`,
    'The user did not write this message. Begin nothing new. Leave files in order, and say what is done and what is left.',
  ].join('\n');
}
