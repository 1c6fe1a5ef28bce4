import type { FrameLink, Prompt } from '../../ports/prompt.ts';
import type { Item } from '../../protocol/item.ts';
import { isSameButInput } from './encode.ts';
import { itemBytes } from './item-bytes.ts';

/** The last answer of a connection, which its server remembers together with the request. */
export interface RememberedExchange {
  readonly prompt: Prompt;
  readonly responseId: string;
  /** As the server gave them. */
  readonly output: readonly Item[];
}

/**
 * How a request continues from the last answer of its connection: it has the same options, and its input begins with
 * that of the request before and the items of the answer. Undefined in any doubt: then the whole request is sent.
 */
export function linkTo(answered: RememberedExchange | undefined, now: Prompt): FrameLink | undefined {
  if (answered === undefined || answered.responseId === '') return undefined;
  const { prompt, responseId, output } = answered;
  const known = [...prompt.input, ...output];
  if (now.input.length < known.length || !isSameButInput(prompt, now)) return undefined;
  if (!known.every((item, index) => isSameItem(item, now.input[index]!))) return undefined;
  return { previous: responseId, from: known.length };
}

/** Objects first: those that stood in the request before are the same ones. */
function isSameItem(before: Item, now: Item): boolean {
  return Object.is(before, now) || itemBytes(before).equals(itemBytes(now));
}
