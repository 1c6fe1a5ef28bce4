import { leastCheckpoint } from '../../compaction/plan/loop-guard.ts';
import { userMessage } from '../../fragments/message.ts';
import { requestTokens } from '../../history/ledger.ts';
import { itemTokens } from '../../history/size.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { UserInput } from '../../protocol/user-input.ts';
import { bundleTokens } from '../contract/bundle-tokens.ts';
import { instructionsNow, windowNow } from '../contract/contract-now.ts';
import { lookAround } from '../contract/look-around.ts';
import type { Turn } from '../parts/parts.ts';

export function promptTokens(input: UserInput): number {
  return itemTokens(userMessage('', input));
}

/**
 * Why a prompt cannot be sent: with what every request holds it is more than the window, even if all of history were
 * compacted. Undefined when it can be.
 */
export async function promptProblem(turn: Turn, input: UserInput): Promise<Outcome<'prompt-too-long'> | undefined> {
  const { envelope, log } = turn;
  const { effective } = windowNow(turn);
  const prompt = promptTokens(input);
  // Nearly all prompts are far from it, and need no closer look.
  if (prompt <= effective / 2) return undefined;
  const step = await lookAround(turn, 0);
  const fixed = requestTokens({ instructions: instructionsNow(turn).text, tools: step.tools, input: [] });
  const others = fixed + bundleTokens(step) + (log.state.history.length === 0 ? 0 : leastCheckpoint);
  // A window that is too small without any prompt is a slip in the configuration: the provider knows the real one.
  if (others >= effective || prompt + others <= effective) return undefined;
  return tooLong({ prompt, others, effective, model: envelope.identity.model.slug });
}

interface Sizes {
  readonly prompt: number;
  readonly others: number;
  readonly effective: number;
  readonly model: string;
}

export function tooLong({ prompt, others, effective, model }: Sizes): Outcome<'prompt-too-long'> {
  return {
    code: 'prompt-too-long',
    message: `The prompt is too long: it holds about ${prompt} tokens, and the effective window of ${model} has room for ${Math.max(0, effective - others)} (${effective} less instructions, tools and context). Nothing was sent, and the thread is as it was.`,
    next: 'Shorten the prompt, or put the text into a file and name the file in the prompt. If the window of the model is larger, set model_context_window; else choose a model with a larger one.',
  };
}
