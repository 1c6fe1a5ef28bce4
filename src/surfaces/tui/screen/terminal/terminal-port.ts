/** What a terminal reports. */
export interface TerminalListener {
  input(input: TerminalInput): void;
  resize(): void;
  /** The program is in the foreground again: nothing that it had drawn may be there any more. */
  resumed(): void;
  /** The program was asked to stop for a while. */
  stop(): void;
  /** There is no terminal any more. */
  lost(): void;
}

/** A terminal for one program at a time. */
export interface TerminalPort {
  readonly columns: number;
  readonly rows: number;
  /** It is known to mark what is pasted. */
  readonly marksPastes: boolean;
  /** It shows another screen to a program that asks for one, and this one again behind it. */
  readonly keepsScreen: boolean;
  write(text: string): void;
  /** Takes the keyboard. `stop` gives it back, in the state in which it was. */
  start(listener: TerminalListener): void;
  stop(): void;
  /** Stops the program until the shell continues it. */
  suspend(): void;
  /** Lends the terminal to another program until `work` is over. What is typed meanwhile is that program's. */
  lend<Result>(work: () => Promise<Result>): Promise<Result>;
}

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
