import type { ReviewEntry } from '../fragments/review/review-transcript.ts';
import type { Entry } from '../history/entry.ts';
import { entries, type History } from '../history/history.ts';
import { isCall, type Item } from '../protocol/item.ts';
import { stringAt } from '../protocol/json.ts';
import { outputOf, recordedItem } from './recorded-item.ts';

/** What a model that was not there is shown of a thread: what was said and done, in order. */
export function toldEntries(history: History): readonly ReviewEntry[] {
  return entries(history).flatMap(entryFor);
}

export function argumentsOf(call: Item): string {
  return stringAt(call, 'arguments') ?? stringAt(call, 'input') ?? '';
}

/** Of our own context only checkpoints: they stand for what was said before. */
function entryFor(entry: Entry): readonly ReviewEntry[] {
  const { item, origin } = entry;
  if (item.type.endsWith('_output')) {
    const { text, pictures } = outputOf(item);
    return [{ from: 'output', text: withPictures(text, pictures.length) }];
  }
  const shown = recordedItem(entry);
  switch (shown?.kind) {
    case 'user':
      return [{ from: shown.author ?? 'user', text: withPictures(shown.texts.join('\n'), shown.pictures.length) }];
    case 'assistant':
      return [{ from: 'assistant', text: shown.text }];
    case 'call':
      return [{ from: 'call', text: `${shown.name} ${isCall(item) ? argumentsOf(item) : shown.input}` }];
    case 'context': {
      if (origin.family === 'client') return [{ from: 'program', text: shown.text }];
      const isCheckpoint = origin.family === 'context' && origin.kinds.some((kind) => kind.startsWith('checkpoint-'));
      return isCheckpoint ? [{ from: 'summary', text: shown.text }] : [];
    }
    default:
      return [];
  }
}

function withPictures(text: string, count: number): string {
  return count === 0 ? text : `${text}\n[${count} pictures that you are not shown]`;
}
