import { LateRest } from './late-rest.ts';
import { oldMouse, readOldMouse } from './old-mouse.ts';
import { escapeMs, giveUp, waitFor } from './open-sequence.ts';
import { controlKey, readApplicationKey, readConsoleKey, readTerminalAnswer, readSequence } from './read-sequence.ts';
import { keyPress, type TerminalInput } from './terminal-input.ts';

/** Typed faster than by hand, and longer than what one key sends: taken as one text. */
const longRun = 16;
/** More than a message may have. What follows in the same paste is dropped. */
const mostPasted = 4 * 1024 * 1024;

/** One of so many characters may have filled the read that brought it, and the rest comes with the next. */
const longPaste = 256;
/** What comes behind the end of a paste without such a silence belongs to it: a page may have a mark of the end in its text. */
const settleMs = 40;
/** A terminal that has not answered after this time does not. */
const answerMs = 2000;

const pasteStart = '\u001B[200~';
const pasteEnd = '\u001B[201~';

interface ReadPiece {
  readonly length: number;
  readonly inputs: readonly TerminalInput[];
}

/** Takes apart what a terminal sends. Sequences may come in pieces. */
export class InputReader {
  readonly #emit: (input: TerminalInput) => void;
  #buffer = '';
  /** What was pasted so far; undefined outside a paste. */
  #pasted: string | undefined;
  #isCut = false;
  /** The paste came in more than one piece. */
  #isLong = false;
  /** Its end has come, and more behind it. */
  #isOver = false;
  #timer: NodeJS.Timeout | undefined;
  readonly #late = new LateRest();
  /** Runs while the terminal has not answered what it was asked. */
  #due: NodeJS.Timeout | undefined;

  constructor(emit: (input: TerminalInput) => void) {
    this.#emit = emit;
  }

