/** A limit for cutting text, in bytes or tokens. One token counts as four bytes. */
export type TextBudget = { readonly mode: 'bytes' | 'tokens'; readonly limit: number };
export const bytesPerToken = 4;
const encoder = new TextEncoder();
const decoder = new TextDecoder();
export const estimateTokens = (text: string): number => Math.ceil(byteLength(text) / bytesPerToken);

export function byteLength(text: string): number {
  // Counts without encoding.
  return Buffer.byteLength(text);
}

/** Weight of a text as sent inside JSON, without the quotes. */
export const sentTokens = (text: string): number => Math.ceil(sentBytes(text) / bytesPerToken);
export const sentBytes = (text: string): number => byteLength(JSON.stringify(text)) - 2;

/**
 * The text if it fits, else its head and tail around a marker with the missing amount. Characters are never split.
 * With a budget of 0 only the marker remains; an empty text stays empty.
 */
export function truncateMiddle(text: string, budget: TextBudget): string {
  const limit = Math.max(0, budget.mode === 'tokens' ? budget.limit * bytesPerToken : budget.limit);
  if (text.length * 3 <= limit) return text;
  const bytes = encoder.encode(text);
  if (bytes.length <= limit) return text;

  const headEnd = characterStartAtOrBefore(bytes, Math.floor(limit / 2));
  const tailStart = characterStartAtOrAfter(bytes, bytes.length - (limit - Math.floor(limit / 2)));
  const head = decoder.decode(bytes.subarray(0, headEnd));
  const tail = decoder.decode(bytes.subarray(tailStart));
  return head + marker(bytes, headEnd, tailStart, limit, budget.mode) + tail;
}

export function firstBytes(text: string, limit: number): string {
  const bytes = encoder.encode(text);
  return decoder.decode(bytes.subarray(0, characterStartAtOrBefore(bytes, limit)));
}

export function lastBytes(text: string, limit: number): string {
  const bytes = encoder.encode(text);
  return decoder.decode(bytes.subarray(characterStartAtOrAfter(bytes, bytes.length - limit)));
}

function marker(bytes: Uint8Array, from: number, to: number, limit: number, mode: TextBudget['mode']): string {
  if (mode === 'tokens') return `…${Math.ceil((bytes.length - limit) / bytesPerToken)} tokens truncated…`;
  return `…${[...decoder.decode(bytes.subarray(from, to))].length} chars truncated…`;
}

function characterStartAtOrBefore(bytes: Uint8Array, index: number): number {
  let at = index;
  while (at > 0 && isContinuation(bytes[at])) at--;
  return at;
}

function characterStartAtOrAfter(bytes: Uint8Array, index: number): number {
  let at = index;
  while (at < bytes.length && isContinuation(bytes[at])) at++;
  return at;
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;
export type BoundedList = { readonly kept: readonly string[]; readonly left: number };

/** The leading entries that fit. The caller reports how many are missing. */
export function boundedList(
  entries: readonly string[],
  { count, characters }: { readonly count: number; readonly characters: number },
): BoundedList {
  let used = 0;
  const kept: string[] = [];
  for (const entry of entries) {
    used += entry.length + 1;
    if (kept.length === count || used > characters) break;
    kept.push(entry);
  }
  return { kept, left: entries.length - kept.length };
}

/** The kept entries, and a last one for those that are missing. */
export const withMissingCount = ({ kept, left }: BoundedList, more = `… and ${left} more`): readonly string[] =>
  left === 0 ? kept : [...kept, more];

/** Lines that begin with a dash, and a last line that counts missing entries. */
export const dashedLines = ({ kept, left }: BoundedList): readonly string[] =>
  withMissingCount({ kept: kept.map((entry) => `- ${entry}`), left }, `… and ${left} more that are not listed here`);
