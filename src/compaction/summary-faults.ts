import { byteLength } from '../fragments/truncate.ts';
import type { Entry } from '../history/entry.ts';
import { entries } from '../history/history.ts';
import { isMessage, type Item, messageText } from '../protocol/item.ts';
import { parseJsonObject } from '../protocol/json.ts';
import type { CompactionSource } from './source.ts';

/**
 * What is wrong with a text as a summary, in a sentence for the model that wrote it. Only cheap measures are used, and
 * none that depends on a language: how often the text repeats itself, how much of it is markup, whether it is a call in
 * disguise.
 */
export function summaryFaults(summary: string): readonly string[] {
  if (isRepetitive(summary)) return ['The summary repeats itself over and over.'];
  if (isMarkup(summary)) return ['The summary is a page of markup instead of text.'];
  return isCallText(summary) ? ['The summary is a call of a tool. Call no tool: write text.'] : [];
}

/**
 * The same for an answer in prose, whose form does not show that the model did what it was asked for: a short one must
 * name something that the work names, or share its words. An apology does neither.
 */
export function proseFaults(summary: string, source: CompactionSource): readonly string[] {
  const faults = summaryFaults(summary);
  if (faults.length > 0 || !isUnrelated(summary, source)) return faults;
  return ['The summary names nothing of the work: no file, command or name from it.'];
}

/** Longer texts are judged by their beginning. */
const mostLooked = 40_000;
const pieceLength = 12;
const leastText = 600;
/** Ordinary prose has nearly as many different pieces as places; logs and tables still have a third. */
const leastDistinct = 0.15;

function isRepetitive(summary: string): boolean {
  const text = summary.slice(0, mostLooked).replaceAll(/\s+/g, ' ');
  if (text.length < leastText) return false;
  const pieces = new Set<string>();
  for (let at = 0; at + pieceLength <= text.length; at++) pieces.add(text.slice(at, at + pieceLength));
  return pieces.size / (text.length - pieceLength + 1) < leastDistinct;
}

const mostMarkup = 0.35;
const leastTags = 8;

function isMarkup(summary: string): boolean {
  const text = summary.slice(0, mostLooked);
  if (/^\s*<(?:!doctype|html|\?xml)\b/i.test(text)) return true;
  const tags = text.match(/<\/?[a-z][^<>\n]{0,200}>/gi) ?? [];
  return tags.length >= leastTags && tags.reduce((sum, tag) => sum + tag.length, 0) / text.length > mostMarkup;
}

function isCallText(summary: string): boolean {
  const text = summary.trim();
  if (/^<\/?(?:tool_call|function_calls?|invoke|tool_use)\b/i.test(text)) return true;
  if (text.startsWith('*** Begin Patch') && text.endsWith('*** End Patch')) return true;
  const value = text.startsWith('{') ? parseJsonObject(text) : undefined;
  const names = value === undefined ? [] : Object.keys(value);
  const isNamed = ['name', 'tool', 'function', 'recipient_name'].some((key) => names.includes(key));
  return isNamed && ['arguments', 'parameters', 'input', 'args'].some((key) => names.includes(key));
}

/** In bytes: a longer text says something about the work in any case. */
const shortSummary = 400;
/** A conversation with fewer names may have none that a summary could use. */
const leastNames = 5;

/**
 * Whether a short text has nothing to do with the conversation. It has, as soon as it uses a name, a part of one, a number
 * or a few longer words from there: a true sentence or two about the work can hardly do without, in any language. A text
 * that is taken wrongly does little harm, because code adds the ends of the work to a short summary.
 */
function isUnrelated(summary: string, { history }: CompactionSource): boolean {
  if (byteLength(summary) >= shortSummary) return false;
  const known = new Set(entries(history).flatMap(({ item }) => [...namesIn(textOf(item))]));
  if (known.size < leastNames) return false;
  const lower = summary.toLowerCase();
  if ([...known].some((name) => lower.includes(name.toLowerCase()))) return false;
  return !sharesParts(summary, known) && !sharesNumbers(summary, history) && !sharesWords(summary, history);
}

