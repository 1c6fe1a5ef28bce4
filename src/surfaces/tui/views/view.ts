import type { KeyGroup } from '../keys/key-map.ts';
import type { Frame } from '../screen/frame.ts';
import type { TerminalInput } from '../screen/terminal-input.ts';
import type { Look } from '../text/look.ts';

/** Something that stands in the place of the composer and has the keyboard. It is closed by who opened it. */
export interface View {
  /** At most `height` rows. */
  frame(look: Look, height: number): Frame;
  input(input: TerminalInput): void;
  /** Which keys it has; `raw`: as they are pressed. Absent: those of a list, or of a pager if it has the whole screen. */
  readonly keys?: KeyGroup | 'raw' | undefined;
  /** What it asks now, where it asks one thing after the other: each has to be in sight before a key answers it. */
  readonly asks?: unknown;
  /** Keys that only show more of what is asked, or another part: they answer nothing. */
  readonly looks?: readonly string[];
  /** It gives all input its meaning itself, but for the key that suspends. */
  readonly hasController?: true;
  /** A key that types a character types. */
  readonly takesText?: boolean;
}
