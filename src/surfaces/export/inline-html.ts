import { escapeHtml } from './escape-html.ts';

/**
 * The Markdown inside a paragraph as HTML: code, emphasis and links. Every other character is escaped, and only web and
 * mail addresses become links. Takes time in proportion to the text, whatever the text is.
 */
export function inlineHtml(text: string): string {
  return new InlineWriter(text, { links: true }).write();
}

/** Text up to the next character that may mean something. An `h` may begin an address. */
const plainText = /[^\\`![*_~<h]+/y;
const escape = /\\([!-/:-@[-`{-~])/y;
const bareAddress = /https?:\/\/[^\s<>"'`*\\]{1,2000}/y;
const angledAddress = /<(https?:\/\/[^\s<>"'`\\]{1,2000})>/y;
const target =
  /\([ \n]{0,9}<?([^\s()<>]{0,2000}(?:\([^\s()<>]{0,200}\)[^\s()<>]{0,2000})?)>?(?:[ \n]{1,9}"[^"\n]{0,500}")?[ \n]{0,9}\)/y;
const safeAddress = /^(?:https?:\/\/|mailto:)[^\s"'<>`\\]+$/i;
const emphasisTags: Readonly<Record<string, string>> = {
  '*': 'em',
  '**': 'strong',
  _: 'em',
  __: 'strong',
  '~~': 'del',
};

interface Opener {
  readonly marks: string;
  /** Its place in the output: plain marks until their counterpart is found. */
  readonly place: number;
}

class InlineWriter {
  readonly #text: string;
  readonly #links: boolean;
  readonly #codeEnds: ReadonlyMap<number, number>;
  readonly #brackets: ReadonlyMap<number, number>;
  readonly #out: string[] = [];
  readonly #openers: Opener[] = [];
  /** How many openers wait, by their marks: a closer without one need not search. */
  readonly #waiting = new Map<string, number>();

  constructor(text: string, { links }: { readonly links: boolean }) {
    this.#text = text;
    this.#links = links;
    this.#codeEnds = codeEnds(text);
    this.#brackets = links ? brackets(text, this.#codeEnds) : new Map();
  }

  write(): string {
    for (let at = 0; at < this.#text.length;) at = this.#next(at);
    return this.#out.join('');
  }

  /** Writes what stands at the place. Gives the place after it. */
  #next(at: number): number {
    const plain = this.#match(plainText, at);
    if (plain !== undefined) return this.#put(escapeHtml(plain[0]), at + plain[0].length);
    switch (this.#text[at]) {
      case '\\': {
        const escaped = this.#match(escape, at);
        return escaped === undefined ? this.#literal(at) : this.#put(escapeHtml(escaped[1]!), at + 2);
      }
      case '`':
        return this.#code(at);
      case '!':
        return this.#text[at + 1] === '[' ? (this.#link(at + 1, 'Picture: ') ?? this.#literal(at)) : this.#literal(at);
      case '[':
        return this.#link(at, '') ?? this.#literal(at);
      case '<': {
        const angled = this.#links ? this.#match(angledAddress, at) : undefined;
        return angled === undefined ? this.#literal(at) : this.#put(anchor(angled[1]!), at + angled[0].length);
      }
      case 'h':
        return this.#address(at);
      default:
        return this.#emphasis(at);
    }
  }

  #code(at: number): number {
    const start = runEnd(this.#text, at);
    const end = this.#codeEnds.get(at);
    if (end === undefined) return this.#put(this.#text.slice(at, start), start);
    const code = this.#text.slice(start, end);
    // One space on both sides sets backticks off from the marks around them.
    const isSetOff = code.startsWith(' ') && code.endsWith(' ') && code.trim() !== '';
    const shown = isSetOff ? code.slice(1, -1) : code;
    return this.#put(`<code>${escapeHtml(shown)}</code>`, end + start - at);
  }

  /** Undefined when the bracket begins no link. */
  #link(at: number, label: string): number | undefined {
    const close = this.#brackets.get(at);
    const found = close === undefined ? undefined : this.#match(target, close + 1);
    if (close === undefined || found === undefined) return undefined;
    const words = label + new InlineWriter(this.#text.slice(at + 1, close), { links: false }).write();
    const address = found[1]!;
    const shown = safeAddress.test(address) ? anchor(address, words) : `${words} (${escapeHtml(address)})`;
    return this.#put(shown, close + 1 + found[0].length);
  }

  #address(at: number): number {
    const found = !this.#links || /\w/.test(this.#text[at - 1] ?? '') ? undefined : this.#match(bareAddress, at);
    if (found === undefined) return this.#literal(at);
    // What ends a sentence, or a bracket around the address, is not a part of it.
    let end = found[0].length;
    while (end > 0 && '.,:;!?)]}_~'.includes(found[0][end - 1]!)) end--;
    const address = found[0].slice(0, end);
    return safeAddress.test(address) ? this.#put(anchor(address), at + end) : this.#literal(at);
  }

  #emphasis(at: number): number {
    const sign = this.#text[at]!;
    const end = runEnd(this.#text, at);
    const [before, after] = [this.#text[at - 1] ?? ' ', this.#text[end] ?? ' '];
    const isWord = (other: string): boolean => sign === '_' && /[\p{L}\p{N}]/u.test(other);
    const isKnown = sign === '~' ? end - at === 2 : end - at <= 3;
    let left = end - at;
    if (isKnown && /\S/.test(before) && !isWord(after)) left -= this.#close(sign, left);
    if (isKnown && /\S/.test(after) && !isWord(before))
      for (const count of left === 3 ? [1, 2] : [left]) this.#open(sign.repeat(count));
    else this.#out.push(sign.repeat(left));
    return end;
  }

  #open(marks: string): void {
    if (marks === '') return;
    this.#openers.push({ marks, place: this.#out.push(marks) - 1 });
    this.#waiting.set(marks, (this.#waiting.get(marks) ?? 0) + 1);
  }

  /** Closes as many marks as wait for it, the newest first. Gives how many signs that took. */
  #close(sign: string, most: number): number {
    let used = 0;
    for (;;) {
      const fitting = [sign, sign.repeat(2)].filter(
        (marks) => marks.length <= most - used && (this.#waiting.get(marks) ?? 0) > 0,
      );
      if (fitting.length === 0) return used;
      const { marks, place } = this.#takeOpener(fitting);
      this.#out[place] = `<${emphasisTags[marks]!}>`;
      this.#out.push(`</${emphasisTags[marks]!}>`);
      used += marks.length;
    }
  }

  /** What was opened since and not closed stays as it was written: tags are never interleaved. */
  #takeOpener(fitting: readonly string[]): Opener {
    for (;;) {
      const opener = this.#openers.pop()!;
      this.#waiting.set(opener.marks, this.#waiting.get(opener.marks)! - 1);
      if (fitting.includes(opener.marks)) return opener;
    }
  }

  #literal(at: number): number {
    return this.#put(escapeHtml(this.#text[at]!), at + 1);
  }

  #put(html: string, next: number): number {
    this.#out.push(html);
    return next;
  }

  #match(pattern: RegExp, at: number): RegExpExecArray | undefined {
    pattern.lastIndex = at;
    return pattern.exec(this.#text) ?? undefined;
  }
}

/** The address is a safe one. The page that it leads to does not learn where the reader came from. */
function anchor(address: string, words = escapeHtml(address)): string {
  return `<a href="${escapeHtml(address)}" rel="noopener noreferrer">${words}</a>`;
}

/** Where code ends, by where its opening backticks begin: at the next run of as many. */
function codeEnds(text: string): ReadonlyMap<number, number> {
  const ends = new Map<number, number>();
  const next = new Map<number, number>();
  for (const { 0: run, index } of [...text.matchAll(/`+/g)].toReversed()) {
    const end = next.get(run.length);
    if (end !== undefined) ends.set(index, end);
    next.set(run.length, index);
  }
  return ends;
}

/** Where brackets close, by where they open. Those in code mean nothing. */
function brackets(text: string, ends: ReadonlyMap<number, number>): ReadonlyMap<number, number> {
  const pairs = new Map<number, number>();
  const open: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (sign === '\\') at++;
    else if (sign === '`') {
      const [run, end] = [runEnd(text, at), ends.get(at)];
      at = end === undefined ? run - 1 : end + run - at - 1;
    } else if (sign === '[') open.push(at);
    else if (sign === ']') {
      const opened = open.pop();
      if (opened !== undefined) pairs.set(opened, at);
    }
  }
  return pairs;
}

/** Where a run of the same character ends. */
function runEnd(text: string, at: number): number {
  let end = at + 1;
  while (text[end] === text[at]) end++;
  return end;
}
