import { actionId } from '../keys/key-action.ts';
import type { KeyBinding, KeyMap } from '../keys/key-map.ts';
import { shownKey } from '../keys/key-name.ts';
import { rivalsOf } from '../keys/key-place.ts';
import { keyWords } from './keymap-rows.ts';

interface Wanted {
  readonly wanted: readonly string[];
  /** Where the action is bound now. */
  readonly at: string | undefined;
}

/** What holds after a change, and why it is not what was wanted. */
export function keyChangeWords(map: KeyMap, now: KeyBinding, { wanted, at }: Wanted): string {
  const id = actionId(now.action);
  const missed = wanted.filter((key) => !now.keys.includes(key));
  const isAsWanted = missed.length === 0 && now.keys.length === wanted.length;
  if (isAsWanted) return `${id}: ${keyWords(now.keys)}. Saved in config.toml.`;
  const holders = missed.flatMap((key) => rivalsOf(map, now.action, key).map(({ action }) => actionId(action)));
  const why =
    holders.length > 0
      ? `${keyWords(missed)} stays with ${[...new Set(holders)].join(' and ')}`
      : `${at ?? 'another layer of the configuration'} decides over it`;
  return `Saved in config.toml, but ${id} has ${keyWords(now.keys)}: ${why}.`;
}

/** Before a key is taken away from others. */
export function takenWords(rivals: readonly KeyBinding[], strokes: string): string {
  const isSame = rivals.some(({ keys }) => keys.includes(strokes));
  return isSame ? `${shownKey(strokes)} is a key of` : `${shownKey(strokes)} begins like a key of`;
}
