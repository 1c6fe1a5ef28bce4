import { beginsChord, type KeyGroup, type KeyMap, meantPress, type PressedKey } from './key-map.ts';
import { shownKey } from './key-name.ts';

/** The second key of a chord has to come within this time. */
export const chordMs = 1000;

/** Keys as they are bound, with those that only mean something together. */
export class ChordKeys {
  readonly #now: () => number;
  #first: { readonly name: string; readonly group: KeyGroup; readonly at: number } | undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The first key of a chord, while the second is waited for. */
  get pending(): string | undefined {
    const first = this.#first;
    return first !== undefined && this.#now() - first.at <= chordMs ? shownKey(first.name) : undefined;
  }

  /** The key as views know it; undefined: it has no meaning before the next one. */
  press<Press extends PressedKey>(map: KeyMap, group: KeyGroup, press: Press): Press | undefined {
    const first = this.pending !== undefined && this.#first?.group === group ? this.#first.name : undefined;
    this.#first = undefined;
    if (first !== undefined) {
      if (press.name === 'escape') return undefined;
      const strokes = `${first} ${press.name}`;
      if (map.byKey[group].has(strokes)) return { ...meantPress(map, group, press, strokes), text: '' };
    }
    if (!beginsChord(map, group, press.name)) return meantPress(map, group, press);
    this.#first = { name: press.name, group, at: this.#now() };
    return undefined;
  }
}

/** How long a frame that shows the first key is true. */
export const pendingMs = chordMs + 1;
