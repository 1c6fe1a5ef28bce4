import type { KeymapLine } from '../../engine/save-keymap.ts';
import { defaultKeys } from './key-action.ts';
import type { KeyBinding, KeyMap } from './key-map.ts';
import { writtenStrokes } from './key-name.ts';
import { collide, rivalsOf } from './key-place.ts';

/** What a user does to the keys of an action. */
export type KeyChange =
  | { readonly kind: 'replace' | 'add' | 'remove'; readonly strokes: string }
  | { readonly kind: 'unbind' | 'default' };

/** The keys that the action then has. */
export function changedKeys({ action, keys }: KeyBinding, change: KeyChange): readonly string[] {
  switch (change.kind) {
    case 'replace':
      return [change.strokes];
    case 'add':
      return [...keys.filter((key) => !collide(key, change.strokes)), change.strokes];
    case 'remove':
      return keys.filter((key) => key !== change.strokes);
    case 'unbind':
      return [];
    case 'default':
      return defaultKeys(action);
  }
}

/**
 * The lines of `[tui.keymap]` that make the change. An action that the user has given the key before loses it in a line
 * of its own: the key map refuses a key that is there twice. One that has it by default loses it without a line.
 */
export function changeLines(
  map: KeyMap,
  binding: KeyBinding,
  change: KeyChange,
  /** Below `global` stands a line for actions of this name. */
  isInGlobal: boolean,
): readonly KeymapLine[] {
  const { context, name } = binding.action;
  // Without its own line, that of `global` would count.
  const isLineless = change.kind === 'default' && (context === 'global' || !isInGlobal);
  const keys = isLineless ? undefined : changedKeys(binding, change).map((key) => writtenStrokes(key));
  return [...lostLines(map, binding, change), { context, name, keys }];
}

function lostLines(map: KeyMap, { action }: KeyBinding, change: KeyChange): readonly KeymapLine[] {
  if (change.kind !== 'replace' && change.kind !== 'add') return [];
  const { strokes } = change;
  return rivalsOf(map, action, strokes)
    .filter(({ boundAt }) => boundAt !== undefined)
    .map(({ action: { context, name }, keys }) => {
      const left = keys.filter((key) => !collide(key, strokes));
      return { context, name, keys: left.map((key) => writtenStrokes(key)) };
    });
}
