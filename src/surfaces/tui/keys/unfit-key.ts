import { defaultKeys, type KeyAction } from './key-action.ts';
import { fixedKeys } from './key-actions.ts';
import { contextsOf } from './key-map.ts';
import { shownKey, typesCharacter } from './key-name.ts';

/** Why a key cannot be bound to an action, and what to do instead. */
export interface UnfitKey {
  readonly what: string;
  readonly next: string;
}

/** Undefined: it can. */
export function unfitKey(strokes: string, action: KeyAction): UnfitKey | undefined {
  const [first = ''] = strokes.split(' ');
  const fixed = fixedKeys[first];
  const isOfComposer = contextsOf.composer.includes(action.context);
  const isDefault = defaultKeys(action).includes(strokes);
  if (fixed !== undefined && !isDefault && (isOfComposer || first === 'ctrl+c' || first === 'ctrl+z')) {
    return { what: `${shownKey(first)}, which is fixed: it ${fixed}`, next: 'Choose another key.' };
  }
  if (isOfComposer && typesCharacter(first) && action.name !== 'toggle_shortcuts') {
    return {
      what: `${shownKey(first)}, which types a character`,
      next: 'Add Ctrl or Alt, or choose a key such as f5.',
    };
  }
  return undefined;
}
