import { readPiece } from './read-piece.ts';
import type { TerminalInput } from './terminal-input.ts';

/** More than a message may have. What follows in the same paste is dropped. */
const mostPasted = 4 * 1024 * 1024;

export const pasteStart = '\u001B[200~';
const pasteEnd = '\u001B[201~';

/** What a terminal sends by itself, and no page or key: focus, mouse, and its answers about itself. */
const report =
  /^\u001B(?:\[(?:[IO]|M[^\u0001-\u001F]{3}|<[\d;]{1,40}[Mm]|\?[\d;]{0,40}[cu]|\d{1,5};\d{1,5}R)|\]\d{1,4};[^\u0007\u001B]{0,200}(?:\u0007|\u001B\\))/;
/** What may become one with more, or a mark of a paste. */
const begunReport =
  /^\u001B(?:\[(?:M[^\u0001-\u001F]{0,2}|[<?]?[\d;]{0,40})?|\](?:\d{1,4}(?:;[^\u0007\u001B]{0,200}\u001B?)?)?)?$/;

/** What a piece of input made of a paste. `rest` was not read. `waits`: more has to come, or a silence. */
interface PastePart {
  readonly state: 'waits' | 'next';
  readonly inputs: readonly TerminalInput[];
  readonly rest: string;
}

/**
 * A paste that the terminal marks. A page may have a mark of the end in its text: what comes behind the end without a
 * silence is text of the paste and no key, but for what the terminal sends by itself, and a next paste.
 */
export class MarkedPaste {
  #text = '';
  #isCut = false;
  /** Its end has come, and more may belong to it. */
  #isEnded = false;

  get isEnded(): boolean {
    return this.#isEnded;
  }

  read(sent: string): PastePart {
    if (this.#isEnded) return this.#readBehind(sent);
    const end = sent.indexOf(pasteEnd);
    // The end may have come in part.
    const read = end === -1 ? Math.max(0, sent.length - pasteEnd.length + 1) : end;
    this.#add(sent.slice(0, read));
    if (end === -1) return { state: 'waits', inputs: [], rest: sent.slice(read) };
    this.#isEnded = true;
    return this.#readBehind(sent.slice(end + pasteEnd.length));
  }

  /** Nothing follows. `last` was begun and is no report. */
  whole(last: string): TerminalInput {
    this.#add(last);
    const text = this.#text.replaceAll(pasteStart, '');
    return { kind: 'paste', text, ...(this.#isCut ? { isCut: true as const } : {}) };
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

/** A report at the beginning. A place of the cursor may look like a key with modifiers: it is none here. */
function readReport(text: string): { readonly length: number; readonly inputs: readonly TerminalInput[] } | undefined {
  const [whole] = report.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const { inputs = [] } = readPiece(whole) ?? {};
  return { length: whole.length, inputs: inputs.filter(({ kind }) => kind !== 'key') };
}
