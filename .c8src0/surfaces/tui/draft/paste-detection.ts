import { InputSilence } from '../screen/terminal/input-reader.ts';
import { keyPress, type KeyPress, type TerminalInput } from '../screen/terminal/terminal-port.ts';
import type { TuiScreen } from '../screen/tui-screen.ts';
import { type Draft, replaceRange } from './draft.ts';
import { isLongPaste, insertPastedPicture, pasteInto, cleanPastedText, replacePastedText } from './pasted-text.ts';

/** A paste ends after this silence. Enter and Tab wait as long for input that makes them part of a paste. */
const silenceMs = 60;
/** An Enter or a Tab so soon after a paste belongs to it. */
const enterMs = 120;

export interface PasteDetectingKeysParts {
  readonly stage: Pick<TuiScreen, 'composer' | 'draw' | 'look'>;
  /** True if the terminal may send a paste as keys. */
  isOn(): boolean;
  /** True if typed input goes elsewhere than the draft. */
  isElsewhere(): boolean;
  /** Passes on a held key that was not part of a paste. */
  pass(key: KeyPress): void;
}

/** Keys of a terminal that does not mark pastes. Enter and Tab act only when no paste continues after them. */
export class PasteDetectingKeys {
  readonly #parts: PasteDetectingKeysParts;
  readonly #burst: PasteBurst;
  readonly #silence = new InputSilence(() => this.#settle());
  readonly #tail = new InputSilence(() => void (this.#isBehindPaste = false));
  #isBehindPaste = false;
  /** An Enter or a Tab that may be part of a paste. */
  #held: KeyPress | undefined;
  #folded: { readonly text: string; readonly more: string[] } | undefined;
  #endsWithReturn = false;

  constructor(parts: PasteDetectingKeysParts) {
    this.#parts = parts;
    this.#burst = new PasteBurst(() => parts.stage.look.now);
  }

  input(input: TerminalInput): boolean {
    if (input.kind === 'paste' && input.isUnmarked === true && this.#parts.isOn()) return this.#pasted(input.text);
    if (input.kind !== 'key' || !this.#parts.isOn()) {
      this.#settle();
      return false;
    }
    const { name } = input;
    if (name === 'enter' || name === 'tab') return this.#mayAct(input);
    if (name === 'ctrl+j') return this.#text('\n');
    if (input.text !== '') return this.#text(input.text);
    this.#settle();
    return false;
  }

  /** Handles several lines received at once. */
  #pasted(pasted: string): boolean {
    const text = this.#withoutLineFeed(pasted);
    this.#endsWithReturn = pasted.endsWith('\r');
    this.#takeHeld();
    const plain = cleanPastedText(text);
    this.#add(plain);
    this.#begin();
    if (!this.#fold(plain)) this.#write(plain);
    return true;
  }

  #text(text: string): boolean {
    if (text === '\n' && this.#withoutLineFeed(text) === '') {
      this.#takeHeld();
      return true;
    }
    this.#endsWithReturn = false;
    this.#takeHeld();
    this.#add(text);
    return this.#fold(text);
  }

  /** Holds Enter or Tab while it may be part of a paste. */
  #mayAct(key: KeyPress): boolean {
    this.#takeHeld();
    const sign = signOf(key);
    this.#endsWithReturn = key.name === 'enter';
    this.#add(sign);
    if (this.#fold(sign)) return true;
    if (!this.#burst.isOn && !this.#isBehindPaste) this.#held = key;
    else {
      this.#begin();
      this.#write(sign);
    }
    return true;
  }

  /** Adds a held Enter or Tab to the paste, because more input followed it. */
  #takeHeld(): void {
    const key = this.#held;
    if (key === undefined) return;
    this.#held = undefined;
    this.#begin();
    this.#write(signOf(key));
  }

  #add(text: string): void {
    if (this.#folded === undefined) this.#burst.typed(text);
    else this.#folded.more.push(text);
    this.#silence.restart(silenceMs);
    if (this.#burst.isOn) this.#begin();
  }

  #begin(): void {
    this.#burst.begin();
    this.#isBehindPaste = true;
    this.#tail.restart(enterMs);
  }

