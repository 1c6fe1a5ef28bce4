import { hookPromptFragment } from '../../../core/fragments/events/hooks-skills-and-plugins.ts';
import { messageDropped } from '../../../core/state/fold/waiting-messages.ts';
import { type Hooks, type HookVerdict, noVerdict } from '../../../ports/hooks.ts';
import type { ThreadId } from '../../../protocol/ids.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { Mail } from '../inbox.ts';
import { recordEvents } from '../record/record-context.ts';
import { drainInbox, recordMail } from '../record/record-items.ts';
import { readNamedSkills } from '../record/record-skills.ts';
import type { Turn } from '../thread-parts.ts';
import { type AskedHooks, keepHookTexts, recordLateHooks, recordTexts, runHooks } from './run-hooks.ts';

/** Hooks of the end of a session, if one started that has not ended. They have seconds, and what they print is not read. */
export async function endSession(
  hooks: Hooks,
  { id, cwd, transcript }: { readonly id: ThreadId; readonly cwd: string; readonly transcript: string | null },
): Promise<void> {
  const subjects = ['other'];
  if (!hooks.takeEnd(id) || !hooks.wants('SessionEnd', subjects)) return;
  const names = { session_id: id, transcript_path: transcript, cwd, hook_event_name: 'SessionEnd' };
  const { signal } = new AbortController();
  await hooks.run(
    { event: 'SessionEnd', subjects, input: { ...names, reason: 'other' }, cwd },
    { signal, mostTokens: 0 },
  );
}

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

/**
 * What arrived meanwhile enters history, in the order in which it came, words of the user after hooks have looked at
 * them. The turn ends where they let none of the user's words in. What they have not looked at waits for the next turn.
 */
export async function hearInbox(turn: Turn): Promise<void> {
  const { inbox, parts, signal } = turn;
  recordLateHooks(turn);
  if (parts.hooks?.wants('UserPromptSubmit') !== true) {
    drainInbox(turn);
    return;
  }
  let [isBlocked, isHeard] = [false, false];
  for (;;) {
    // Each has a line by which it can be named, and is safe while hooks look at it.
    if (inbox.keep()) await turn.log.durable();
    const [next] = inbox.waiting;
    if (next === undefined || signal.aborted) break;
    const verdict = await look(turn, next);
    if (signal.aborted && verdict.stopped === undefined && verdict.blocked === undefined) break;
    const reason = verdict.blocked ?? verdict.stopped;
    await readNamedSkills(turn);
    // Withdrawn while the hooks looked at it.
    if (!inbox.waiting.some(({ id }) => id === next.id)) continue;
    if (reason === undefined) recordMail(turn, next);
    else drop(turn, next, reason);
    if (next.kind === 'words' && reason === undefined) isHeard = true;
    if (reason !== undefined) isBlocked = true;
    keepHookTexts(turn, verdict);
    recordTexts(turn);
  }
  if (isBlocked && !isHeard) turn.memory.endedBy = 'hook';
}

async function look(turn: Turn, mail: Mail): Promise<HookVerdict> {
  if (mail.kind !== 'words' || mail.input.author !== 'user') return noVerdict;
  return runHooks(turn, { event: 'UserPromptSubmit', about: { prompt: mail.input.text } });
}

/** The message was never said: neither the model nor a later turn sees it. */
function drop({ log }: Turn, mail: Mail, reason: string): void {
  const outcome = blockedPrompt(reason);
  if (mail.id !== undefined) log.record(messageDropped(mail.id, outcome.code));
  log.tell({ kind: 'warning', outcome });
}

function blockedPrompt(reason: string): Outcome<'blocked-by-hook'> {
  const message = `A hook blocked the message: ${reason === '' ? 'it gave no reason.' : reason}`;
  return { code: 'blocked-by-hook', message, next: 'The model did not get it. Change the message, or the hook.' };
}

/**
 * Hooks of the start of a session, where they are due: in the first turn that this process runs, and after history was
 * compacted. What they say is sent by a section of the world.
 */
export async function startSession(turn: Turn): Promise<void> {
  const { parts, log, threadId } = turn;
  const { turns, checkpoints } = log.state;
  const source = parts.hooks?.takeStart({ threadId, turns, checkpoints: checkpoints.count });
  if (source === undefined) return;
  if (parts.agent !== undefined) {
    // Hooks cannot keep an agent from its work.
    if (source !== 'compact') await runHooks(turn, { event: 'SubagentStart', subjects: [parts.agent.role], about: {} });
    return;
  }
  const { stopped } = await runHooks(turn, { event: 'SessionStart', subjects: [source], about: { source } });
  if (stopped !== undefined) turn.memory.endedBy = 'hook';
}
