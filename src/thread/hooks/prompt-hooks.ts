import { messageDropped } from '../../state/waiting.ts';
import { type HookVerdict, noVerdict } from '../../ports/hooks.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { Mail } from '../parts/inbox.ts';
import type { Turn } from '../parts/parts.ts';
import { drainInbox, recordMail } from '../record/record.ts';
import { readNamedSkills } from '../record/named-skills.ts';
import { hearLateHooks, keepTexts, recordTexts, runHooks } from './run-hooks.ts';

/**
 * What arrived meanwhile enters history, in the order in which it came, words of the user after hooks have looked at
 * them. The turn ends where they let none of the user's words in. What they have not looked at waits for the next turn.
 */
export async function hearInbox(turn: Turn): Promise<void> {
  const { inbox, parts, signal } = turn;
  hearLateHooks(turn);
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
    keepTexts(turn, verdict);
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
