import { oldMouse, readOldMouse } from './old-mouse.ts';
import { controlKey, readApplicationKey, readConsoleKey, readSequence, readTerminalAnswer } from './read-sequence.ts';
import { keyPress, type TerminalInput } from './terminal-input.ts';

/** Typed faster than by hand, and longer than what one key sends: taken as one text. */
const longRun = 16;

export interface ReadPiece {
  readonly length: number;
  readonly inputs: readonly TerminalInput[];
}

/** The next thing in the text; undefined where more has to come. */
export function readPiece(text: string): ReadPiece | undefined {
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
