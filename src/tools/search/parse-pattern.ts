/** A regular expression, read. */
export type Pattern =
  /** One character; `matches` is asked about its code point. */
  | { readonly kind: 'character'; readonly matches: (code: number) => boolean }
  /** A place between characters. */
  | { readonly kind: 'place'; readonly at: 'start' | 'end' | 'boundary' | 'inside' }
  | { readonly kind: 'sequence' | 'choice'; readonly parts: readonly Pattern[] }
  | { readonly kind: 'repeat'; readonly part: Pattern; readonly least: number; readonly most: number };

/** `expected`: the rest of a sentence about the pattern. */
export interface PatternProblem {
  readonly problem: string;
}

/** Counted repeats are written out, so they are bounded. */
const mostRepeats = 1000;
const mostNesting = 100;
/** Ranges and classes of one set are asked one after the other. */
const mostMembers = 100;
const mostCharacters = 10_000;

/** Reads the syntax that most programs share. What cannot be matched in linear time has no place in it. */
export function parsePattern(text: string): Pattern | PatternProblem {
  if (text.length > mostCharacters) return { problem: `is longer than ${mostCharacters} characters` };
  const reader = new Reader(text);
  try {
    const pattern = reader.choice(0);
    return reader.isDone ? pattern : { problem: 'has a ) without its (' };
  } catch (error) {
    if (error instanceof Unreadable) return { problem: error.message };
    throw error;
  }
}

/** Never leaves this file. */
class Unreadable extends Error {}

type Matches = (code: number) => boolean;

const isDigit: Matches = (code) => code >= 48 && code <= 57;
export const isWord: Matches = (code) =>
  isDigit(code) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95;
const isSpace: Matches = (code) => (code >= 9 && code <= 13) || code === 32 || code === 0xa0 || code === 0xfeff;
const not =
  (matches: Matches): Matches =>
  (code) =>
    !matches(code);

const classes: Readonly<Record<string, Matches>> = {
  d: isDigit,
  D: not(isDigit),
  w: isWord,
  W: not(isWord),
  s: isSpace,
  S: not(isSpace),
};
const escapes: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, f: 12, v: 11, 0: 0 };
const places = { b: 'boundary', B: 'inside' } as const;

