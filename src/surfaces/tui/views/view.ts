import type { Frame } from '../screen/frame.ts';
import type { TerminalInput } from '../screen/terminal-input.ts';
import type { Look } from '../text/look.ts';

/** Something that stands in the place of the composer and has the keyboard. It is closed by who opened it. */
export interface View {
  /** At most `height` rows. */
  frame(look: Look, height: number): Frame;
  input(input: TerminalInput): void;
}
