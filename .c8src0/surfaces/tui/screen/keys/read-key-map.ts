import { isJsonObject, type Json, type JsonObject } from '../../../../protocol/json.ts';
import type { Outcome } from '../../../../protocol/outcome.ts';
import { actionId, defaultKeys, fixedKeys, keyActions, keyContexts } from './key-actions.ts';
import type { KeyAction, KeyContext } from './key-actions.ts';
import { contextsOf, type KeyBinding, type KeyMap, keyMapOf } from './key-map.ts';
import { parseStrokes, shownKey, typesCharacter } from './key-names.ts';

type Path = readonly string[];
type OwnBinding = { readonly path: Path; readonly keys: readonly string[] };
export type KeySettingSource = (path: Path) => string | undefined;
type Report = (path: Path, what: string, next: string) => void;

export interface ParsedKeyMap {
  readonly map: KeyMap;
  /** Configuration problems. The affected actions keep their defaults. */
  readonly problems: readonly Outcome[];
}

export function parseKeyMap(written: Json | undefined, source: KeySettingSource = () => undefined): ParsedKeyMap {
  const problems: Outcome[] = [];
  const named = (path: Path): string => {
    const at = source(path);
    return at === undefined ? path.join('.') : `${at}: ${path.join('.')}`;
  };
  const report: Report = (path, what, next) => {
    problems.push({ code: 'key-map', message: `${named(path)} ${what}. Capstan keeps the default keys`, next });
  };
  const table = tableOf(written, report);
  const own = new Map<KeyAction, OwnBinding>();
  for (const action of keyActions) {
    const binding = ownBinding(table, action, report);
    if (binding !== undefined) own.set(action, binding);
  }
  for (const action of conflicting(own, report, named)) own.delete(action);
  const bindings = keyActions.map((action): KeyBinding => {
    const taken = own.get(action);
    if (taken !== undefined) return { action, keys: taken.keys, boundAt: taken.path.join('.') };
    return { action, keys: leftKeys(action, own), boundAt: undefined };
  });
  return { map: keyMapOf(bindings), problems };
}

function tableOf(written: Json | undefined, report: Report): ReadonlyMap<string, JsonObject> {
  const contexts = new Map<string, JsonObject>();
  if (written === undefined) return contexts;
  if (!isJsonObject(written)) {
    report(['tui', 'keymap'], 'is no table', 'Write [tui.keymap.chat] with a line for each action below it.');
    return contexts;
  }
  for (const [context, actions] of Object.entries(written)) {
    const path = ['tui', 'keymap', context];
    if (!keyContexts.includes(context as KeyContext))
      report(path, 'is no context of keys', `Use one of ${keyContexts.join(', ')}.`);
    else if (!isJsonObject(actions))
      report(path, 'is no table', `Write [${path.join('.')}] with a line for each action below it.`);
    else {
      for (const name of Object.keys(actions)) {
        const isKnown = keyActions.some((each) => each.name === name && isIn(each, context));
        if (!isKnown) report([...path, name], 'is no action', '/keymap lists all actions.');
      }
      contexts.set(context, actions);
    }
  }
  return contexts;
}

/** In `global`, an action of any context may be bound. */
const isIn = ({ context }: KeyAction, written: string): boolean => written === 'global' || written === context;

function ownBinding(table: ReadonlyMap<string, JsonObject>, action: KeyAction, report: Report): OwnBinding | undefined {
  const { context, name } = action;
  const from = table.get(context)?.[name] === undefined ? 'global' : context;
  const value = table.get(from)?.[name];
  if (value === undefined) return undefined;
  const path = ['tui', 'keymap', from, name];
  const list = typeof value === 'string' ? [value] : value;
  if (!Array.isArray(list) || !list.every((each): each is string => typeof each === 'string')) {
    report(path, 'is neither a key nor a list of keys', 'Write "ctrl-x", or ["ctrl-x", "f5"].');
    return undefined;
  }
  const keys: string[] = [];
  for (const each of list) {
    const strokes = parseStrokes(each);
    if (strokes === undefined) {
      const next = 'Write modifiers first, such as ctrl-alt-x, alt-page-up, f5 or "ctrl-x ctrl-t".';
      report(path, `has "${each}", which no terminal reports`, next);
      return undefined;
    }
    const unfit = unfitKey(strokes, action);
    if (unfit !== undefined) {
      report(path, `has ${unfit.what}`, unfit.next);
      return undefined;
    }
    keys.push(strokes);
  }
  return { path, keys: [...new Set(keys)] };
}

/** Actions with keys that the user also gave to other actions, in contexts that apply together. */
function conflicting(own: ReadonlyMap<KeyAction, OwnBinding>, report: Report, named: (path: Path) => string) {
  const found = new Set<KeyAction>();
  const all = [...own];
  for (const [at, [action, { path, keys }]] of all.entries()) {
    for (const [other, binding] of all.slice(at + 1)) {
      if (keyPlaceOf(action) !== keyPlaceOf(other)) continue;
      const key = keys.find((each) => binding.keys.some((theirs) => strokesCollide(each, theirs)));
      if (key === undefined) continue;
      found.add(action).add(other);
      report(path, `and ${named(binding.path)} both have ${shownKey(key)}`, 'Take it out of one of them.');
    }
  }
  return found;
}

/** Default keys that the user has not given to another action in the same place. */
function leftKeys(action: KeyAction, own: ReadonlyMap<KeyAction, OwnBinding>): readonly string[] {
  const taken = [...own].filter(([other]) => keyPlaceOf(other) === keyPlaceOf(action)).flatMap(([, { keys }]) => keys);
  return defaultKeys(action).filter((key) => !taken.some((each) => strokesCollide(each, key)));
}

/** Contexts that apply at the same time share one place. */
const keyPlaceOf = ({ context }: KeyAction): string => (contextsOf.composer.includes(context) ? 'composer' : context);

/** True if both are equal, or if one of them is the first key of the other. */
export const strokesCollide = (one: string, other: string): boolean =>
  one === other || one.startsWith(`${other} `) || other.startsWith(`${one} `);

/** Other actions in the same place with this key, or with one that begins or continues it. */
export function conflictingBindings({ bindings }: KeyMap, action: KeyAction, strokes: string): readonly KeyBinding[] {
  const others = bindings.filter((other) => actionId(other.action) !== actionId(action));
  const beside = others.filter((other) => keyPlaceOf(other.action) === keyPlaceOf(action));
  return beside.filter(({ keys }) => keys.some((key) => strokesCollide(key, strokes)));
}

/** The reason why a key cannot be bound to an action, and an alternative. */
export type UnfitKey = { readonly what: string; readonly next: string };

/** The reason why the key cannot be bound to the action. Undefined if it can. */
export function unfitKey(strokes: string, action: KeyAction): UnfitKey | undefined {
  const [first = ''] = strokes.split(' ');
  const fixed = fixedKeys[first];
  const isOfComposer = contextsOf.composer.includes(action.context);
  const isDefault = defaultKeys(action).includes(strokes);
  if (fixed !== undefined && !isDefault && (isOfComposer || first === 'ctrl+c' || first === 'ctrl+z'))
    return { what: `${shownKey(first)}, which is fixed: it ${fixed}`, next: 'Choose another key.' };
  const next = 'Add Ctrl or Alt, or choose a key such as f5.';
  const types = isOfComposer && typesCharacter(first) && action.name !== 'toggle_shortcuts';
  return types ? { what: `${shownKey(first)}, which types a character`, next } : undefined;
}
