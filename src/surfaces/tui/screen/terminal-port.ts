import type { TerminalInput } from './terminal-input.ts';

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
