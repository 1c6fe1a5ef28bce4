import { keyPress, type KeyPress, type Modifiers, type TerminalInput } from './terminal-port.ts';

/** More characters than a user types or a key sends at once: they are read as one text. */
const longRun = 16;
export type ParsedInput = { readonly length: number; readonly inputs: readonly TerminalInput[] };

/** Reads the next input of the text; undefined if more must arrive. */
export function parseNextInput(text: string): ParsedInput | undefined {
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

function readEscape(text: string): ParsedInput | undefined {
  const second = text[1];
  if (second === undefined) return undefined;
  if (second === '[') return readControl(text);
  if (second === 'O') {
    const third = text[2];
    if (third === undefined) return undefined;
    return { length: 3, inputs: listed(named(third === 'M' ? 'enter' : byLetter[third], '')) };
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

function readControl(text: string): ParsedInput | undefined {
  if (text.startsWith(oldMouse)) return readOldMouse(text);
  if (text[2] === '[') {
    const letter = text[3];
    if (letter === undefined) return undefined;
    return { length: 4, inputs: /^[A-E]$/.test(letter) ? [keyPress(`f${letter.charCodeAt(0) - 64}`)] : [] };
  }
  // eslint-disable-next-line no-control-regex
  const found = /^\u001B\[([<=>?]?)([\d;:]*)[ -/]*([@-~])/.exec(text);
  if (found === null)
    return /^\u001B\[[<=>?]?[\d;:]*[ -/]*$/.test(text) && text.length < 64 ? undefined : { length: 2, inputs: [] };
  const [whole, prefix = '', parameters = '', final = ''] = found;
  return { length: whole.length, inputs: listed(readSequence(prefix, parameters, final)) };
}

function readString(text: string): ParsedInput | undefined {
  if (isTyped(text)) return { length: 2, inputs: [withAlt(text.slice(1, 2))] };
  const end = /\u0007|\u001B\\/.exec(text.slice(2));
  if (end === null) return text.length > 4096 ? { length: text.length, inputs: [] } : undefined;
  const inputs = text[1] === ']' ? listed(readTerminalAnswer(text.slice(2, 2 + end.index))) : [];
  return { length: 2 + end.index + end[0].length, inputs };
}

/** True for Alt+] or Alt+P with other keys behind it: no answer of a terminal begins with these characters. */
const isTyped = (text: string): boolean => /^\u001B(?:\][^\dlL]|P[^\d!$+>|])/.test(text);
const listed = (input: TerminalInput | undefined): readonly TerminalInput[] => (input === undefined ? [] : [input]);
const oldMouse = '\u001B[M';

/**
 * Reads a legacy mouse report: button and position, one character each. Undefined if more must arrive. A position that
 * no character can represent is NUL; any other control character is not part of it.
 */
function readOldMouse(text: string): ParsedInput | undefined {
  const signs: string[] = [];
  for (const sign of text.slice(oldMouse.length)) {
    const isNext = /^[\u0001-\u001F]$/.test(sign);
    if (!isNext) signs.push(sign);
    if (isNext || signs.length === 3) {
      const wheel = wheelOf((signs[0]?.codePointAt(0) ?? 0) - 32);
      return { length: oldMouse.length + signs.join('').length, inputs: wheel === undefined ? [] : [wheel] };
    }
  }
  return undefined;
}

/** Maps numbers to names, beginning with `first`. `-`: the number has no name. */
function numbered(first: number, names: string): Readonly<Record<number, string>> {
  const all = names.split(' ').map((name, at) => [first + at, name] as const);
  return Object.fromEntries(all.filter(([, name]) => name !== '-'));
}

const places = { A: 'up', B: 'down', C: 'right', D: 'left', F: 'end', H: 'home' };
const byLetter: Readonly<Record<string, string>> = { ...places, P: 'f1', Q: 'f2', R: 'f3', S: 'f4' };
const byNumber: Readonly<Record<string, string>> = {
  ...numbered(1, 'home insert delete end pageup pagedown home end'),
  ...numbered(11, 'f1 f2 f3 f4 f5 - f6 f7 f8 f9 f10 - f11 f12 f13 f14 - f15 f16 - f17 f18 f19 f20'),
};
const controls = { 8: 'backspace', 9: 'tab', 13: 'enter', 27: 'escape', 32: 'space', 127: 'backspace' };
const byCode: Readonly<Record<number, string>> = {
  ...controls,
  ...numbered(57_376, 'f13 f14 f15 f16 f17 f18 f19 f20 f21 f22 f23 f24'),
  ...numbered(57_414, 'enter - - left right up down pageup pagedown home end insert delete'),
};

/** Interprets the parts of a control sequence; undefined if it is no user input. */
function readSequence(prefix: string, parameters: string, final: string): TerminalInput | undefined {
  const [first = '', second = '', third = ''] = parameters.split(';');
  if (prefix === '<') return final === 'M' ? wheelOf(Number(first)) : undefined;
  if (prefix === '?' && (final === 'u' || final === 'c'))
    return { kind: 'answer', about: final === 'u' ? 'keyboard' : 'terminal' };
  if (prefix !== '') return undefined;
  switch (final) {
    case 'I':
    case 'O':
      return parameters === '' ? { kind: 'focus', has: final === 'I' } : undefined;
    case 'M':
      return wheelOf(Number(first) - 32);
    case 'Z':
      return keyPress('tab', { shift: true });
    case 'u':
      return isRelease(second) ? undefined : coded(Number(first.split(':')[0]), modifiersOf(second));
    case '~':
      if (first === '27') return coded(Number(third), modifiersOf(second));
      return named(byNumber[first], second);
    default:
      // With other numbers it is a terminal answer, such as the cursor position.
      if ((first !== '' && first !== '1') || (final === 'R' && second === '1')) return undefined;
      return named(byLetter[final], second);
  }
}

const named = (name: string | undefined, modifiers: string): KeyPress | undefined =>
  name === undefined || isRelease(modifiers) ? undefined : keyPress(name, modifiersOf(modifiers));

/** A key by its code point. With Shift, and without Ctrl, a letter is its capital. */
function coded(code: number, modifiers: Modifiers): KeyPress | undefined {
  const known = byCode[code];
  if (known !== undefined) return keyPress(known, modifiers);
  if (!Number.isInteger(code) || code < 32 || code > 0x10_ff_ff || (code >= 57_344 && code <= 63_743)) return undefined;
  const sign = String.fromCodePoint(code);
  return keyPress(modifiers.shift === true && modifiers.ctrl !== true ? sign.toUpperCase() : sign, modifiers);
}

/** The field is one more than a sum: 1 for Shift, 2 for Alt, 4 for Ctrl. */
function modifiersOf(field: string): Modifiers {
  const bits = Math.max(0, Number(field.split(':')[0] || '1') - 1);
  return { shift: (bits & 1) !== 0, alt: (bits & 2) !== 0, ctrl: (bits & 4) !== 0 };
}

const isRelease = (field: string): boolean => field.split(':')[1] === '3';

function wheelOf(reported: number): TerminalInput | undefined {
  const button = reported & ~28;
  if (button !== 64 && button !== 65) return undefined;
  return { kind: 'wheel', direction: button === 64 ? 'up' : 'down' };
}

export function controlKey(code: number): KeyPress {
  // As a control character, 8 is Ctrl+H.
  const name = code === 8 ? undefined : byCode[code];
  if (name !== undefined) return keyPress(name);
  if (code === 0) return keyPress('space', { ctrl: true });
  return keyPress(String.fromCodePoint(code + 64).toLowerCase(), { ctrl: true });
}

/** `11;rgb:1e1e/1e1e/2e2e`: the background colour. */
function readTerminalAnswer(text: string): TerminalInput | undefined {
  const [, red, green, blue] = /^11;rgba?:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})/i.exec(text) ?? [];
  if (red === undefined || green === undefined || blue === undefined) return undefined;
  const byte = (hex: string): number => Math.round((Number.parseInt(hex, 16) / (16 ** hex.length - 1)) * 255);
  return { kind: 'background', rgb: [byte(red), byte(green), byte(blue)] };
}
