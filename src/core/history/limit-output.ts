import type { MessageItem } from '../../protocol/item.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { userShellCommandFragment } from '../fragments/events/user-actions.ts';
import { type TextBudget, byteLength, estimateTokens, truncateMiddle } from '../fragments/text/truncate.ts';
import { recogniseFragment } from '../world/recognise-fragments.ts';
import { mediaOf } from './media-parts.ts';
import { partBytes } from './token-counts.ts';

/** Tolerance for the few lines that a tool adds after it has cut its output: Capstan must not cut that again. */
const allowance = 1.2;

/** Every tool output enters history through here (I6). */
export function limitOutput<Output extends string | readonly JsonObject[]>(output: Output, budget: TextBudget): Output;
export function limitOutput(output: string | readonly JsonObject[], { mode, limit }: TextBudget) {
  const budget: TextBudget = { mode, limit: Math.ceil(limit * allowance) };
  return typeof output === 'string' ? truncateMiddle(output, budget) : limitParts(output, budget);
}

/**
 * Text and recordings use up the budget from left to right. The text that exceeds it is cut in its middle; later texts,
 * and recordings that do not fit, are left out and counted at the end. Pictures and encrypted parts stay.
 */
function limitParts(parts: readonly JsonObject[], { mode, limit }: TextBudget): readonly JsonObject[] {
  let left = limit;
  const omitted = { text: 0, audio: 0 };
  const omit = (what: keyof typeof omitted): readonly JsonObject[] => {
    omitted[what]++;
    return [];
  };
  const kept = parts.flatMap((part): readonly JsonObject[] => {
    const text = part['text'];
    if (typeof text === 'string') {
      if (left <= 0) return omit('text');
      const cut = truncateMiddle(text, { mode, limit: left });
      left = cut === text ? left - (mode === 'tokens' ? estimateTokens(text) : byteLength(text)) : 0;
      return [cut === text ? part : { ...part, text: cut }];
    }
    if (mediaOf(part) !== 'audio') return [part];
    const cost = mode === 'tokens' ? Math.ceil(partBytes(part) / 4) : partBytes(part);
    if (cost > left) return omit('audio');
    left -= cost;
    return [part];
  });
  const notes = (['text', 'audio'] as const).filter((what) => omitted[what] > 0);
  if (notes.length === 0 && kept.every((part, index) => part === parts[index])) return parts;
  const words = notes.map((what) => `[omitted ${omitted[what]} ${what} items ...]`);
  return [...kept, ...words.map((text) => ({ type: 'input_text', text }))];
}

/** True for a program's message that holds a command the user ran beside the conversation, with its output. */
export function isUserShellCommand({ role, content }: MessageItem): boolean {
  const [only, ...others] = content;
  const text = others.length === 0 ? only?.['text'] : undefined;
  return typeof text === 'string' && recogniseFragment(role, text) === userShellCommandFragment.id;
}
