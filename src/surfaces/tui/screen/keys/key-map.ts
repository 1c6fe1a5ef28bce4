import { actionId, defaultKeys, homeKey, type KeyAction, keyActions, type KeyContext } from './key-actions.ts';
import { shownKey } from './key-names.ts';

/** As much of a key as a key map reads: its name as the terminal reports it, and what it types. */
interface PressedKey {
  readonly name: string;
  readonly text: string;
}

/** What has the keyboard. */
export type KeyGroup = 'composer' | 'list' | 'pager' | 'approval' | 'editor';

/** The contexts that count there, the strongest first. */
export const contextsOf: Readonly<Record<KeyGroup, readonly KeyContext[]>> = {
  composer: ['chat', 'composer', 'editor', 'global'],
  list: ['list'],
  pager: ['pager'],
  approval: ['approval', 'list'],
  editor: ['editor'],
};

/** An action with the keys that it has now. */
export interface KeyBinding {
  readonly action: KeyAction;
  readonly keys: readonly string[];
  /** Where it is bound in the configuration; undefined: these are the keys that Capstan comes with. */
  readonly boundAt: string | undefined;
}

/** Which key does what. A value: another one takes its place when the configuration says so. */
export interface KeyMap {
  /** In the order of the table of actions. */
  readonly bindings: readonly KeyBinding[];
  readonly byKey: Readonly<Record<KeyGroup, ReadonlyMap<string, KeyAction>>>;
}

export function keyMapOf(bindings: readonly KeyBinding[]): KeyMap {
  const keysOf = (group: KeyGroup): ReadonlyMap<string, KeyAction> =>
    new Map(
      contextsOf[group]
        .toReversed()
        .flatMap((context) => bindings.filter(({ action }) => action.context === context))
        .flatMap(({ action, keys }) => keys.map((key) => [key, action] as const)),
    );
  return {
    bindings,
    byKey: {
      composer: keysOf('composer'),
      list: keysOf('list'),
      pager: keysOf('pager'),
      approval: keysOf('approval'),
      editor: keysOf('editor'),
    },
  };
}

export const defaultKeyMap: KeyMap = keyMapOf(
  keyActions.map((action) => ({ action, keys: defaultKeys(action), boundAt: undefined })),
);

/** The name of a key that had a meaning and has none any more. */
const unbound = 'unbound';

/**
 * The key as views know it. A key that does what it does by default stays as it is; one that was bound to another action
 * becomes the first default key of that action. `strokes`: the key, with the one before it if both make a chord.
 */
export function mapKeyPress<Press extends PressedKey>(
  map: KeyMap,
  group: KeyGroup,
  press: Press,
  strokes = press.name,
): Press {
  const action = map.byKey[group].get(strokes);
  const before = defaultKeyMap.byKey[group].get(strokes);
  if (action === before && action?.more?.includes(strokes) !== true) return press;
  return { ...press, name: action === undefined ? unbound : homeKey(action) };
}

/** Whether the key may be the first of a chord. */
function beginsChord(map: KeyMap, group: KeyGroup, name: string): boolean {
  return [...map.byKey[group].keys()].some((strokes) => strokes.startsWith(`${name} `));
}

/** The keys of an action as hints name them; empty: it has none. */
export function shownKeys({ bindings }: KeyMap, id: string): readonly string[] {
  return bindings.find(({ action }) => actionId(action) === id)?.keys.map((key) => shownKey(key)) ?? [];
}

/** A hint with the first key of an action, such as `esc to interrupt`; empty if no key is bound to it. */
export function keyHint(
  { keys = defaultKeyMap }: { readonly keys?: KeyMap },
  id: string,
  words: (key: string) => string,
): string {
  const [key] = shownKeys(keys, id);
  return key === undefined ? '' : words(key);
}

/** The name of a key in a hint: given the default key as the hint would write it, the one that does the same now. */
export type HintKeys = (written: string) => string;

/** As views write keys, where that is not the name that a terminal reports. */
const reported: Readonly<Record<string, string>> = { esc: 'escape', 'page up': 'pageup', 'page down': 'pagedown' };

/** For hints of what has the keyboard with this group of keys; `raw`: it gets keys as they are pressed. */
export function hintKeys(
  { keys = defaultKeyMap }: { readonly keys?: KeyMap },
  group: KeyGroup | 'raw' = 'list',
): HintKeys {
  return (written) => {
    if (group === 'raw') return written;
    const lower = written.toLowerCase();
    const home = [...written].length === 1 ? written : (reported[lower] ?? lower);
    const action = defaultKeyMap.byKey[group].get(home);
    if (action === keys.byKey[group].get(home)) return written;
    const isCapital = /^\p{Lu}./u.test(written);
    const [bound] = action === undefined ? [] : shownKeys(keys, actionId(action));
    // What Esc closes or interrupts, Ctrl+C does, too, and nothing takes that away.
    if (bound === undefined && home === 'escape') return isCapital ? 'Ctrl+C' : 'ctrl+c';
    const key = bound ?? 'no key';
    return isCapital ? key.charAt(0).toUpperCase() + key.slice(1) : key;
  };
}

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
      if (map.byKey[group].has(strokes)) return { ...mapKeyPress(map, group, press, strokes), text: '' };
    }
    if (!beginsChord(map, group, press.name)) return mapKeyPress(map, group, press);
    this.#first = { name: press.name, group, at: this.#now() };
    return undefined;
  }
}

/** How long a frame that shows the first key is true. */
export const pendingMs = chordMs + 1;
