import { LateRest } from './late-rest.ts';
import { MarkedPaste, pasteStart } from './marked-paste.ts';
import { giveUp, waitFor } from './open-sequence.ts';
import { readPiece } from './read-piece.ts';
import { Silence } from './silence.ts';
import type { TerminalInput } from './terminal-input.ts';

/** What comes behind the end of a paste without such a silence belongs to it. */
const settleMs = 40;
/** A terminal that has not answered after this time does not. */
const answerMs = 2000;

/** Takes apart what a terminal sends. Sequences may come in pieces. */
export class InputReader {
  readonly #emit: (input: TerminalInput) => void;
  #buffer = '';
  /** Undefined outside a paste. */
  #paste: MarkedPaste | undefined;
  readonly #silence = new Silence(() => this.#silent());
  readonly #late = new LateRest();
  /** Runs while the terminal has not answered what it was asked. */
  #due: NodeJS.Timeout | undefined;

  constructor(emit: (input: TerminalInput) => void) {
    this.#emit = emit;
  }

  feed(text: string): void {
    this.#silence.stop();
    if (this.#buffer === '' && this.#paste === undefined && isUnmarkedPaste(text)) {
      this.#late.clear();
      this.#emit({ kind: 'paste', text, isUnmarked: true });
      return;
    }
    this.#buffer += this.#late.take(text);
    this.#read();
    this.#wait();
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

  #wait(): void {
    if (this.#paste?.isEnded === true) this.#silence.restart(settleMs);
    else if (this.#buffer !== '' && this.#paste === undefined)
      this.#silence.restart(waitFor(this.#buffer, { isAnswerDue: this.#due !== undefined }));
  }

  /** Nothing has followed in time. */
  #silent(): void {
    if (this.#paste !== undefined) this.#endPaste(this.#paste);
    else this.#giveUp();
  }

  /** Nothing more comes, or what was typed is not wanted. */
  clear(): void {
    this.#silence.stop();
    this.#late.clear();
    this.#answered();
    this.#buffer = '';
    this.#paste = undefined;
  }

  #read(): void {
    while (this.#buffer !== '') {
      if (this.#paste !== undefined) {
        if (!this.#readPaste(this.#paste)) return;
        continue;
      }
      if (this.#buffer.startsWith(pasteStart)) {
        this.#beginPaste();
        continue;
      }
      const piece = readPiece(this.#buffer);
      if (piece === undefined) return;
      this.#buffer = this.#buffer.slice(piece.length);
      this.#tell(piece.inputs);
    }
  }

  #tell(inputs: readonly TerminalInput[]): void {
    for (const input of inputs) {
      if (input.kind === 'background' || (input.kind === 'answer' && input.about === 'terminal')) this.#answered();
      this.#emit(input);
    }
  }

  #beginPaste(): void {
    this.#buffer = this.#buffer.slice(pasteStart.length);
    this.#paste = new MarkedPaste();
  }

  /** False: more has to come. Nothing before the end is a key, however long it is. */
  #readPaste(paste: MarkedPaste): boolean {
    const { state, inputs, rest } = paste.read(this.#buffer);
    this.#buffer = rest;
    this.#tell(inputs);
    if (state === 'waits') return false;
    this.#emit(paste.whole(''));
    this.#beginPaste();
    return true;
  }

  #endPaste(paste: MarkedPaste): void {
    const last = this.#buffer;
    this.#buffer = '';
    this.#paste = undefined;
    this.#emit(paste.whole(last));
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
