import type { Step } from '../../envelope/step.ts';
import { lineType } from '../../protocol/line.ts';
import { compactWhenFull } from '../checkpoint/compact-when-full.ts';
import type { Turn } from '../parts/parts.ts';
import { tellStopped } from './begin-sessions.ts';
import { recordTelling } from '../record/record-context.ts';
import { recordSettings } from '../record/record-settings.ts';
import { lookAround, asStateSays, tellingFor, withToolsNow } from '../contract/step-now.ts';

/** Looks at what may have moved, tells the model what it does not know yet, and records that it was told. */
export async function enterStep(turn: Turn, index: number): Promise<Step> {
  tellStopped(turn);
  const looked = await lookAround(turn, index);
  const { log } = turn;
  const planned = tellingFor(log.state, looked);
  const { history } = log.state;
  await compactWhenFull(turn, looked, planned);
  if (turn.parts.hooks !== undefined) await (await import('../hooks/turn-hooks.ts')).startSession(turn);
  const isRewritten = log.state.history !== history;
  // A checkpoint may have given the model its instructions and other tools, and a refusal may have named its window.
  const step = asStateSays(turn, isRewritten ? withToolsNow(turn, looked) : looked);
  const { baseline } = log.state;
  const isPlanned = !isRewritten && step.window.effective === looked.window.effective;
  const telling = isPlanned ? planned : tellingFor(log.state, step);
  recordTelling(turn, telling, baseline);
  if (telling.record !== undefined) log.record({ type: lineType.worldState, payload: { ...telling.record } });
  // After the context that it explains.
  if (index === 0) recordSettings(turn);
  return step;
}