const mostNames = 500;

/** Paths, identifiers and numbers with letters: what a text about work shares with the work. */
function namesIn(text: string): ReadonlySet<string> {
  const words = text.slice(0, mostLooked).match(/[\p{L}\p{N}_][\p{L}\p{N}_./:-]{3,}/gu) ?? [];
  const names = words.filter((word) => /\p{L}/u.test(word) && /[_./:]|\p{N}|\p{Ll}\p{Lu}/u.test(word.slice(0, -1)));
  return new Set(names.slice(0, mostNames));
}

const leastPart = 4;

/** The words that names are made of: `scan` of `src/scan.ts`, `token` of `nextToken`. */
function sharesParts(said: string, names: ReadonlySet<string>): boolean {
  const parts = new Set<string>();
  for (const name of names) {
    for (const [part] of name.matchAll(/\p{Lu}?\p{Ll}+|\p{Lu}+|\p{Lo}+/gu)) {
      if (part.length >= leastPart) parts.add(part.toLowerCase());
    }
  }
  const words = said.toLowerCase().match(/\p{L}+/gu) ?? [];
  return words.some((word) => parts.has(word) || parts.has(word.replace(/s$/, '')));
}

/** Counts, lines, ports and versions; single digits are everywhere. */
function sharesNumbers(said: string, history: CompactionSource['history']): boolean {
  const numbers = new Set(said.match(/\d[\d.,:]*\d/g));
  if (numbers.size === 0) return false;
  return entries(history).some((entry) =>
    (
      saidIn(entry)
        .slice(0, mostLooked)
        .match(/\d[\d.,:]*\d/g) ?? []
    ).some((number) => numbers.has(number)),
  );
}

/** Two words, or a share of them; less is enough for a long word, which is seldom grammar. */
const leastShared = { words: 2, share: 0.3, shareOfLong: 0.15 } as const;

/** Longer words that the conversation uses, too. */
function sharesWords(said: string, history: CompactionSource['history']): boolean {
  const words = [...wordsOf(said)];
  if (words.length === 0) return false;
  const known = new Set<string>();
  for (const entry of entries(history)) {
    for (const word of wordsOf(saidIn(entry).slice(0, mostLooked))) known.add(word);
  }
  const shared = words.filter((word) => known.has(word));
  const isLong = shared.some((word) => word.length >= stems.letters.length);
  const share = shared.length / words.length;
  return shared.length >= leastShared.words || share >= (isLong ? leastShared.shareOfLong : leastShared.share);
}

/** Of context only what quotes the conversation is part of it. */
function saidIn({ item, origin, words = [], summary }: Entry): string {
  if (origin.family !== 'context') return textOf(item);
  const text = textOf(item);
  return [...words, ...(summary === undefined ? [] : [summary])]
    .map(({ start, end }) => text.slice(start, end))
    .join('\n');
}

/** Endings differ: words count as the same when they begin alike. A sign of Hangul is a syllable. */
const stems = { letters: { least: 5, length: 6 }, syllables: { least: 2, length: 2 } } as const;
const hangul = /\p{Script=Hangul}/u;
/** Scripts that put no spaces between words. The signs of hiragana alone are grammar. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;
const grammar = /^\p{Script=Hiragana}+$/u;

/** The beginnings of longer words; in scripts without spaces, pairs of characters. */
function wordsOf(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [run] of text.toLowerCase().matchAll(/[\p{L}\p{M}]+/gu)) {
    if (!unspaced.test(run)) {
      const { least, length } = hangul.test(run) ? stems.syllables : stems.letters;
      if (run.length >= least) found.add(run.slice(0, length));
      continue;
    }
    for (let at = 0; at + 2 <= run.length; at++) {
      const pair = run.slice(at, at + 2);
      if (!grammar.test(pair)) found.add(pair);
    }
  }
  return found;
}

function textOf(item: Item): string {
  if (isMessage(item)) return messageText(item);
  const { arguments: given, input, output } = item;
  return [given, input, output].filter((text) => typeof text === 'string').join('\n');
}
