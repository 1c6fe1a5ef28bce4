import { actionId, defaultKeys, homeKey, type KeyAction, type KeyContext } from './key-action.ts';
import { keyActions } from './key-actions.ts';
import { shownKey } from './key-name.ts';

/** As much of a key as a key map reads: its name as the terminal reports it, and what it types. */
export interface PressedKey {
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
export function meantPress<Press extends PressedKey>(
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
export function beginsChord(map: KeyMap, group: KeyGroup, name: string): boolean {
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
