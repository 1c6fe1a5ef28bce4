import { controlKey, type ParsedInput, parseNextInput } from './read-sequence.ts';
import { keyPress, type TerminalInput } from './terminal-port.ts';

/** Input belongs to a paste until this much silence follows the end mark. */
const settleMs = 40;
/** A terminal that has not answered by then never will. */
const answerMs = 2000;

/** Parses input from a terminal. Sequences may arrive in pieces. */
export class InputReader {
  readonly #emit: (input: TerminalInput) => void;
  #buffer = '';
  #paste: MarkedPaste | undefined;
  readonly #silence = new InputSilence(() => this.#silent());
  readonly #late = new LateSequenceRest();
  /** Runs while an answer of the terminal is due. */
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

  /** A query was sent to the terminal. Until the answer arrives or is overdue, an Escape waits longer for its rest. */
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
      this.#silence.restart(sequenceWaitMs(this.#buffer, { isAnswerDue: this.#due !== undefined }));
  }

  #silent(): void {
    const [paste, last] = [this.#paste, this.#buffer];
    if (paste === undefined) return this.#giveUp();
    this.#buffer = '';
    this.#paste = undefined;
    this.#emit(paste.whole(last));
  }

  /** Call when input has ended or typed input is to be dropped. */
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
      } else if (this.#buffer.startsWith(pasteStart)) this.#beginPaste();
      else {
        const piece = parseNextInput(this.#buffer);
        if (piece === undefined) return;
        this.#buffer = this.#buffer.slice(piece.length);
        this.#tell(piece.inputs);
      }
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

  /** False if more input must arrive. Until the paste ends, no input is a key, however long the paste is. */
  #readPaste(paste: MarkedPaste): boolean {
    const { state, inputs, rest } = paste.read(this.#buffer);
    this.#buffer = rest;
    this.#tell(inputs);
    if (state === 'waits') return false;
    this.#emit(paste.whole(''));
    this.#beginPaste();
    return true;
  }

  #giveUp(): void {
    const { length, inputs } = giveUpSequence(this.#buffer);
    if (this.#buffer.length === length) this.#late.begin(this.#buffer);
    this.#buffer = this.#buffer.slice(length);
    for (const input of inputs) this.#emit(input);
    this.#read();
    this.#wait();
  }
}

/** True for several lines at once: a paste that the terminal does not mark. A newline only at the end is Enter. */
const isUnmarkedPaste = (text: string): boolean =>
  text.length > 2 && !text.includes('\u001B') && /[\r\n][^\r\n]/.test(text) && !/[^\P{Cc}\t\r\n]/u.test(text);

/** The reader recognizes the late rest of a sequence for this long: as keys, its digits would answer a question. */
const lateMs = 1000;

/** A complete answer, report or key of a terminal, or the start of a paste. */
const sent =
  /^\u001B(?:\[(?:[IO]|M[^\u0001-\u001F]{3}|[<=>?]?[\d;:]+[ -/]*[A-Za-z~])|\]\d+;[^\u0007\u001B]*(?:\u0007|\u001B\\)|P[^\u001B]*\u001B\\)$/;
const paste = /^\u001B\[200~/;

/**
 * Recognizes the late rest of a sequence whose beginning was taken for a key or dropped. Only input that arrives in one
 * read and completes the sequence is its rest. A single character and everything else are keys: a user who presses
 * Escape and continues typing loses nothing.
 */
class LateSequenceRest {
  /** Beginning of a sequence that was given up lately; empty if there is none. */
  #begun = '';
  readonly #silence = new InputSilence(() => this.clear());

  /** The rest of this sequence did not arrive in time. */
  begin(open: string): void {
    this.#begun = open;
    this.#silence.restart(lateMs);
  }

  /** Returns the text to read: a late rest joined with its beginning, or the text as it is. */
  take(text: string): string {
    const whole = this.#begun + text;
    const isRest = this.#begun !== '' && text.length > 1 && (sent.test(whole) || paste.test(whole));
    this.clear();
    return isRest ? whole : text;
  }

  clear(): void {
    this.#silence.stop();
    this.#begun = '';
  }
}

/** More than a message may have. The rest of the same paste is dropped. */
const mostPasted = 4 * 1024 * 1024;
const pasteStart = '\u001B[200~';
const pasteEnd = '\u001B[201~';

/** Input that the terminal sends by itself, not from a page or key: focus, mouse, and answers about itself. */
const report =
  /^\u001B(?:\[(?:[IO]|M[^\u0001-\u001F]{3}|<[\d;]{1,40}[Mm]|\?[\d;]{0,40}[cu]|\d{1,5};\d{1,5}R)|\]\d{1,4};[^\u0007\u001B]{0,200}(?:\u0007|\u001B\\))/;
const begunReport =
  /^\u001B(?:\[(?:M[^\u0001-\u001F]{0,2}|[<?]?[\d;]{0,40})?|\](?:\d{1,4}(?:;[^\u0007\u001B]{0,200}\u001B?)?)?)?$/;

/** The result of reading a piece of a paste. `rest` was not read. `waits`: more input or a silence must come. */
type PastePart = { readonly state: 'waits' | 'next'; readonly inputs: readonly TerminalInput[]; readonly rest: string };

/**
 * A paste that the terminal marks. A web page may have an end mark in its text, so input that follows the end mark
 * without a silence is text of the paste, not keys, except reports of the terminal and a next paste.
 */
class MarkedPaste {
  #text = '';
  #isCut = false;
  /** Its end mark was read, but more may belong to it. */
  isEnded = false;

  read(sent: string): PastePart {
    if (this.isEnded) return this.#readBehind(sent);
    const end = sent.indexOf(pasteEnd);
    // The end mark may have arrived in part.
    const read = end === -1 ? Math.max(0, sent.length - pasteEnd.length + 1) : end;
    this.#add(sent.slice(0, read));
    if (end === -1) return { state: 'waits', inputs: [], rest: sent.slice(read) };
    this.isEnded = true;
    return this.#readBehind(sent.slice(end + pasteEnd.length));
  }

  /** Ends the paste. `last`: text that began like a report but is none. */
  whole(last: string): TerminalInput {
    this.#add(last);
    return { kind: 'paste', text: this.#text.replaceAll(pasteStart, ''), isCut: this.#isCut || undefined };
  }

  #readBehind(sent: string): PastePart {
    const inputs: TerminalInput[] = [];
    let rest = sent;
    while (rest !== '') {
      const at = rest.indexOf('\u001B');
      this.#add(at === -1 ? rest : rest.slice(0, at));
      rest = at === -1 ? '' : rest.slice(at);
      if (rest.startsWith(pasteStart)) return { state: 'next', inputs, rest };
      const told = rest.startsWith(pasteEnd) ? { length: pasteEnd.length, inputs: [] } : readReport(rest);
      if (told !== undefined) inputs.push(...told.inputs);
      else if (begunReport.test(rest)) break;
      else this.#add(rest.slice(0, 1));
      rest = rest.slice(told?.length ?? 1);
    }
    return { state: 'waits', inputs, rest };
  }

  #add(text: string): void {
    const room = mostPasted - this.#text.length;
    this.#isCut ||= text.length > room;
    this.#text += text.slice(0, room);
  }
}

/** Reads a report at the beginning. A cursor position report may look like a key with modifiers, so it gives no key. */
function readReport(text: string): ParsedInput | undefined {
  const [whole] = report.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const { inputs = [] } = parseNextInput(whole) ?? {};
  return { length: whole.length, inputs: inputs.filter(({ kind }) => kind !== 'key') };
}

/** A lone Escape is a key after this silence: the rest of a sequence comes at once. */
const escapeMs = 30;
/** After this silence it is Alt with a key that begins sequences. Longer, as a slow line may split a sequence there. */
const beginningMs = 150;
/** The terminal has sent an unambiguous beginning, so the reader waits this long for the rest. */
const restMs = 1000;
/** Escape and one of these begin a sequence. Alone, or before the Escape of another key, they may be Alt with a key. */
const beginning = /^\u001B[[\]OPX^_](?=$|\u001B(?!\\))/;

/** Milliseconds to wait for the rest. While an answer is due, an Escape is as likely its beginning as a key. */
function sequenceWaitMs(open: string, { isAnswerDue }: { readonly isAnswerDue: boolean }): number {
  if (isEscape(open)) return isAnswerDue && open.length < 2 ? beginningMs : escapeMs;
  return beginning.test(open) ? beginningMs : restMs;
}

const isEscape = (open: string): boolean => open.startsWith('\u001B\u001B') || open.length < 2;

/** Interprets a sequence whose rest does not arrive. No part of a terminal report becomes a key. */
function giveUpSequence(open: string): ParsedInput {
  if (isEscape(open)) return { length: 1, inputs: [controlKey(open.codePointAt(0) ?? 27)] };
  const [, sign = ''] = open;
  return beginning.test(open)
    ? { length: 2, inputs: [keyPress(sign, { alt: true })] }
    : { length: open.length, inputs: [] };
}

/** If a timer fires this late, the program was held up. */
const silenceLateMs = 20;

/**
 * Calls back after a time without input. Keys may wait to be read while the program was busy, so the silence is over
 * only after the program has checked for them. Use this for timing after input, never a plain timer, which Node runs
 * before it reads.
 */
export class InputSilence {
  readonly #over: () => void;
  #timer: NodeJS.Timeout | undefined;
  #looking: NodeJS.Immediate | undefined;

  constructor(over: () => void) {
    this.#over = over;
  }

  restart(milliseconds: number): void {
    this.stop();
    this.#wait(milliseconds, 'first');
  }

  #wait(milliseconds: number, time: 'first' | 'second'): void {
    const due = Date.now() + milliseconds;
    this.#timer = setTimeout(() => {
      // On a busy machine terminal data may arrive as late as this timer: wait once more.
      if (time === 'first' && Date.now() - due > silenceLateMs) return this.#wait(milliseconds, 'second');
      // Node reads input between timers and this.
      this.#looking = setImmediate(this.#over);
    }, milliseconds).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#looking);
  }
}
