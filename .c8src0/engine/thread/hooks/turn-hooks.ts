import { hookPromptFragment } from '../../../core/fragments/events/hooks-skills-and-plugins.ts';
import { messageDroppedLine } from '../../../core/state/fold/waiting-messages.ts';
import { type Hooks, type HookVerdict, noVerdict } from '../../../ports/hooks.ts';
import type { ThreadId } from '../../../protocol/ids.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { InboxMessage } from '../inbox.ts';
import { recordEvents } from '../record/record-context.ts';
import { drainInbox, recordInboxMessage } from '../record/record-items.ts';
import { readNamedSkills } from '../record/record-skills.ts';
import type { Turn } from '../thread-parts.ts';
import { type HookRequest, keepHookTexts, recordLateHooks, recordHookTexts, runHooks } from './run-hooks.ts';

/** Runs the hooks for the end of a session that was started. They have seconds, and their output is not read. */
export async function runSessionEndHooks(
  hooks: Hooks,
  { id, cwd, transcript }: { readonly id: ThreadId; readonly cwd: string; readonly transcript: string | null },
): Promise<void> {
  const subjects = ['other'];
  if (!hooks.takeEnd(id) || !hooks.wants('SessionEnd', subjects)) return;
  const input = { session_id: id, transcript_path: transcript, cwd, hook_event_name: 'SessionEnd', reason: 'other' };
  const { signal } = new AbortController();
  await hooks.run({ event: 'SessionEnd', subjects, input, cwd }, { signal, mostTokens: 0 });
}

/** A hook that never lets a turn end would cause endless costs. */
const mostTimes = 100;

/** `go-on`: a hook says what is left to do. `end`: a hook ends the turn, even one with a goal. */
export async function runStopHooks(turn: Turn, lastMessage: string | undefined): Promise<'go-on' | 'end' | 'may-end'> {
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
  const texts = prompts.map(({ runId, text: prompt }) => ({ runId, prompt }));
  recordEvents(turn, hookPromptFragment, texts);
  return 'go-on';
}

/** Agents have an event of their own. */
function stopOf({ parts: { agent, isEphemeral }, log }: Turn, about: JsonObject): HookRequest {
  if (agent === undefined) return { event: 'Stop', about };
  const path = isEphemeral === true ? null : log.location;
  return { event: 'SubagentStop', subjects: [agent.role], about: { ...about, agent_transcript_path: path } };
}

const endless: Outcome<'hook-endless'> = {
  code: 'hook-endless',
  message: `Hooks kept the turn from ending ${mostTimes} times, so Capstan ended it.`,
  next: 'Let the hook look at stop_hook_active, and allow the end when it is true.',
};

/** Puts what arrived into history after hooks have checked the user's words. Ends the turn if they reject all words. */
export async function admitInbox(turn: Turn): Promise<void> {
  const { inbox, parts, signal } = turn;
  recordLateHooks(turn);
  if (parts.hooks?.wants('UserPromptSubmit') !== true) return drainInbox(turn);
  let [isBlocked, isHeard] = [false, false];
  for (;;) {
    // Every message needs a line before hooks look at it: its id names the message, and no crash can lose it.
    if (inbox.keep()) await turn.log.durable();
    const [next] = inbox.waiting;
    if (next === undefined || signal.aborted) break;
    const verdict = await look(turn, next);
    if (signal.aborted && verdict.stopped === undefined && verdict.blocked === undefined) break;
    const reason = verdict.blocked ?? verdict.stopped;
    await readNamedSkills(turn);
    if (!inbox.waiting.some(({ id }) => id === next.id)) continue;
    if (reason === undefined) recordInboxMessage(turn, next);
    else drop(turn, next, reason);
    isHeard ||= next.kind === 'words' && reason === undefined;
    isBlocked ||= reason !== undefined;
    keepHookTexts(turn, verdict);
    recordHookTexts(turn);
  }
  if (isBlocked && !isHeard) turn.memory.endedBy = 'hook';
}

async function look(turn: Turn, mail: InboxMessage): Promise<HookVerdict> {
  if (mail.kind !== 'words' || mail.input.author !== 'user') return noVerdict;
  return runHooks(turn, { event: 'UserPromptSubmit', about: { prompt: mail.input.text } });
}

/** The message was never said: neither the model nor a later turn sees it. */
function drop({ log }: Turn, mail: InboxMessage, reason: string): void {
  const code = 'blocked-by-hook';
  const message = `A hook blocked the message: ${reason === '' ? 'it gave no reason.' : reason}`;
  if (mail.id !== undefined) log.record(messageDroppedLine(mail.id, code));
  const next = 'The model did not get it. Change the message, or the hook.';
  log.tell({ kind: 'warning', outcome: { code, message, next } });
}

/** Runs the hooks for the start of a session: in this process's first turn, and after history was compacted. */
export async function runSessionStartHooks(turn: Turn): Promise<void> {
  const { parts, log, threadId } = turn;
  const { turns, checkpoints } = log.state;
  const source = parts.hooks?.takeStart({ threadId, turns, checkpoints: checkpoints.count });
  if (source === undefined) return;
  if (parts.agent !== undefined) {
    // Hooks cannot stop an agent from working.
    if (source !== 'compact') await runHooks(turn, { event: 'SubagentStart', subjects: [parts.agent.role], about: {} });
    return;
  }
  const { stopped } = await runHooks(turn, { event: 'SessionStart', subjects: [source], about: { source } });
  if (stopped !== undefined) turn.memory.endedBy = 'hook';
}
