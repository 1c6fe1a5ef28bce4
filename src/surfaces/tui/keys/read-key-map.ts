import { isJsonObject, type Json, type JsonObject } from '../../../protocol/json.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { defaultKeys, type KeyAction, type KeyContext, keyContexts } from './key-action.ts';
import { fixedKeys, keyActions } from './key-actions.ts';
import { contextsOf, type KeyBinding, type KeyMap, keyMapOf } from './key-map.ts';
import { readStrokes, shownKey, typesCharacter } from './key-name.ts';

/** What a user has bound, and where. */
interface OwnBinding {
  readonly path: string;
  readonly keys: readonly string[];
}

export interface ReadKeyMap {
  readonly map: KeyMap;
  /** What is wrong with the configuration. The actions that it is about keep their defaults. */
  readonly problems: readonly Outcome[];
}

/** The key map that `[tui.keymap]` says, as it was written. */
export function readKeyMap(written: Json | undefined): ReadKeyMap {
  const problems: Outcome[] = [];
  const table = tableOf(written, problems);
  const own = new Map<KeyAction, OwnBinding>();
  for (const action of keyActions) {
    const binding = ownBinding(table, action, problems);
    if (binding !== undefined) own.set(action, binding);
  }
  for (const action of conflicting(own, problems)) own.delete(action);
  const bindings = keyActions.map((action): KeyBinding => {
    const taken = own.get(action);
    if (taken !== undefined) return { action, keys: taken.keys, boundAt: taken.path };
    return { action, keys: leftKeys(action, own), boundAt: undefined };
  });
  return { map: keyMapOf(bindings), problems };
}

/** The contexts that it has; what is no context or no action is reported. */
function tableOf(written: Json | undefined, problems: Outcome[]): ReadonlyMap<string, JsonObject> {
  const contexts = new Map<string, JsonObject>();
  if (written === undefined) return contexts;
  if (!isJsonObject(written)) {
    problems.push(wrong('tui.keymap', 'is no table', 'Write [tui.keymap.chat] with a line for each action below it.'));
    return contexts;
  }
  for (const [context, actions] of Object.entries(written)) {
    const path = `tui.keymap.${context}`;
    if (!keyContexts.includes(context as KeyContext)) {
      problems.push(wrong(path, 'is no context of keys', `Use one of ${keyContexts.join(', ')}.`));
    } else if (!isJsonObject(actions)) {
      problems.push(wrong(path, 'is no table', `Write [${path}] with a line for each action below it.`));
    } else {
      for (const name of Object.keys(actions)) {
        const isKnown = keyActions.some((each) => each.name === name && isIn(each, context));
        if (!isKnown) problems.push(wrong(`${path}.${name}`, 'is no action', '/keymap lists all actions.'));
      }
      contexts.set(context, actions);
    }
  }
  return contexts;
}

/** In `global`, an action of any context may be bound. */
function isIn({ context }: KeyAction, written: string): boolean {
  return written === 'global' || written === context;
}

function ownBinding(
  table: ReadonlyMap<string, JsonObject>,
  action: KeyAction,
  problems: Outcome[],
): OwnBinding | undefined {
  const { context, name } = action;
  const from = table.get(context)?.[name] === undefined ? 'global' : context;
  const value = table.get(from)?.[name];
  if (value === undefined) return undefined;
  const path = `tui.keymap.${from}.${name}`;
  const list = typeof value === 'string' ? [value] : value;
  if (!Array.isArray(list) || !list.every((each): each is string => typeof each === 'string')) {
    problems.push(wrong(path, 'is neither a key nor a list of keys', 'Write "ctrl-x", or ["ctrl-x", "f5"].'));
    return undefined;
  }
  const keys: string[] = [];
  for (const each of list) {
    const read = readBound(each, action);
    if (typeof read === 'string') keys.push(read);
    else problems.push(wrong(path, ...read.problem));
    if (typeof read !== 'string') return undefined;
  }
  return { path, keys: [...new Set(keys)] };
}

type BoundProblem = readonly [what: string, next: string];

function readBound(written: string, action: KeyAction): string | { readonly problem: BoundProblem } {
  const strokes = readStrokes(written);
  if (strokes === undefined) {
    const next = 'Write modifiers first, such as ctrl-alt-x, alt-page-up, f5 or "ctrl-x ctrl-t".';
    return { problem: [`has "${written}", which no terminal reports`, next] };
  }
  const [first = ''] = strokes.split(' ');
  const fixed = fixedKeys[first];
  const isOfComposer = contextsOf.composer.includes(action.context);
  const isDefault = defaultKeys(action).includes(strokes);
  if (fixed !== undefined && !isDefault && (isOfComposer || first === 'ctrl+c' || first === 'ctrl+z')) {
    return { problem: [`has ${shownKey(first)}, which is fixed: it ${fixed}`, 'Choose another key.'] };
  }
  if (isOfComposer && typesCharacter(first) && action.name !== 'toggle_shortcuts') {
    return { problem: [`has "${written}", which types a character`, 'Add ctrl- or alt-, or choose a key such as f5.'] };
  }
  return strokes;
}

/** Actions whose keys the user has given to others as well, in a place where both count. */
function conflicting(own: ReadonlyMap<KeyAction, OwnBinding>, problems: Outcome[]): ReadonlySet<KeyAction> {
  const found = new Set<KeyAction>();
  const all = [...own];
  for (const [at, [action, { path, keys }]] of all.entries()) {
    for (const [other, binding] of all.slice(at + 1)) {
      if (placeOf(action) !== placeOf(other)) continue;
      const key = keys.find((each) => binding.keys.some((theirs) => collide(each, theirs)));
      if (key === undefined) continue;
      found.add(action).add(other);
      const what = `and ${binding.path} both have ${shownKey(key)}`;
      problems.push(wrong(path, what, 'Take it out of one of them.'));
    }
  }
  return found;
}

/** Contexts that count at the same time are one place. */
function placeOf({ context }: KeyAction): string {
  return contextsOf.composer.includes(context) ? 'composer' : context;
}

/** The same, or one is the beginning of the other. */
function collide(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other} `) || other.startsWith(`${one} `);
}

/** The default keys that the user has not given to another action that counts in the same place. */
function leftKeys(action: KeyAction, own: ReadonlyMap<KeyAction, OwnBinding>): readonly string[] {
  const isOfComposer = contextsOf.composer.includes(action.context);
  const taken = [...own]
    .filter(([{ context }]) => (isOfComposer ? contextsOf.composer.includes(context) : context === action.context))
    .flatMap(([, { keys }]) => keys);
  return defaultKeys(action).filter((key) => !taken.some((each) => collide(each, key)));
}

function wrong(path: string, what: string, next: string): Outcome<'key-map'> {
  return { code: 'key-map', message: `${path} ${what}. Capstan keeps the default keys`, next };
}
