import { actionId, type KeyAction } from './key-action.ts';
import { contextsOf, type KeyBinding, type KeyMap } from './key-map.ts';

/** Contexts that count at the same time are one place. */
export function keyPlaceOf({ context }: KeyAction): string {
  return contextsOf.composer.includes(context) ? 'composer' : context;
}

/** The same, or one is the beginning of the other. */
export function collide(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other} `) || other.startsWith(`${one} `);
}

/** Other actions that the key, or one that begins or goes on with it, means in the same place. */
export function rivalsOf({ bindings }: KeyMap, action: KeyAction, strokes: string): readonly KeyBinding[] {
  return bindings.filter(
    ({ action: other, keys }) =>
      actionId(other) !== actionId(action) &&
      keyPlaceOf(other) === keyPlaceOf(action) &&
      keys.some((key) => collide(key, strokes)),
  );
}
