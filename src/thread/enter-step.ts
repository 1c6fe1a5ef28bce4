import type { Step } from '../envelope/step.ts';
import { equalJson } from '../world/merge-patch.ts';
import { lineType } from '../protocol/line.ts';
import { settingsApplied, turnContext } from '../state/turn-drafts.ts';
import { sections } from '../world/sections.ts';
import { tell } from '../world/tell.ts';
import type { Turn } from './parts.ts';
import { recordContext } from './record.ts';

/** Looks at what may have moved, tells the model what it does not know yet, and records that it was told. */
export async function enterStep(turn: Turn, index: number): Promise<Step> {
  const { parts, log, envelope } = turn;
  const facts = await parts.gatherStep(envelope);
  const step: Step = { envelope, index, facts, tools: parts.router.specs(envelope.capabilities.tools) };
  const { fragments, record } = tell(sections, step, log.state.baseline);
  recordContext(turn, fragments);
  if (record !== undefined) log.record({ type: lineType.worldState, payload: { ...record } });
  if (index === 0) recordSettings(turn);
  return step;
}

/** The turn's contract, after the context that it explains; the thread's settings only when they are news. */
function recordSettings({ log, threadId, envelope }: Turn): void {
  log.record(turnContext(envelope));
  const applied = settingsApplied(threadId, envelope);
  if (!equalJson(log.state.settings, applied.payload['thread_settings'])) log.record(applied);
}
