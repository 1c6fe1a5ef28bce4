import { cutText } from '../../fragments/text/cut-text.ts';
import { neutraliseMarkers } from '../../fragments/foreign/neutralise-markers.ts';
import { sentTokens, firstBytes } from '../../fragments/text/truncate.ts';
import type { KeptWords } from './kept-words.ts';
import { withoutLineBreaks } from '../../fragments/text/markup.ts';

/** Shorter words may well be the model's own. */
const leastRepeated = 60;

/**
 * What a model wrote, without words of the user that this very checkpoint holds, and unable to pose as context of ours.
 * Of a message that is cut only the part that stands is known to stand: a model that repeats all of it is the only copy.
 */
export function ownText(text: string, kept: readonly KeptWords[]): string {
  const said = kept
    .filter(({ words }) => words.by === undefined)
    .map(({ text: stands }) => stands.trim())
    .filter(({ length }) => length >= leastRepeated && length <= text.length);
  // A model that was asked for prose may answer with JSON all the same.
  const written = new Map(said.flatMap((one) => [one, JSON.stringify(one).slice(1, -1)].map((form) => [form, one])));
  const own = [...written]
    .toSorted(([a], [b]) => b.length - a.length)
    .reduce((left, [form, one]) => left.replaceAll(form, () => repeatedWords(one)), text);
  return neutraliseMarkers(own);
}

/** So many times the space for a text is looked at: all that it repeats may be taken out of it. */
const lookedAt = 4;
const leastLookedAt = 1000;

/** As much of what a model wrote as is looked at, in tokens: an answer may have megabytes. */
export function tokensToLook(tokens: number): number {
  return Math.max(leastLookedAt, tokens * lookedAt);
}

/** For the user: what there was no space for. */
export function cutNotice(written: readonly string[], kept: readonly string[]): readonly string[] {
  if (written.every((text, index) => text === kept[index])) return [];
  return ['The model wrote more than there is space for, so Capstan cut out the middle.'];
}

/** A summary that keeps its last line, which says where to resume, when its middle is cut. */
export function cutSummary(summary: string, tokens: number): string {
  if (sentTokens(summary) <= tokens) return summary;
  const at = summary.lastIndexOf('\nRESUME_AT:');
  if (at < 0) return cutText(summary, tokens);
  const last = cutText(summary.slice(at + 1), Math.max(32, Math.floor(tokens / 4)))
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ');
  return `${cutText(summary.slice(0, at), Math.max(0, tokens - sentTokens(last) - 1))}\n${last}`;
}

/** In tokens: a summary that says less leaves most of the work unsaid. */
const thinSummary = 120;

/** Code adds what it knows to a summary that says next to nothing. */
export function isThin(summary: string): boolean {
  return sentTokens(summary) < thinSummary;
}

/** As much of a message as it takes to distinguish it from others. */
const beginningBytes = 40;

/** Stands in a model's text where it repeats a message of the user that the checkpoint holds word for word. */
function repeatedWords(said: string): string {
  return `[the user's words, which stand above: ${firstBytes(withoutLineBreaks(said), beginningBytes).trimEnd()}…]`;
}