  feed(text: string): void {
    clearTimeout(this.#timer);
    if (this.#buffer === '' && this.#pasted === undefined && !this.#late.holds && isUnmarkedPaste(text)) {
      this.#late.forget();
      this.#emit({ kind: 'paste', text, isUnmarked: true });
      return;
    }
    const known = this.#late.take(text);
    if (known === undefined) this.#timer = setTimeout(() => this.#add(this.#late.release()), escapeMs);
    else this.#add(known);
  }

  /** The terminal was asked something. An Escape is waited for longer until it has answered, or for a while. */
  expectAnswer(): void {
    clearTimeout(this.#due);
    this.#due = setTimeout(() => this.#answered(), answerMs).unref();
  }

  #answered(): void {
    clearTimeout(this.#due);
    this.#due = undefined;
  }

  #add(text: string): void {
    this.#isLong = this.#pasted !== undefined;
    this.#buffer += text;
    this.#read();
    this.#wait();
  }

  #wait(): void {
    if (this.#isOver) this.#timer = setTimeout(() => this.#endPaste(this.#buffer), settleMs);
    else if (this.#buffer !== '' && this.#pasted === undefined)
      this.#timer = setTimeout(() => this.#giveUp(), waitFor(this.#buffer, { isAnswerDue: this.#due !== undefined }));
  }

  /** Nothing more comes, or what was typed is not wanted. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#late.clear();
    this.#answered();
    this.#buffer = '';
    this.#pasted = undefined;
    this.#isCut = false;
    this.#isOver = false;
  }

  #read(): void {
    while (this.#buffer !== '') {
      if (this.#pasted !== undefined) {
        if (!this.#readPaste(this.#pasted)) return;
        continue;
      }
      if (this.#buffer.startsWith(pasteStart)) {
        this.#buffer = this.#buffer.slice(pasteStart.length);
        this.#pasted = '';
        continue;
      }
      const piece = readPiece(this.#buffer);
      if (piece === undefined) return;
      this.#buffer = this.#buffer.slice(piece.length);
      for (const input of piece.inputs) {
        if (input.kind === 'background' || (input.kind === 'answer' && input.about === 'terminal')) this.#answered();
        this.#emit(input);
      }
    }
  }

  /** False: its end has not come. Nothing before the end is a key, however long it is. */
  #readPaste(before: string): boolean {
    const end = this.#buffer.indexOf(pasteEnd);
    // The end may have come in part.
    const read = end === -1 ? Math.max(0, this.#buffer.length - pasteEnd.length + 1) : end;
    const room = mostPasted - before.length;
    const text = before + this.#buffer.slice(0, Math.min(read, room));
    this.#isCut ||= read > room;
    this.#pasted = text;
    if (end === -1) {
      this.#buffer = this.#buffer.slice(read);
      return false;
    }
    this.#buffer = this.#withoutFocus(this.#buffer.slice(end + pasteEnd.length));
    this.#isOver = this.#isLong || this.#isOver || this.#buffer !== '' || text.length >= longPaste;
    if (!this.#isOver) this.#endPaste('');
    return true;
  }

  /** A terminal may say in the same breath that it has the keyboard now. */
  #withoutFocus(text: string): string {
    const [, focus] = /^\u001B\[([IO])$/.exec(text) ?? [];
    if (focus !== undefined) this.#emit({ kind: 'focus', has: focus === 'I' });
    return focus === undefined ? text : '';
  }

  #endPaste(last: string): void {
    const text = `${this.#pasted ?? ''}${last}`.replaceAll(pasteStart, '');
    const cut = this.#isCut ? { isCut: true as const } : {};
    this.#buffer = '';
    this.#pasted = undefined;
    this.#isCut = false;
    this.#isOver = false;
    this.#emit({ kind: 'paste', text, ...cut });
  }

  /** The rest of a sequence does not come. */
  #giveUp(): void {
    const { length, inputs } = giveUp(this.#buffer);
    if (this.#buffer.length === length) this.#late.begin(this.#buffer);
    this.#buffer = this.#buffer.slice(length);
    for (const input of inputs) this.#emit(input);
    this.#read();
    this.#wait();
  }
}

/** Several lines at once, from a terminal that does not mark a paste. A newline at the end alone is the Enter key. */
function isUnmarkedPaste(text: string): boolean {
  return text.length > 2 && !text.includes('\u001B') && /[\r\n][^\r\n]/.test(text) && !/[^\P{Cc}\t\r\n]/u.test(text);
}

/** The next thing in the text; undefined where more has to come. */
function readPiece(text: string): ReadPiece | undefined {
  const code = text.codePointAt(0) ?? 0;
  if (code === 27) return readEscape(text);
  if (code < 32 || code === 127) return { length: 1, inputs: [controlKey(code)] };
  if (code >= 128 && code < 160) return { length: 1, inputs: [] };
  const [run = ''] = /^[^\p{Cc}]+/u.exec(text) ?? [];
  const signs = [...run];
  const inputs =
    signs.length > longRun
      ? [{ kind: 'key', name: 'text', text: run } as const]
      : signs.map((sign) => keyPress(sign === ' ' ? 'space' : sign));
  return { length: Math.max(1, run.length), inputs };
}

function readEscape(text: string): ReadPiece | undefined {
  const second = text[1];
  if (second === undefined) return undefined;
  if (second === '[') return readControl(text);
  if (second === 'O') {
    const third = text[2];
    if (third === undefined) return undefined;
    return { length: 3, inputs: listed(readApplicationKey(third)) };
  }
  if (second === ']' || second === 'P' || second === '_' || second === '^' || second === 'X') return readString(text);
  if (second === '\u001B') {
    const inner = readEscape(text.slice(1));
    // Alt with a key that has a sequence of its own, or Escape twice.
    if (inner === undefined) return text.length === 2 ? undefined : inner;
    const [only] = inner.inputs;
    if (inner.length === 1 || only?.kind !== 'key') return { length: 1, inputs: [controlKey(27)] };
    return { length: inner.length + 1, inputs: [withAlt(only.name)] };
  }
  const [sign = ''] = text.slice(1);
  const code = sign.codePointAt(0) ?? 0;
  const plain = code < 32 || code === 127 ? controlKey(code).name : sign === ' ' ? 'space' : sign;
  return { length: 1 + sign.length, inputs: [withAlt(plain)] };
}

function withAlt(name: string): TerminalInput {
  const isCtrl = name.startsWith('ctrl+');
  return keyPress(isCtrl ? name.slice(5) : name, { ctrl: isCtrl, alt: true });
}

function readControl(text: string): ReadPiece | undefined {
  if (text.startsWith(oldMouse)) return readOldMouse(text);
  if (text[2] === '[')
    return text[3] === undefined ? undefined : { length: 4, inputs: listed(readConsoleKey(text[3])) };
  // eslint-disable-next-line no-control-regex
  const found = /^\u001B\[([<=>?]?)([\d;:]*)[ -/]*([@-~])/.exec(text);
  if (found === null) {
    const isBegun = /^\u001B\[[<=>?]?[\d;:]*[ -/]*$/.test(text) && text.length < 64;
    return isBegun ? undefined : { length: 2, inputs: [] };
  }
  const [whole, prefix = '', parameters = '', final = ''] = found;
  return { length: whole.length, inputs: listed(readSequence(prefix, parameters, final)) };
}

/** An answer of the terminal, up to its end. */
function readString(text: string): ReadPiece | undefined {
  if (isTyped(text)) return { length: 2, inputs: [withAlt(text.slice(1, 2))] };
  const end = /\u0007|\u001B\\/.exec(text.slice(2));
  if (end === null) return text.length > 4096 ? { length: text.length, inputs: [] } : undefined;
  const inputs = text[1] === ']' ? listed(readTerminalAnswer(text.slice(2, 2 + end.index))) : [];
  return { length: 2 + end.index + end[0].length, inputs };
}

/** Alt with a key that begins answers, and other keys behind it: no answer begins so. */
function isTyped(text: string): boolean {
  return /^\u001B(?:\][^\dlL]|P[^\d!$+>|])/.test(text);
}

function listed(input: TerminalInput | undefined): readonly TerminalInput[] {
  return input === undefined ? [] : [input];
}