  /** Turns a long paste into an element of the draft. True if this and the following input belongs to that element. */
  #fold(last: string): boolean {
    if (this.#folded !== undefined) return true;
    const { run } = this.#burst;
    const { stage, isElsewhere } = this.#parts;
    if (!isLongPaste(run) || isElsewhere()) return false;
    const without = withoutRun(stage.composer.draft, run.slice(0, run.length - last.length));
    if (without === undefined) return false;
    stage.composer.draft = pasteInto(without, run);
    this.#folded = { text: cleanPastedText(run), more: [] };
    return true;
  }

  #write(text: string): void {
    const { stage, isElsewhere } = this.#parts;
    if (isElsewhere()) return;
    const { composer } = stage;
    if (text === '\n') composer.input(keyPress('j', { ctrl: true }));
    else composer.input({ kind: 'key', name: 'text', text });
  }

  /** A return and a line feed are one line end, even in separate reads. */
  #withoutLineFeed(text: string): string {
    const isPair = this.#endsWithReturn && text.startsWith('\n');
    this.#endsWithReturn = false;
    return isPair ? text.slice(1) : text;
  }

  /** Ends the paste: it is inserted like any paste, and a held key acts. */
  #settle(): void {
    this.#silence.stop();
    const { stage, pass } = this.#parts;
    const settled = this.#settled(stage.composer.draft);
    this.#burst.end();
    this.#folded = undefined;
    this.#endsWithReturn = false;
    if (settled !== undefined) {
      stage.composer.draft = settled;
      stage.draw();
    }
    const key = this.#held;
    this.#held = undefined;
    if (key !== undefined) pass(key);
  }

  #settled(draft: Draft): Draft | undefined {
    if (this.#folded !== undefined) {
      const { text, more } = this.#folded;
      if (more.length === 0) return undefined;
      const rest = cleanPastedText(more.join(''));
      const element = draft.elements.find(({ payload }) => payload.kind === 'paste' && payload.text === text);
      return element === undefined ? pasteInto(draft, rest) : replacePastedText(draft, element, text + rest);
    }
    const { run } = this.#burst;
    const isThere = run !== '' && this.#held === undefined && !this.#parts.isElsewhere();
    const without = isThere ? withoutRun(draft, run) : undefined;
    return without && insertPastedPicture(without, run, process.env);
  }
}

/** The draft without this input before the cursor. Undefined if it is not there, or an element is in it. */
function withoutRun(draft: Draft, run: string): Draft | undefined {
  const { text, cursor, elements } = draft;
  const from = cursor - run.length;
  const isThere = from >= 0 && text.slice(from, cursor) === run;
  if (!isThere || elements.some(({ end }) => end > from && end <= cursor)) return undefined;
  return replaceRange(draft, [from, cursor], '');
}

const signOf = ({ name }: KeyPress): '\n' | '\t' => (name === 'enter' ? '\n' : '\t');
/** No hand types characters so close to each other. */
const fastMs = 8;
const least = 3;

/**
 * Detects a paste that the terminal does not mark: characters arrive faster than anyone types. Enter counts as one of
 * them. Input belongs to it until `end`. Words from an input method look the same.
 */
export class PasteBurst {
  readonly #now: () => number;
  #run = '';
  #count = 0;
  #lastAt = -Infinity;

  constructor(now: () => number) {
    this.#now = now;
  }

  typed(text: string): void {
    const now = this.#now();
    const isJoined = this.isOn || now - this.#lastAt <= fastMs;
    this.#run = isJoined ? this.#run + text : text;
    this.#count = (isJoined ? this.#count : 0) + [...text].length;
    this.#lastAt = now;
  }

  /** Marks the input as part of a paste. */
  begin(): void {
    this.#count = Math.max(this.#count, least);
  }

  get isOn(): boolean {
    return this.#count >= least;
  }
  get run(): string {
    return this.isOn ? this.#run : '';
  }

  end(): void {
    this.#run = '';
    this.#count = 0;
    this.#lastAt = -Infinity;
  }
}
