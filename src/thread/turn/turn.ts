import { drainInbox } from './drain-inbox.ts';
import { dropTooLong } from './drop-too-long.ts';
import { enterStep } from './enter-step.ts';
import { leavesTooLittle } from '../checkpoint/compact-when-full.ts';
import { beginTurn } from './open-turn.ts';
import { afterRefusal } from './overflow.ts';
import type { Turn } from '../parts/parts.ts';
import { sample } from './sample.ts';
import { promptProblem } from './prompt-size.ts';
import { makeReadable, wayToRead } from '../checkpoint/way-to-read.ts';
import { refuseTurn, settle, type TurnResult } from './settle.ts';

/**
 * One turn: tell the model what changed and what the user said, then ask and do what it answers until it is done and
 * nothing more has arrived. Every way out leads through `settle`. Rejects only with a Fault.
 */
export async function runTurn(turn: Turn): Promise<TurnResult> {
  const tooLong = turn.words === undefined ? undefined : await promptProblem(turn, turn.words.input);
  if (tooLong !== undefined) return refuseTurn(turn, tooLong);
  await dropTooLong(turn);
  const way = await wayToRead(turn);
  if (way?.kind === 'refused') return refuseTurn(turn, way.outcome);
  await beginTurn(turn);
  const unread = await makeReadable(turn, way);
  if (unread !== undefined) return settle(turn, unread, undefined);
  let step = await enterStep(turn, 0);
  drainInbox(turn);
  let lastMessage: string | undefined;

  for (;;) {
    const answer = await afterRefusal(turn, step, await sample(turn, step));
    lastMessage = answer.lastMessage ?? lastMessage;
    const goesOn = answer.kind === 'go-on' || (answer.kind === 'done' && turn.inbox.pending);
    if (!goesOn) {
      if (answer.kind === 'done' && leavesTooLittle(turn, step)) turn.memory.leaves = 'too-little';
      return settle(turn, answer, lastMessage);
    }
    step = await enterStep(turn, step.index + 1);
    drainInbox(turn);
  }
}
