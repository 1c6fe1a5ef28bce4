import type { ThreadLog } from './log.ts';
import { drainInbox } from './drain-inbox.ts';
import { dropTooLong } from './drop-too-long.ts';
import { enterStep } from './enter-step.ts';
import { leavesTooLittle } from './make-room.ts';
import { beginTurn, prepareTurn } from './open-turn.ts';
import { afterRefusal } from './overflow.ts';
import type { ThreadParts, TurnInput } from './parts.ts';
import { sample } from './sample.ts';
import { promptProblem } from './prompt-size.ts';
import { makeReadable, wayToRead } from './way-to-read.ts';
import { refuse, settle, type TurnResult } from './settle.ts';

/**
 * One turn: tell the model what changed and what the user said, then ask and do what it answers until it is done and
 * nothing more has arrived. Every way out leads through `settle`. Rejects only with a Fault.
 */
export async function runTurn(parts: ThreadParts, log: ThreadLog, asked: TurnInput): Promise<TurnResult> {
  const turn = await prepareTurn(parts, log, asked);
  const tooLong = asked.words === undefined ? undefined : await promptProblem(turn, asked.words.input);
  if (tooLong !== undefined) return refuse(turn, asked.words, tooLong);
  await dropTooLong(turn);
  const way = await wayToRead(turn);
  if (way?.kind === 'refused') return refuse(turn, asked.words, way.outcome);
  await beginTurn(turn, asked);
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
      if (answer.kind === 'done' && leavesTooLittle(turn, step)) asked.onFull();
      return settle(turn, answer, lastMessage);
    }
    step = await enterStep(turn, step.index + 1);
    drainInbox(turn);
  }
}
