import { defineFragment } from '../text/define.ts';
import { quote } from '../text/markup.ts';

/** Why a goal that is not reached continues no more. */
export type GoalRests = 'interrupted' | 'failed' | 'usage-limit' | 'stalled';

/** `goes-on`: the goal is not reached yet. `budget`: there are no tokens left for it. Otherwise it rests. */
export type GoalWords = {
  readonly about: 'goes-on' | 'budget' | GoalRests;
  readonly objective: string;
  readonly used: number;
  readonly budget?: number;
};

/** The name of the markers is that of Codex, which keeps them out of what users see. */
export const goalFragment = defineFragment<GoalWords>({
  id: 'internal-context',
  purpose: 'The thread has a goal and continues by itself, has spent its budget, or rests.',
  role: 'user',
  markers: ['<codex_internal_context source="goal">', '</codex_internal_context>'],
  capTokens: 5000,
  separate: true,
  body: (words) => `\n${body(words)}\n`,
});

function body(words: GoalWords): string {
  if (words.about === 'goes-on') return goesOn(words);
  return words.about === 'budget' ? spent(words) : rests(words.objective, words.about);
}

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

const whyItRests: Readonly<Record<GoalRests, string>> = {
  interrupted: 'the user interrupted the turn',
  failed: 'the turn failed',
  'usage-limit': "the provider's limit of use was reached",
  stalled: 'several answers in a row brought nothing new',
};

function rests(objective: string, why: GoalRests): string {
  return [
    `The goal of this thread rests, because ${whyItRests[why]}: ${quote(objective)}`,
    'The user did not write this message. The thread does not continue by itself now. When the user asks to continue the work or to resume the goal, call update_goal with "active" first. Until then do only what the user asks.',
  ].join('\n');
}
