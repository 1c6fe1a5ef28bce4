import { drainInbox } from '../record/record.ts';
import { readNamedSkills } from '../record/named-skills.ts';
import { dropTooLong, promptProblem } from './prompt-size.ts';
import { enterStep } from './enter-step.ts';
import { leavesTooLittle } from '../checkpoint/compact-when-full.ts';
import { beginTurn } from './open-turn.ts';
import { afterRefusal } from './overflow.ts';
import { internalError, refuseTurn, settle, type TurnResult } from './settle.ts';
import type { Turn, TurnEnding } from '../parts/parts.ts';
import { costProblem } from '../request/limit-reached.ts';
import { nextRound } from './next-round.ts';
import { sample } from './sample.ts';
import { finishSuspended } from './finish-suspended.ts';
import { makeReadable, wayToRead } from '../checkpoint/way-to-read.ts';

/**
 * One turn: tell the model what changed and what the user said, then ask and do what it answers until it is done and
 * nothing more has arrived. Every way out leads through `settle`, once. Rejects only with a Fault.
 */
export async function runTurn(turn: Turn): Promise<TurnResult> {
  const tooLong = turn.words === undefined ? undefined : await promptProblem(turn, turn.words.input);
  if (tooLong !== undefined) return refuseTurn(turn, tooLong);
  const unpriced = await costProblem(turn);
  if (unpriced !== undefined) return refuseTurn(turn, unpriced);
  await dropTooLong(turn);
  const way = await wayToRead(turn);
  if (way?.kind === 'refused') return refuseTurn(turn, way.outcome);
  if (turn.words?.isWithdrawn === true) return { kind: 'aborted', isWithdrawn: true };
  await beginTurn(turn);
  let lastMessage: string | undefined;

  const work = async (): Promise<TurnEnding> => {
    const held = await finishSuspended(turn);
    if (held !== undefined) return held;
    const unread = await makeReadable(turn, way);
    if (unread !== undefined) return unread;
    // Loaded on use: few threads have hooks.
    const hooks = turn.parts.hooks && (await import('../hooks/turn-hooks.ts'));
    for (let index = 0; ; index++) {
      await hooks?.startSession(turn);
      const step = await enterStep(turn, index);
      await readNamedSkills(turn);
      if (hooks === undefined) drainInbox(turn);
      else await hooks.hearInbox(turn);
      if (turn.memory.endedBy === 'hook') return { kind: 'done' };
      const answer = await afterRefusal(turn, step, await sample(turn, step));
      lastMessage = answer.lastMessage ?? lastMessage;
      if (answer.kind === 'go-on') await nextRound(turn, 'go-on');
      if (answer.kind === 'go-on' || (answer.kind === 'done' && turn.inbox.pending)) continue;
      const heard = answer.kind === 'done' ? await hooks?.hearStop(turn, lastMessage) : undefined;
      if (heard === 'go-on') continue;
      if (answer.kind === 'done' && heard !== 'end' && (await nextRound(turn, 'done'))) continue;
      if (answer.kind === 'done' && leavesTooLittle(turn, step)) turn.memory.leaves = 'too-little';
      return answer;
    }
  };
  const ending = await work().catch((error: unknown) => ({ kind: 'failed', failure: internalError(error) }) as const);
  return settle(turn, ending, lastMessage);
}
