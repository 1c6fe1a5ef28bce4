import type { Step } from '../envelope/step.ts';
import { lineType } from '../protocol/line.ts';
import { withoutSeal } from '../state/sealed-lines.ts';
import { settingsApplied, settingsStay, turnContext } from '../state/turn-drafts.ts';
import { equalJson } from '../world/merge-patch.ts';
import { makeRoom } from './make-room.ts';
import type { Turn } from './parts.ts';
import { recordTelling } from './record-context.ts';
import { stepNow, tellingFor } from './step-now.ts';

/** Looks at what may have moved, tells the model what it does not know yet, and records that it was told. */
export async function enterStep(turn: Turn, index: number): Promise<Step> {
  const looked = await lookAround(turn, index);
  const { log } = turn;
  const planned = tellingFor(log.state, looked);
  const { history } = log.state;
  await makeRoom(turn, looked, planned);
  turn.renew();
  const step = { ...looked, envelope: turn.envelope };
  const { baseline } = log.state;
  const telling = log.state.history === history ? planned : tellingFor(log.state, step);
  recordTelling(turn, telling, baseline);
  if (telling.record !== undefined) log.record({ type: lineType.worldState, payload: { ...telling.record } });
  if (index === 0) recordSettings(turn);
  return step;
}

/** The step as the world is now. Nothing of it is told yet. */
export async function lookAround(turn: Turn, index: number): Promise<Step> {
  const { parts, log, envelope } = turn;
  const { step, problems } = await stepNow(parts, envelope, { pins: log.state.pins, index });
  for (const problem of problems) {
    const told = `${problem.code} ${problem.message}`;
    if (!turn.warned.has(told)) log.tell({ kind: 'warning', outcome: problem });
    turn.warned.add(told);
  }
  return step;
}

/**
 * The turn's contract, after the context that it explains; the thread's settings when they are news, or when the
 * contract is older than they are: other programs resume with whichever line came last.
 */
function recordSettings({ log, threadId, envelope, isOutdated }: Turn): void {
  const { envelope: before, settings } = log.state;
  if (settings !== undefined && isOutdated()) {
    log.record(turnContext(envelope, before, { outdated: true }), settingsStay(threadId, settings));
    return;
  }
  log.record(turnContext(envelope, before));
  const applied = settingsApplied(threadId, envelope);
  if (!equalJson(withoutSeal(settings), applied.payload['thread_settings'])) log.record(applied);
}
