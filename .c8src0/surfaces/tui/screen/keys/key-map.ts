import { actionId, defaultKeys, canonicalKey, type KeyAction, keyActions, type KeyContext } from './key-actions.ts';
import { shownKey } from './key-names.ts';

/** The part of a key that a key map reads: its name as the terminal reports it, and the text that it types. */
type PressedKey = { readonly name: string; readonly text: string };
/** The kind of view that has the keyboard. */
export type KeyGroup = 'composer' | 'list' | 'pager' | 'approval' | 'editor';

/** Contexts that apply there, strongest first. */
export const contextsOf: Readonly<Record<KeyGroup, readonly KeyContext[]>> = {
  composer: ['chat', 'composer', 'editor', 'global'],
  list: ['list'],
  pager: ['pager'],
  approval: ['approval', 'list'],
  editor: ['editor'],
};

export interface KeyBinding {
  readonly action: KeyAction;
  readonly keys: readonly string[];
  /** Its place in the configuration; undefined: these are the default keys. */
  readonly boundAt: string | undefined;
}

/** Immutable mapping of keys to actions, replaced when the configuration changes. */
export interface KeyMap {
  readonly bindings: readonly KeyBinding[];
  readonly byKey: Readonly<Record<KeyGroup, ReadonlyMap<string, KeyAction>>>;
}

export function keyMapOf(bindings: readonly KeyBinding[]): KeyMap {
  const keysOf = (contexts: readonly KeyContext[]): ReadonlyMap<string, KeyAction> => {
    const apply = contexts
      .toReversed()
      .flatMap((context) => bindings.filter(({ action }) => action.context === context));
    return new Map(apply.flatMap(({ action, keys }) => keys.map((key) => [key, action] as const)));
  };
  const byKey = Object.fromEntries(Object.entries(contextsOf).map(([group, contexts]) => [group, keysOf(contexts)]));
  return { bindings, byKey: byKey as KeyMap['byKey'] };
}

export const defaultKeyMap: KeyMap = keyMapOf(
  keyActions.map((action) => ({ action, keys: defaultKeys(action), boundAt: undefined })),
);

/** Name for a key that lost its default meaning. */
const unbound = 'unbound';

/**
 * Maps a key to the one that views know. A key with its default action stays as it is; one bound to another action
 * becomes the first default key of that action. `strokes`: the key, with the previous one if both make a chord.
 */
export function mapKeyPress<Press extends PressedKey>(
  { byKey }: KeyMap,
  group: KeyGroup,
  press: Press,
  strokes = press.name,
): Press {
  const action = byKey[group].get(strokes);
  if (action === defaultKeyMap.byKey[group].get(strokes) && action?.more?.includes(strokes) !== true) return press;
  return { ...press, name: action === undefined ? unbound : canonicalKey(action) };
}

export const shownKeys = ({ bindings }: KeyMap, id: string): readonly string[] =>
  bindings.find(({ action }) => actionId(action) === id)?.keys.map((key) => shownKey(key)) ?? [];

type HasKeys = { readonly keys?: KeyMap };

/** A hint with the first key of an action, such as `esc to interrupt`; empty if no key is bound to it. */
export function keyHint({ keys = defaultKeyMap }: HasKeys, id: string, words: (key: string) => string): string {
  const [key] = shownKeys(keys, id);
  return key === undefined ? '' : words(key);
}

/** Maps a default key, as written in a hint, to the key that now does the same. */
export type HintKeyMapper = (written: string) => string;
/** Key names in views that differ from the reported ones. */
const reported: Readonly<Record<string, string>> = { esc: 'escape', 'page up': 'pageup', 'page down': 'pagedown' };

/** For hints of a view with this group of keys; `raw`: it gets unmapped keys. */
export function hintKeyMapper({ keys = defaultKeyMap }: HasKeys, group: KeyGroup | 'raw' = 'list'): HintKeyMapper {
  return (written) => {
    if (group === 'raw') return written;
    const lower = written.toLowerCase();
    const home = [...written].length === 1 ? written : (reported[lower] ?? lower);
    const action = defaultKeyMap.byKey[group].get(home);
    if (action === keys.byKey[group].get(home)) return written;
    const isCapital = /^\p{Lu}./u.test(written);
    const [bound] = action === undefined ? [] : shownKeys(keys, actionId(action));
    // Ctrl+C also closes or interrupts what Esc does, and cannot be unbound.
    if (bound === undefined && home === 'escape') return isCapital ? 'Ctrl+C' : 'ctrl+c';
    const key = bound ?? 'no key';
    return isCapital ? key.charAt(0).toUpperCase() + key.slice(1) : key;
  };
}

export const chordMs = 1000;

export class ChordKeys {
  readonly #now: () => number;
  #first: { readonly name: string; readonly group: KeyGroup; readonly at: number } | undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  get pending(): string | undefined {
    const first = this.#first;
    return first !== undefined && this.#now() - first.at <= chordMs ? shownKey(first.name) : undefined;
  }

  /** The key as views know it. Undefined if its meaning depends on the next key. */
  press<Press extends PressedKey>(map: KeyMap, group: KeyGroup, press: Press): Press | undefined {
    const first = this.pending !== undefined && this.#first?.group === group ? this.#first.name : undefined;
    this.#first = undefined;
    if (first !== undefined) {
      if (press.name === 'escape') return undefined;
      const strokes = `${first} ${press.name}`;
      if (map.byKey[group].has(strokes)) return { ...mapKeyPress(map, group, press, strokes), text: '' };
    }
    const beginsChord = map.byKey[group].keys().some((strokes) => strokes.startsWith(`${press.name} `));
    if (!beginsChord) return mapKeyPress(map, group, press);
    this.#first = { name: press.name, group, at: this.#now() };
    return undefined;
  }
}

export const pendingMs = chordMs + 1;
