import type { Entry } from '../../history/entry.ts';
import { entries, type History } from '../../history/history.ts';
import { missingAnswer, pairedItem } from '../../history/missing-answer.ts';
import { missingMedia, withoutMedia } from '../../history/without-media.ts';
import { defined } from '../../protocol/defined.ts';
import type { Item } from '../../protocol/item.ts';

/**
 * For each item of a request the entry of history that it stands for: the projection gives the very item, or what was
 * made in its place. The stand-in for an answer that never came is the tool's, in the turn of the call.
 */
export function entryOfItem(history: History, modalities: readonly string[]): ReadonlyMap<Item, Entry> {
  const missing = missingMedia(modalities);
  return new Map(
    entries(history).flatMap((entry): readonly (readonly [Item, Entry])[] => {
      const own = [withoutMedia(entry.item, missing), entry] as const;
      const paired = pairedItem(entry.item);
      if (paired?.half !== 'call') return [own];
      const item = missingAnswer(entry.item);
      return [own, [item, { item, origin: { family: 'tool' }, ...defined({ turn: entry.turn }) }]];
    }),
  );
}
