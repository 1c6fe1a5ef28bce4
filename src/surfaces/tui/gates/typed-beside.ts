import { visibleLine } from '../../terminal/visible-text.ts';
import type { Frame } from '../screen/frame.ts';
import type { TerminalInput } from '../screen/terminal-input.ts';
import { cutRow } from '../text/cut.ts';
import { drawRow } from '../text/draw-row.ts';
import type { Look } from '../text/look.ts';
import { dimStyle, styled } from '../text/style.ts';
import type { View } from '../views/view.ts';

/** Where text goes that is no answer. */
export interface KeptDraft {
  input(input: TerminalInput): void;
  text(): string;
}

interface BesideParts {
  readonly draft: KeptDraft;
  now(): number;
  /** Who has typed text types on, for so many milliseconds. */
  readonly typingMs: number;
}

/** Keys of a list that type a letter, too. Those that move are harmless: they may turn out to be the first of a word. */
const moves = new Set(['j', 'k']);
const isChoice = (name: string): boolean => /^[1-9]$/.test(name) || moves.has(name);

/**
 * A list that stands before the conversation, for a user who writes a message meanwhile. What cannot be a choice goes
 * into the draft, and so does all that is typed behind it: neither a number in a message nor the Enter at its end answers.
 */
export class TypedBeside implements View {
  readonly takesText = true;
  readonly #view: View;
  readonly #parts: BesideParts;
  #typedAt = -Infinity;
  #moved: { readonly input: TerminalInput; readonly at: number }[] = [];
  #hasTyped = false;

  constructor(view: View, parts: BesideParts) {
    this.#view = view;
    this.#parts = parts;
  }

  frame(look: Look, height: number): Frame {
    const { draft } = this.#parts;
    if (!this.#hasTyped || height < 3) return this.#view.frame(look, height);
    const frame = this.#view.frame(look, height - 1);
    const note = styled(`  In the composer, for later: ${visibleLine(draft.text())}`, dimStyle);
    return { ...frame, rows: [...frame.rows, drawRow(cutRow([note], look.width, look), look)] };
  }

  input(input: TerminalInput): void {
    const now = this.#parts.now();
    const isTyping = now - this.#typedAt < this.#parts.typingMs;
    if (this.#isText(input, isTyping)) return this.#type(input, now);
    if (isTyping && input.kind === 'key' && input.name === 'enter') {
      this.#typedAt = now;
      return;
    }
    if (input.kind === 'key' && moves.has(input.name)) this.#moved.push({ input, at: now });
    else this.#moved = [];
    this.#view.input(input);
  }

  #isText(input: TerminalInput, isTyping: boolean): boolean {
    // One long word may be a key, pasted too soon: it is not shown.
    if (input.kind === 'paste') return !/^\S{20,}$/.test(input.text.trim());
    if (input.kind !== 'key') return false;
    if (input.name === 'backspace') return isTyping;
    return input.text !== '' && (isTyping || !isChoice(input.name));
  }

  #type(input: TerminalInput, now: number): void {
    const { draft, typingMs } = this.#parts;
    for (const each of this.#moved) if (now - each.at < typingMs) draft.input(each.input);
    this.#moved = [];
    this.#typedAt = now;
    this.#hasTyped = true;
    draft.input(input);
  }
}
