/**
 * A key as the terminal reported it. `name` has its modifiers before it, in this order: `ctrl+alt+shift+left`; a key
 * that types has the name of what it types. `text`: what it types, empty for a key that types nothing.
 */
export interface KeyPress {
  readonly kind: 'key';
  readonly name: string;
  readonly text: string;
}

/**
 * What comes from the terminal. `isCut`: it was too long, and this is its beginning. `isUnmarked`: the terminal did not
 * say that it is a paste, and more of it may follow. `background`: its answer to the question for its colour, as three
 * bytes. `answer`: it tells keys with modifiers apart, or it is a terminal at all.
 */
export type TerminalInput =
  | KeyPress
  | { readonly kind: 'paste'; readonly text: string; readonly isCut?: true; readonly isUnmarked?: true }
  | { readonly kind: 'focus'; readonly has: boolean }
  | { readonly kind: 'wheel'; readonly direction: 'up' | 'down' }
  | { readonly kind: 'background'; readonly rgb: readonly [number, number, number] }
  | { readonly kind: 'answer'; readonly about: 'keyboard' | 'terminal' };

export interface Modifiers {
  readonly ctrl?: boolean;
  readonly alt?: boolean;
  readonly shift?: boolean;
}

/** A key by its plain name. One that types a character does so without Ctrl and Alt only. */
export function keyPress(name: string, { ctrl = false, alt = false, shift = false }: Modifiers = {}): KeyPress {
  const isTyped = name === 'space' || [...name].length === 1;
  const typed = name === 'space' ? ' ' : name;
  const withShift = shift && !isTyped;
  const full = `${ctrl ? 'ctrl+' : ''}${alt ? 'alt+' : ''}${withShift ? 'shift+' : ''}${name}`;
  return { kind: 'key', name: full, text: isTyped && !ctrl && !alt ? typed : '' };
}
