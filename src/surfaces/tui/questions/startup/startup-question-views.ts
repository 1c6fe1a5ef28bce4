import { countColumns } from '../../../../base/text-columns.ts';
import { visibleLine, visibleText } from '../../../views/terminal/visible-text.ts';
import { paddingBlanks, cursorSign, drawCutRows, keyTable, listMargin, listRowStyle } from '../../pages/list-parts.ts';
import { hintKeyMapper } from '../../screen/keys/key-map.ts';
import type { TerminalInput } from '../../screen/terminal/terminal-port.ts';
import { rowsAround } from '../../screen/text/draw-row.ts';
import { glyphsOf, type Look } from '../../screen/text/look.ts';
import { badStyle, boldStyle, dimStyle, plain, styled, warnStyle } from '../../screen/text/style.ts';
import type { Row, Style } from '../../screen/text/style.ts';
import { wrapRow } from '../../screen/text/wrap-row.ts';
import type { Frame, View } from '../../screen/view.ts';
import type { TypingPause } from '../typing-pause.ts';

export interface StartupChoice {
  readonly label: string;
  readonly about?: string;
  /** The choice grants something, so it counts only once the last row of the text was visible. */
  readonly allows?: true;
}

/** A question with its choices. Its texts are untrusted. */
export interface StartupQuestion {
  readonly title: string;
  readonly text?: readonly string[];
  readonly problem?: string;
  readonly choices: readonly StartupChoice[];
}

export type StartupViewOptions = StartupQuestion & { pick(index: number): void; back(): void; leave(): void };

export class StartupQuestionView implements View {
  readonly looks = ['pageup', 'pagedown'];
  readonly #options: StartupViewOptions;
  #at = 0;
  /** The first visible row of the text, and the number of visible rows. */
  #from = 0;
  #room = 1;
  /** The width at which all of the text was visible: a granting choice counts only then. */
  #read: number | undefined;
  #width = 0;
  /** The user made a granting choice before all of the text was visible. */
  #isEarly = false;
  readonly #keys = keyTable<() => void>({
    pageup: () => this.#scroll(-this.#room),
    pagedown: () => this.#scroll(this.#room),
    'ctrl+c': () => this.#options.leave(),
    escape: () => this.#options.back(),
    enter: () => this.#pick(this.#at),
    'up k ctrl+p': () => (this.#at = this.#at === 0 ? this.#last : this.#at - 1),
    'down j ctrl+n': () => (this.#at = this.#at >= this.#last ? 0 : this.#at + 1),
  });

  constructor(options: StartupViewOptions) {
    this.#options = options;
  }

