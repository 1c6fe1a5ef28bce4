import { type ContinuationReason, type UserInput, writtenBy } from '../../../protocol/user-input.ts';
import { defineFragment } from '../text/define-fragment.ts';
import { quote } from '../text/escape-markup.ts';

export type AbortCause = 'interrupted' | 'process-died' | 'forked' | 'rolled-back';
/** The cause as the model reads it. `-idle`: no call was running, so nothing is half done. */
export type AbortedTurnKind =
  | AbortCause
  | `${'interrupted' | 'process-died' | StoppedOtherwise}-idle`
  | StoppedOtherwise;
type StoppedOtherwise = 'client-left' | 'closed' | 'parent-stopped' | 'narrowed';
const interrupted = 'The user stopped the turn on purpose.';
const left = 'The program that asked for the turn cancelled it or disconnected, perhaps because it took too long.';
const closed = 'The program that ran the turn was closed, or gave the conversation up.';
const parentStopped = 'The agent that started you stopped the turn.';
const narrowed = 'The turn was stopped because your permissions became narrower.';
const ended = 'A call that was running has been ended and may have done part of its work: look before you repeat it.';
const died = 'The program that ran the turn ended.';

const abortSentences: Readonly<Record<AbortedTurnKind, string>> = {
  interrupted: `${interrupted} ${ended}`,
  'interrupted-idle': `${interrupted} No call was running.`,
  'client-left': `${left} ${ended}`,
  'client-left-idle': `${left} No call was running.`,
  closed: `${closed} ${ended}`,
  'closed-idle': `${closed} No call was running.`,
  'parent-stopped': `${parentStopped} ${ended}`,
  'parent-stopped-idle': `${parentStopped} No call was running.`,
  narrowed: `${narrowed} ${ended}`,
  'narrowed-idle': `${narrowed} No call was running.`,
  'process-died': `${died} What was under way may have been done in part, wholly or not at all: look before you repeat it.`,
  'process-died-idle': `${died} No call was running.`,
  forked:
    'This conversation was branched off while the turn was running. The turn goes on in the conversation that it was branched from, not here. What was under way may be done there: look before you repeat it.',
  'rolled-back':
    'The user took back what came after this point of the turn. Files that were changed after it may still be as they were left: look before you repeat anything.',
};

/** For a turn in which the user saw the start of an unfinished answer. */
export type AbortedTurnSeenKind = `${AbortedTurnKind}+seen`;

const seen =
  'The user saw the beginning of an answer that you had not finished. It is not in your history: if the user speaks of it, ask or write it again.';

function textOf(cause: AbortedTurnKind | AbortedTurnSeenKind): string {
  const [bare, ...shown] = cause.split('+') as [AbortedTurnKind, ...string[]];
  return shown.length === 0 ? abortSentences[bare] : `${abortSentences[bare]} ${seen}`;
}

export const turnAbortedFragment = defineFragment<AbortedTurnKind | AbortedTurnSeenKind>({
  id: 'turn-aborted',
  purpose: 'A turn ended early, why, and whether the user saw the beginning of an answer.',
  role: 'user',
  alsoRole: 'developer',
  capTokens: 200,
  separate: true,
  body: (cause) => `\n${textOf(cause)}\n`,
});

export const continueForOtherModelText =
  'The model that worked on this so far cannot answer any more. Continue from where the conversation stands.';
export const continueAfterFailureText =
  'The last request to the model failed, and the user lets it try again. Continue from where the conversation stands.';

const continueSentences: Readonly<Record<ContinuationReason, string>> = {
  'after-failure': continueAfterFailureText,
  'other-model': continueForOtherModelText,
};

/** Begins a turn without words of the user. */
export const turnContinuedFragment = defineFragment<ContinuationReason>({
  id: 'turn-continued',
  purpose: 'A turn that failed goes on: the user lets it try again, or another model takes over.',
  role: 'user',
  capTokens: 200,
  separate: true,
  body: (why) => `\n${continueSentences[why]}\n`,
});

export const continuedTurnInput = (why: ContinuationReason): UserInput => ({
  ...writtenBy('program', continueSentences[why]),
  continues: why,
});

export type GoalPauseReason = 'interrupted' | 'failed' | 'usage-limit' | 'stalled';

/** `goes-on`: the goal is not reached yet. `budget`: it has no tokens left. Otherwise it is paused. */
export type GoalText = {
  readonly about: 'goes-on' | 'budget' | GoalPauseReason;
  readonly objective: string;
  readonly used: number;
  readonly budget?: number;
};

/** The markers have Codex's name: Codex hides them from users. */
export const goalFragment = defineFragment<GoalText>({
  id: 'internal-context',
  purpose: 'The thread has a goal and continues by itself, has spent its budget, or rests.',
  role: 'user',
  markers: ['<codex_internal_context source="goal">', '</codex_internal_context>'],
  capTokens: 5000,
  separate: true,
  body: (words) => `\n${body(words)}\n`,
});

function body(words: GoalText): string {
  if (words.about === 'goes-on') return goesOn(words);
  return words.about === 'budget' ? spent(words) : rests(words.objective, words.about);
}

function goesOn({ objective, used, budget }: GoalText): string {
  const left = budget === undefined ? '' : ` ${Math.max(0, budget - used)} of ${budget} tokens are left for it.`;
  return [
    `The goal of this thread is still active: ${quote(objective)}${left}`,
    'The user did not write this message. Choose the next step towards the goal and do it. If the goal seems reached, check each part of it against files, tests or output first, then call update_goal with "complete". If you cannot continue without the user, call update_goal with "blocked" and say what is missing.',
  ].join('\n');
}

const spent = ({ objective, used, budget }: GoalText): string =>
  [
    `The goal of this thread has used ${used} of ${budget ?? used} tokens, so it ends here: ${quote(objective)}`,
    'The user did not write this message. Begin nothing new. Leave files in order, and say what is done and what is left.',
  ].join('\n');

const whyItRests: Readonly<Record<GoalPauseReason, string>> = {
  interrupted: 'the user interrupted the turn',
  failed: 'the turn failed',
  'usage-limit': "the provider's limit of use was reached",
  stalled: 'several answers in a row brought nothing new',
};

const rests = (objective: string, why: GoalPauseReason): string =>
  [
    `The goal of this thread rests, because ${whyItRests[why]}: ${quote(objective)}`,
    'The user did not write this message. The thread does not continue by itself now. When the user asks to continue the work or to resume the goal, call update_goal with "active" first. Until then do only what the user asks.',
  ].join('\n');
