import { userMessage } from '../fragments/message.ts';
import type { Entry, QuotedWords } from '../history/entry.ts';
import { otherParts, saidText } from '../history/users-words.ts';
import { isMessage, type Item } from '../protocol/item.ts';
import { words as said } from '../protocol/user-input.ts';
import type { CandidateEntry } from './candidate.ts';
import type { KeptWords } from './kept-words.ts';

/**
 * The words as a message of the user, with the id that they always had. `parts` leaves the text out when it stands
 * elsewhere.
 */
export function keptMessage(
  kept: KeptWords,
  { parts, isTask }: { readonly parts: 'all' | 'pictures'; readonly isTask: boolean },
): CandidateEntry {
  const { entry, turn } = kept.words;
  const flags = { ...quoteOf(kept, isTask), start: 0, end: 0 };
  const tells = flags.worked === true || flags.task === true || flags.cut === true;
  const made: Entry = {
    item: keptItem(kept, parts),
    origin: entry?.origin ?? { family: 'user' },
    ...(turn === undefined ? {} : { turn }),
    // What is known about the words beyond what their message shows.
    ...(tells ? { words: [flags] } : {}),
  };
  return { kind: 'kept', entry: made };
}

function keptItem({ words: { id, entry }, text, pictures }: KeptWords, parts: 'all' | 'pictures'): Item {
  const item = entry?.item;
  const beside = pictures && item !== undefined ? otherParts(item) : [];
  if (parts === 'all' && item !== undefined && isMessage(item) && item['id'] === id && saidText(item) === text) {
    // Nothing is taken away: the very same item stays.
    const isWhole = pictures || otherParts(item).length === 0;
    if (isWhole && item.content.length === beside.length + textParts(item)) return item;
  }
  const base = item ?? userMessage(id, said(''));
  const content = [...beside, ...(parts === 'pictures' || text === '' ? [] : [{ type: 'input_text', text }])];
  return { ...base, id, content };
}

/** How many parts of the message are the user's text. */
function textParts(item: Item): number {
  if (!isMessage(item)) return 0;
  const others = new Set(otherParts(item));
  const texts = item.content.filter((part) => !others.has(part)).map(({ text }) => text);
  return texts.join('\n') === saidText(item) ? texts.length : 0;
}

/** What is known about words, for the record of where they are quoted. */
export function quoteOf({ words, cut }: KeptWords, isTask: boolean): Omit<QuotedWords, 'start' | 'end'> {
  const { id, turn, worked } = words;
  return {
    id,
    ...(turn === undefined ? {} : { turn }),
    ...(worked ? { worked } : {}),
    ...(isTask ? { task: true as const } : {}),
    ...(cut ? { cut: true as const } : {}),
  };
}
