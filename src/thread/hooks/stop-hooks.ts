import { hookPromptFragment } from '../../fragments/events/hook-words.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { Turn } from '../parts/parts.ts';
import { recordEvents } from '../record/record-context.ts';
import { type AskedHooks, runHooks } from './run-hooks.ts';

/** A hook that never lets a turn end would cost without end. */
const mostTimes = 100;

/**
 * The model is done. `go-on`: a hook says what is left to do. `end`: a hook ends the turn, also one with a goal.
 * `may-end`: hooks leave it to the turn.
 */
export async function hearStop(turn: Turn, lastMessage: string | undefined): Promise<'go-on' | 'end' | 'may-end'> {
  const { memory, log } = turn;
  if (turn.parts.hooks === undefined || turn.signal.aborted) return 'may-end';
  const about = { stop_hook_active: memory.keptGoing > 0, last_assistant_message: lastMessage ?? null };
  const { prompts, stopped } = await runHooks(turn, stopOf(turn, about));
  if (stopped !== undefined) return 'end';
  if (prompts.length === 0 || turn.signal.aborted) return 'may-end';
  if (memory.keptGoing >= mostTimes) {
    log.tell({ kind: 'warning', outcome: endless });
    return 'end';
  }
  memory.keptGoing++;
  recordEvents(
    turn,
    hookPromptFragment,
    prompts.map(({ runId, text }) => ({ runId, prompt: text })),
  );
  return 'go-on';
}

/** Agents have an event of their own. */
function stopOf({ parts: { agent, isEphemeral }, log }: Turn, about: JsonObject): AskedHooks {
  if (agent === undefined) return { event: 'Stop', about };
  const path = isEphemeral === true ? null : log.location;
  return { event: 'SubagentStop', subjects: [agent.role], about: { ...about, agent_transcript_path: path } };
}

const endless: Outcome<'hook-endless'> = {
  code: 'hook-endless',
  message: `Hooks kept the turn from ending ${mostTimes} times, so Capstan ended it.`,
  next: 'Let the hook look at stop_hook_active, and allow the end when it is true.',
};
