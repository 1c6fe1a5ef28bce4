import { groupDigits, type Outcome } from '../../../protocol/outcome.ts';
import { leastCheckpointTokens } from '../../../core/compaction/plan/when-to-compact.ts';
import { userMessageItem } from '../../../core/fragments/message-items.ts';
import { itemTokens } from '../../../core/history/token-counts.ts';
import type { UserInput } from '../../../protocol/user-input.ts';
import { fullContextTokens, fixedRequestTokens } from '../context/token-estimates.ts';
import { contextWindowNow } from '../context/turn-contract.ts';
import { gatherNextStep } from '../context/current-step.ts';
import type { Turn } from '../thread-parts.ts';
import { toOneLine } from '../../../core/state/turns/turn-words.ts';
import { messageDroppedLine } from '../../../core/state/fold/waiting-messages.ts';

export const promptTokens = (input: UserInput): number => itemTokens(userMessageItem('', input));

/** The reason why a prompt cannot be sent: it does not fit the window even if all of history were compacted. */
export async function promptSizeProblem(turn: Turn, input: UserInput): Promise<Outcome<'prompt-too-long'> | undefined> {
  const { envelope, log } = turn;
  const { effective } = contextWindowNow(turn);
  const prompt = promptTokens(input);
  // Most prompts are far smaller and need no closer look.
  if (prompt <= effective / 2) return undefined;
  const step = await gatherNextStep(turn, 0);
  const checkpoint = log.state.history.length === 0 ? 0 : leastCheckpointTokens;
  const others = fixedRequestTokens(turn, step) + fullContextTokens(step) + checkpoint;
  // A window that is too small without any prompt is a configuration error: the provider knows the real one.
  if (others >= effective || prompt + others <= effective) return undefined;
  return promptTooLong(prompt, others, { effective, model: envelope.identity.model.slug });
}

export function promptTooLong(
  prompt: number,
  others: number,
  { effective, model }: { readonly effective: number; readonly model: string },
): Outcome<'prompt-too-long'> {
  const message = `The prompt is too long: it has about ${groupDigits(prompt)} tokens, and the window of ${model} has space for ${groupDigits(Math.max(0, effective - others))} (${groupDigits(effective)} minus instructions, tools and context). Nothing was sent, and the thread is unchanged.`;
  const next =
    'Shorten the prompt, or save the text in a file and name the file in the prompt. If the window of the model is larger than that, set model_context_window; otherwise choose a model with a larger window.';
  return { code: 'prompt-too-long', message, next };
}

/** Drops waiting words that are too long for any request: they would end every later turn. */
export async function dropTooLongMessages(turn: Turn): Promise<void> {
  for (const mail of turn.inbox.waiting) {
    if (mail.kind !== 'words' || mail.id === undefined) continue;
    const problem = await promptSizeProblem(turn, mail.input);
    if (problem === undefined) continue;
    turn.log.record(messageDroppedLine(mail.id, problem.code));
    const message = `A waiting message is too long for the window of the model, so Capstan left it out: “${toOneLine(mail.input.text, 60)}”.`;
    turn.log.tell({ kind: 'warning', outcome: { code: 'waiting-message-dropped', message, next: problem.next } });
  }
}
