import { defineFragment } from '../text/define.ts';

/** Why a turn ended before the model was done. */
export type AbortCause = 'interrupted' | 'process-died' | 'forked' | 'rolled-back';

/** The same as the model reads it. `-idle`: no call was under way, so nothing is half done. */
export type AbortedTurn = AbortCause | `${'interrupted' | 'process-died' | StoppedOtherwise}-idle` | StoppedOtherwise;

type StoppedOtherwise = 'client-left' | 'closed' | 'parent-stopped' | 'narrowed';

const interrupted = 'The user stopped the turn on purpose.';
const left = 'The program that asked for the turn cancelled it or disconnected, perhaps because it took too long.';
const closed = 'The program that ran the turn was closed, or gave the conversation up.';
const parentStopped = 'The agent that started you stopped the turn.';
const narrowed = 'The turn was stopped because your permissions became narrower.';
const ended = 'A call that was running has been ended and may have done part of its work: look before you repeat it.';
const died = 'The program that ran the turn ended.';

const sentence: Readonly<Record<AbortedTurn, string>> = {
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

/** The same where the user saw the beginning of an answer that did not come to its end. */
export type AbortedShown = `${AbortedTurn}+seen`;

const seen =
  'The user saw the beginning of an answer that you had not finished. It is not in your history: if the user speaks of it, ask or write it again.';

function textOf(cause: AbortedTurn | AbortedShown): string {
  const [bare, ...shown] = cause.split('+') as [AbortedTurn, ...string[]];
  return shown.length === 0 ? sentence[bare] : `${sentence[bare]} ${seen}`;
}

export const turnAbortedFragment = defineFragment<AbortedTurn | AbortedShown>({
  id: 'turn-aborted',
  purpose: 'A turn ended early, why, and whether the user saw the beginning of an answer.',
  role: 'user',
  alsoRole: 'developer',
  markers: ['<turn_aborted>', '</turn_aborted>'],
  capTokens: 200,
  separate: true,
  body: (cause) => `\n${textOf(cause)}\n`,
});
