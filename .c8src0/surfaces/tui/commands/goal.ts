import { isGateOpen } from '../../../core/config/features.ts';
import { type Goal, isGoalResting } from '../../../protocol/thread.ts';
import { goalTokensWords, goalStatusWords } from '../../views/wording/turn-lines.ts';
import { cardCell } from '../transcript/cells/card-cell.ts';
import { elapsedWords } from '../screen/text/format-values.ts';
import type { TuiSession } from '../session/session.ts';
import { putInComposer, showInTranscript } from './command-session.ts';

const noGoal = 'This conversation has no goal. /goal WORDS sets one.';

/** `/goal` shows the goal; with words, a user message changes it, so that a rollback takes the change back. */
export async function runGoalCommand(session: TuiSession, rest: string): Promise<void> {
  if (!isGateOpen('goals', session.thread.settings.features))
    return session.notice(
      'Goals are off. Switch them on with `capstan features enable goals`, then start Capstan again.',
    );
  const { id, place } = session.thread;
  const known = place === undefined ? undefined : await session.parts.engine.stored.goal(id);
  const current = known?.status === 'complete' ? undefined : known;
  if (rest === '') return show(session, known);
  if (!/^(?:clear|edit|pause|resume)$/.test(rest)) {
    const present = 'Mark the present goal as complete, I replace it. Then set this goal';
    const set = current === undefined ? 'Set a goal for this conversation' : present;
    return session.sendWords(`${set}, and work towards it until it is reached: ${rest}`);
  }
  if (current === undefined) return session.notice(noGoal);
  if (rest === 'edit') return putInComposer(session, '/goal edit', `/goal ${current.objective}`);
  if (rest === 'clear')
    return session.sendWords(
      'I drop the goal, reached or not: close it by marking it as complete, and do nothing more for it.',
    );
  if (rest === 'resume') {
    if (isGoalResting(current.status)) return session.sendWords('Resume the goal.');
    return session.notice('The goal is active. It continues with the next turn.');
  }
  // Interrupting a turn pauses its goal.
  if (session.isBusy) return session.interrupt('give-back');
  if (isGoalResting(current.status)) return session.notice(`Nothing to do: ${goalStatusWords(current.status)}.`);
  session.sendWords('Pause the goal.');
}

function show(session: TuiSession, known: Goal | undefined): void {
  if (known === undefined) return session.notice(noGoal);
  const cell = cardCell({
    title: 'Goal',
    rows: [
      { name: 'Objective', value: known.objective },
      { name: 'Status', value: goalStatusWords(known.status) },
      { name: 'Cost', value: goalTokensWords(known) },
      { name: 'Time', value: elapsedWords(known.timeUsedSeconds * 1000) },
    ],
    notes: ['/goal pause, /goal resume, /goal edit and /goal clear change it; /goal WORDS sets another one.'],
  });
  showInTranscript(session, cell);
}