  frame(look: Look, height: number): Frame {
    const { title, text = [], problem, choices } = this.#options;
    const said = [
      ...paragraph(title, look, boldStyle),
      ...text.flatMap((each) => paragraph(each, look)),
      ...(problem === undefined ? [] : [[], ...paragraph(problem, look, badStyle)]),
    ];
    const choiceRows = this.#choiceRows(look);
    const offered = choiceRows.flat();
    const at = choiceRows.slice(0, this.#at).flat().length;
    const isCut = said.length > Math.max(0, height - offered.length - 2);
    // On a low screen half of the rows are for the text, and the choices are those around the cursor.
    const leastText = Math.max(2, Math.floor((height - 1) / 2));
    const most = isCut ? Math.min(offered.length, Math.max(1, height - 1 - leastText)) : offered.length;
    const list = rowsAround(offered, at, most);
    const isApart = height - list.length - 2 > leastText;
    const room = Math.max(0, height - list.length - (isApart ? 2 : 1));
    this.#room = Math.max(1, room);
    this.#from = Math.max(0, Math.min(this.#from, said.length - room));
    const above = said.slice(this.#from, this.#from + room);
    this.#width = look.width;
    if (above.length > 0 && this.#from + room >= said.length) this.#read = look.width;
    const hint = isCut ? this.#cutHint(look, said.length, room) : usualHint(look);
    const rows = [
      ...above,
      ...(above.length > 0 && isApart ? [[]] : []),
      ...list,
      ...(height > list.length && choices.length > 0 ? [hint] : []),
    ];
    return { rows: drawCutRows(rows.slice(0, Math.max(1, height)), look) };
  }

  #cutHint(look: Look, rows: number, room: number): Row {
    const key = hintKeyMapper(look);
    const { ellipsis } = glyphsOf(look);
    const isEnd = this.#from + room >= rows;
    const place = `rows ${this.#from + 1}-${Math.min(rows, this.#from + room)} of ${rows}`;
    const [turn, does] = isEnd ? [key('Page up'), 'goes back'] : [key('Page down'), 'shows more'];
    const how = room < 1 ? 'make the window higher before you choose' : `${place}, ${turn} ${does}`;
    const short = room < 1 ? 'make the window higher' : `${place}: ${turn}`;
    const texts = [`  ${ellipsis} ${this.#isEarly ? 'Nothing is chosen yet' : 'Not all of this fits'}: ${how}`, short];
    return [styled(texts.find((text) => countColumns(text) <= look.width) ?? turn, warnStyle)];
  }

  /** The description of a choice is beside it, or below it on a narrow screen. */
  #choiceRows(look: Look): readonly (readonly Row[])[] {
    const { choices } = this.#options;
    const columns = (each: (choice: StartupChoice) => string): number =>
      Math.max(0, ...choices.map((choice) => countColumns(visibleLine(each(choice)))));
    const wide = columns(({ label }) => label);
    const isBeside = 7 + wide + columns(({ about = '' }) => about) <= look.width;
    return choices.map(({ label, about = '' }, at): readonly Row[] => {
      const isChosen = at === this.#at;
      const name = visibleLine(label);
      const first = [cursorSign(isChosen, look), styled(`${at + 1}. ${name}`, listRowStyle(isChosen))];
      if (about === '') return [first];
      const meaning = styled(visibleLine(about), dimStyle);
      if (isBeside) return [[...first, plain(`${paddingBlanks(wide, countColumns(name))}  `), meaning]];
      return [first, ...wrapRow([meaning], { width: look.width, first: [plain('     ')] })];
    });
  }

  input(input: TerminalInput): void {
    if (input.kind === 'wheel') return this.#scroll(input.direction === 'up' ? -3 : 3);
    if (input.kind !== 'key') return;
    const number = /^[1-9]$/.test(input.name) ? Number(input.name) : Infinity;
    if (number <= this.#options.choices.length) this.#pick(number - 1);
    else this.#keys.get(input.name)?.();
  }

  get #last(): number {
    return Math.max(0, this.#options.choices.length - 1);
  }

  /** Until all of the text was visible, a granting choice only scrolls it. */
  #pick(index: number): void {
    const { choices, pick } = this.#options;
    if (choices[index]?.allows !== true || this.#read === this.#width) return pick(index);
    this.#at = index;
    this.#isEarly = true;
    this.#scroll(this.#room);
  }

  #scroll(rows: number): void {
    this.#from = Math.max(0, this.#from + rows);
  }
}

const usualHint = (look: Look): Row => [
  styled(`  ${hintKeyMapper(look)('Enter')} or a number chooses, Ctrl+C leaves`, dimStyle),
];

/** Wraps an untrusted text with the screen margin. Its own line breaks stay. */
function paragraph(text: string, look: Look, style: Style = {}): readonly Row[] {
  const form = { width: look.width, first: listMargin };
  return visibleText(text)
    .split('\n')
    .flatMap((line) => wrapRow([styled(line.replaceAll('\t', ' '), style)], form));
}

export type DraftInput = { input(input: TerminalInput): void; text(): string };
type BesideParts = TypingPause['typing'] & { readonly draft: DraftInput };
/** List keys that also type a letter. If the first letter of a word moves the cursor, that does no harm. */
const moves = new Set(['j', 'k']);
const isChoice = (name: string): boolean => /^[1-9]$/.test(name) || moves.has(name);

/**
 * A startup list for a user who is writing a message meanwhile. Input that is no choice goes into the draft, and so
 * does everything typed after it: a number in a message, or the Enter at its end, answers nothing.
 */
export class ListWithDraft implements View {
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
    return { ...frame, rows: [...frame.rows, ...drawCutRows([[note]], look)] };
  }

  input(input: TerminalInput): void {
    const now = this.#parts.now();
    const isTyping = now - this.#typedAt < this.#parts.typingMs;
    if (this.#isText(input, isTyping)) return this.#type(input, now);
    if (isTyping && input.kind === 'key' && input.name === 'enter') return void (this.#typedAt = now);
    if (input.kind === 'key' && moves.has(input.name)) this.#moved.push({ input, at: now });
    else this.#moved = [];
    this.#view.input(input);
  }

  #isText(input: TerminalInput, isTyping: boolean): boolean {
    // One long word may be a key pasted too soon: do not show it.
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

type SecretOptions = Pick<StartupViewOptions, 'title' | 'problem' | 'back' | 'leave'> & { given(secret: string): void };
/** No key is longer than the first number. Signs beyond the second would not show its length any better. */
const mostCharacters = 4096;
const mostShown = 32;

/** A line for a secret: never drawn, and never recalled. */
export function secretView({ title, problem, given, back, leave }: SecretOptions): View {
  let secret = '';
  const type = (text: string): void => void (secret = (secret + text).slice(0, mostCharacters));
  const keys = keyTable<() => void>({
    'ctrl+c': leave,
    escape: back,
    enter: () => secret !== '' && given(secret),
    backspace: () => (secret = secret.slice(0, -1)),
    'ctrl+u': () => (secret = ''),
  });
  return {
    frame(look, height) {
      const { bullet, prompt } = glyphsOf(look);
      const count = Math.min(mostShown, secret.length, Math.max(0, look.width - 5));
      const key = hintKeyMapper(look);
      const before: readonly Row[] = height > 1 ? [[styled(`  ${title}`, boldStyle)]] : [];
      const rows: readonly Row[] = [
        ...before,
        [plain(`  ${prompt} `), plain(bullet.repeat(count))],
        ...(problem === undefined ? [] : [[styled(`  ${visibleLine(problem)}`, badStyle)]]),
        [styled(`  Paste or type it. ${key('Enter')} saves it, ${key('Esc')} goes back, Ctrl+C leaves`, dimStyle)],
      ];
      const cursor = { row: before.length, column: Math.min(look.width - 1, 4 + count) };
      return { rows: drawCutRows(rows.slice(0, Math.max(1, height)), look), cursor };
    },
    input(input) {
      if (input.kind === 'paste') return type(input.text.trim());
      if (input.kind !== 'key') return;
      const act = keys.get(input.name);
      if (act === undefined) type(input.text);
      else act();
    },
  };
}