class Reader {
  readonly #characters: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#characters = [...text];
  }

  get isDone(): boolean {
    return this.#at >= this.#characters.length;
  }

  choice(depth: number): Pattern {
    if (depth > mostNesting) throw new Unreadable('nests too deeply');
    const parts = [this.#sequence(depth)];
    while (this.#takes('|')) parts.push(this.#sequence(depth));
    return parts.length === 1 ? parts[0]! : { kind: 'choice', parts };
  }

  #sequence(depth: number): Pattern {
    const parts: Pattern[] = [];
    while (!this.isDone && this.#next !== '|' && this.#next !== ')') parts.push(this.#repeated(depth));
    return { kind: 'sequence', parts };
  }

  #repeated(depth: number): Pattern {
    let part = this.#atom(depth);
    for (;;) {
      const bounds = this.#bounds();
      if (bounds === undefined) return part;
      if (part.kind === 'place') throw new Unreadable('repeats something that is no character');
      // What is found is a line, so a lazy repeat finds the same.
      this.#takes('?');
      part = { kind: 'repeat', part, ...bounds };
    }
  }

  #bounds(): { least: number; most: number } | undefined {
    if (this.#takes('*')) return { least: 0, most: Infinity };
    if (this.#takes('+')) return { least: 1, most: Infinity };
    if (this.#takes('?')) return { least: 0, most: 1 };
    const [counted, first = '', comma, last = ''] =
      /^\{(\d+)(,?)(\d*)\}/.exec(this.#characters.slice(this.#at, this.#at + 20).join('')) ?? [];
    if (counted === undefined) return undefined;
    this.#at += counted.length;
    const least = Number(first);
    const most = comma === '' ? least : last === '' ? Infinity : Number(last);
    if (least > most) throw new Unreadable(`has a repeat with its bounds in the wrong order: ${counted}`);
    if (least > mostRepeats || (most > mostRepeats && most !== Infinity)) {
      throw new Unreadable(`repeats something more than ${mostRepeats} times: ${counted}`);
    }
    return { least, most };
  }

  #atom(depth: number): Pattern {
    const character = this.#take();
    switch (character) {
      case '(':
        return this.#group(depth);
      case '[':
        return { kind: 'character', matches: this.#set() };
      case '.':
        return { kind: 'character', matches: () => true };
      case '^':
        return { kind: 'place', at: 'start' };
      case '$':
        return { kind: 'place', at: 'end' };
      case '\\':
        return this.#escaped();
      case '*':
      case '+':
      case '?':
        throw new Unreadable(`has nothing to repeat before ${character}`);
      default:
        return literal(character.codePointAt(0)!);
    }
  }

  #group(depth: number): Pattern {
    if (this.#takes('?')) {
      const isNamed = this.#takes('<') && this.#next !== '=' && this.#next !== '!';
      if (isNamed) while (!this.isDone && !this.#takes('>')) this.#at++;
      else if (!this.#takes(':')) throw new Unreadable('has a look-around or a flag inside, which is not supported');
    }
    const inner = this.choice(depth + 1);
    if (!this.#takes(')')) throw new Unreadable('has a ( without its )');
    return inner;
  }

  #escaped(): Pattern {
    if (this.isDone) throw new Unreadable('ends with a \\');
    const next = this.#next;
    if (/[1-9k]/.test(next)) throw new Unreadable('has a reference back, which is not supported');
    if (next === 'b' || next === 'B') {
      this.#at++;
      return { kind: 'place', at: places[next] };
    }
    const member = this.#escapedMember();
    return typeof member === 'number' ? literal(member) : { kind: 'character', matches: member };
  }

  /** What stands behind a backslash: a character or a class. */
  #escapedMember(): number | Matches {
    const character = this.#take();
    const group = Object.hasOwn(classes, character) ? classes[character] : undefined;
    if (group !== undefined) return group;
    if (character === 'p' || character === 'P') throw new Unreadable('has a Unicode class, which is not supported');
    if (character === 'x' || character === 'u') return this.#codePoint(character);
    return Object.hasOwn(escapes, character) ? escapes[character]! : character.codePointAt(0)!;
  }

  #codePoint(sort: 'x' | 'u'): number {
    const rest = this.#characters.slice(this.#at, this.#at + 10).join('');
    const [found, braced, plain = braced] =
      (sort === 'x' ? /^(?:\{([\da-f]{1,6})\}|([\da-f]{2}))/i : /^(?:\{([\da-f]{1,6})\}|([\da-f]{4}))/i).exec(rest) ??
      [];
    if (found === undefined || plain === undefined) throw new Unreadable(`has a \\${sort} without its number`);
    this.#at += found.length;
    return Number.parseInt(plain, 16);
  }

  #set(): Matches {
    const isNegated = this.#takes('^');
    const codes = new Set<number>();
    const members: Matches[] = [];
    for (let isFirst = true; isFirst || !this.#takes(']'); isFirst = false) {
      if (this.isDone) throw new Unreadable('has a [ without its ]');
      const first = this.#member();
      const isRange = this.#next === '-' && (this.#characters[this.#at + 1] ?? ']') !== ']';
      if (typeof first !== 'number' || !isRange) {
        if (typeof first === 'number') codes.add(first);
        else members.push(first);
        continue;
      }
      this.#at++;
      const last = this.#member();
      if (typeof last !== 'number' || last < first) throw new Unreadable('has a range in [ ] in the wrong order');
      members.push((code) => code >= first && code <= last);
    }
    if (members.length > mostMembers)
      throw new Unreadable(`has more than ${mostMembers} ranges and classes in one [ ]`);
    const matches: Matches = (code) => codes.has(code) || members.some((each) => each(code));
    return isNegated ? not(matches) : matches;
  }

  #member(): number | Matches {
    const character = this.#take();
    if (character !== '\\') return character.codePointAt(0)!;
    if (this.isDone) throw new Unreadable('ends with a \\');
    return this.#next === 'b' ? (this.#at++, 8) : this.#escapedMember();
  }

  get #next(): string {
    return this.#characters[this.#at] ?? '';
  }

  #take(): string {
    return this.#characters[this.#at++]!;
  }

  #takes(character: string): boolean {
    if (this.#next !== character || this.isDone) return false;
    this.#at++;
    return true;
  }
}

function literal(code: number): Pattern {
  return { kind: 'character', matches: (other) => other === code };
}
