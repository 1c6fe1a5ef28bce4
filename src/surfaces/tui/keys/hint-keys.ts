import { actionId } from './key-action.ts';
import { defaultKeyMap, type KeyGroup, type KeyMap, shownKeys } from './key-map.ts';

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
