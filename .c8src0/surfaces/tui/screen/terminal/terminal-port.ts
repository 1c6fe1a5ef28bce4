export type TerminalListener = Record<'resize' | 'resumed' | 'stop' | 'lost', () => void> & {
  input(input: TerminalInput): void;
};

export interface TerminalPort {
  readonly columns: number;
  readonly rows: number;
  readonly marksPastes: boolean;
  /** The terminal has an alternate screen, and restores this one after it. */
  readonly keepsScreen: boolean;
  write(text: string): void;
  /** Acquires the keyboard. `stop` restores its former state. */
  start(listener: TerminalListener): void;
  stop(): void;
  suspend(): void;
  /** Lends the terminal to another program until `work` is over. Input meanwhile belongs to that program. */
  lend<Result>(work: () => Promise<Result>): Promise<Result>;
}

/**
 * A key as the terminal reports it. Modifiers precede `name` in this order: `ctrl+alt+shift+left`; a character key is
 * named by its character. `text`: the typed text, empty for other keys.
 */
export type KeyPress = { readonly kind: 'key'; readonly name: string; readonly text: string };

/**
 * Input from the terminal. `isCut`: it was too long, and only its beginning is here. `isUnmarked`: the terminal did not
 * mark it as a paste, and more may follow. `background`: the reported background colour as three bytes. `answer`: the
 * terminal says that it distinguishes keys with modifiers, or only that it is a terminal.
 */
export type TerminalInput =
  | KeyPress
  | { readonly kind: 'paste'; readonly text: string; readonly isCut?: true; readonly isUnmarked?: true }
  | { readonly kind: 'focus'; readonly has: boolean }
  | { readonly kind: 'wheel'; readonly direction: 'up' | 'down' }
  | { readonly kind: 'background'; readonly rgb: readonly [number, number, number] }
  | { readonly kind: 'answer'; readonly about: 'keyboard' | 'terminal' };

export type Modifiers = { readonly ctrl?: boolean; readonly alt?: boolean; readonly shift?: boolean };

/** A key by its plain name. Character keys type only without Ctrl and Alt. */
export function keyPress(name: string, { ctrl = false, alt = false, shift = false }: Modifiers = {}): KeyPress {
  const isTyped = name === 'space' || [...name].length === 1;
  const typed = name === 'space' ? ' ' : name;
  const full = `${ctrl ? 'ctrl+' : ''}${alt ? 'alt+' : ''}${shift && !isTyped ? 'shift+' : ''}${name}`;
  return { kind: 'key', name: full, text: isTyped && !ctrl && !alt ? typed : '' };
}
