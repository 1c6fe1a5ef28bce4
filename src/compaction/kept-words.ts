import { cutWords, picturesLeftOut } from '../fragments/cut-words.ts';
import { sentTokens } from '../fragments/truncate.ts';
import { itemTokens } from '../history/size.ts';
import { otherParts, type UserWords } from '../history/users-words.ts';
import type { Candidate } from './candidate.ts';

/** A message of the user as it enters a checkpoint. */
export interface KeptWords {
  readonly words: UserWords;
  /** Exact, or visibly cut. */
  readonly text: string;
  /** Its pictures, or whatever else it has beside text, come with it. */
  readonly pictures: boolean;
  /** Something of it is missing. */
  readonly cut: boolean;
}

export interface WordsChoice {
  /** Oldest first. */
  readonly kept: readonly KeptWords[];
  readonly counts: Candidate['words'];
}

export interface WordsWanted {
  /** The message that defines the task: whole, if it fits by itself. */
  readonly task: UserWords | undefined;
  /** Beside it, the first and the newest message: these are never dropped. */
  readonly always?: readonly UserWords[];
  /** Older ones that are kept if there is room. */
  readonly older?: ReadonlySet<UserWords>;
  /** As quotes in one message, those with pictures aside, or as messages. */
  readonly form: 'quotes' | 'messages';
  /** In tokens: for the defining message, and for all of them. */
  readonly room: { readonly task: number; readonly words: number };
}

/** Of the newest messages, if they fit. */
const mostRecent = 26;
/** A message that is never dropped takes this much, however little room there is. */
const leastTokens = 48;
/** Less of a message than this is not worth its room. */
const leastWorthwhile = 96;
/** What stands around a text, in tokens. */
const frames = { quotes: 8, messages: 40 } as const;

export function keepWords(
  all: readonly UserWords[],
  { task, always = [], older = new Set(), form, room }: WordsWanted,
): WordsChoice {
  const [first, newest] = [all[0], all.at(-1)];
  const rows = distinct(all, new Set([task, newest, first, ...always].filter((row) => row !== undefined)));
  const counted = new Set(rows);
  const kept = new Map<UserWords, KeptWords>();
  const weightOf = (words: KeptWords): number => frames[form] + textAndPictures(words);
  let left = room.words;
  const keep = (row: UserWords | undefined, most: number, least: number): void => {
    if (row === undefined || kept.has(row) || !counted.has(row)) return;
    const taken = takeWords(row, { most: Math.max(0, most - frames[form]), least });
    if (taken === undefined) return;
    kept.set(row, taken);
    left = Math.max(0, left - weightOf(taken));
  };
  const alwaysKeep = (row: UserWords | undefined, most: number): void => keep(row, most, 0);

  alwaysKeep(task, room.task);
  // The first message is there in any case: what the newest may take depends on what that needs.
  const forFirst = first === undefined || kept.has(first) ? 0 : Math.min(weightOf(whole(first)), Math.floor(left / 2));
  alwaysKeep(newest, left - forFirst);
  alwaysKeep(first, left);
  for (const row of always) alwaysKeep(row, Math.floor(left / 2));

  for (const row of rows.toReversed()) {
    if (kept.size > mostRecent || left <= frames[form]) break;
    if (weightOf(whole(row)) <= left) keep(row, left, leastWorthwhile);
    // One long message shall not push out all that are older.
    else keep(row, Math.floor(left / 2), leastWorthwhile);
  }
  for (const row of rows.toReversed()) if (older.has(row)) keep(row, left, Infinity);

  const inOrder = rows.flatMap((row) => kept.get(row) ?? []);
  const cut = inOrder.filter(({ cut }) => cut).length;
  return {
    kept: inOrder,
    counts: { kept: all.length - rows.length + inOrder.length - cut, cut, dropped: rows.length - inOrder.length },
  };
}

/** Words that were said again in exactly the same way need not stand there twice: the newest do, or those that must. */
function distinct(rows: readonly UserWords[], must: ReadonlySet<UserWords>): readonly UserWords[] {
  const seen = new Set<string>();
  const isNew = (row: UserWords): boolean => {
    const isKnown = seen.has(row.text) && !hasPictures(row);
    seen.add(row.text);
    return !isKnown;
  };
  const chosen = new Set([...must].filter(isNew));
  for (const row of rows.toReversed()) if (!must.has(row) && isNew(row)) chosen.add(row);
  return rows.filter((row) => chosen.has(row));
}

function takeWords(
  words: UserWords,
  { most, least }: { readonly most: number; readonly least: number },
): KeptWords | undefined {
  const all = whole(words);
  if (textAndPictures(all) <= most) return all;
  const textOnly: KeptWords = { words, text: words.text, pictures: false, cut: true };
  if (hasPictures(words) && words.text !== '' && textAndPictures(textOnly) <= most) return textOnly;
  if (most < least) return undefined;
  if (words.text === '') return least === 0 ? { ...textOnly, text: picturesLeftOut(words.id) } : undefined;
  const text = cutWords(words.text, { id: words.id, tokens: Math.max(leastTokens, most) });
  return { ...textOnly, text, cut: words.cut || hasPictures(words) || text !== words.text };
}

function whole(words: UserWords): KeptWords {
  return { words, text: words.text, pictures: hasPictures(words), cut: words.cut };
}

function textAndPictures({ words, text, pictures }: KeptWords): number {
  const known = measured(words);
  return (pictures ? known.beside : 0) + (text === words.text ? known.text : sentTokens(text));
}

function hasPictures(words: UserWords): boolean {
  return measured(words).beside > 0;
}

/** In tokens. */
interface Weight {
  readonly text: number;
  /** Of pictures and the like; 0 when there are none. */
  readonly beside: number;
}

/** Words are looked at many times while a checkpoint is made to fit. */
const weights = new WeakMap<UserWords, Weight>();

function measured(words: UserWords): Weight {
  const known = weights.get(words);
  if (known !== undefined) return known;
  const content = words.entry === undefined ? [] : otherParts(words.entry.item);
  const beside = content.length === 0 ? 0 : itemTokens({ ...words.entry!.item, content });
  const weight = { text: sentTokens(words.text), beside };
  weights.set(words, weight);
  return weight;
}
