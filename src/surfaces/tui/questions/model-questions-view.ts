import { plural } from '../../../engine/wording.ts';
import type { Answer, UserQuestion } from '../../../protocol/question.ts';
import { visibleLine } from '../../views/terminal/visible-text.ts';
import { cursorSign, drawCutRows, keyTable, listRowStyle } from '../pages/list-parts.ts';
import { hintKeyMapper } from '../screen/keys/key-map.ts';
import type { TerminalInput } from '../screen/terminal/terminal-port.ts';
import { cutRow } from '../screen/text/draw-row.ts';
import { glyphsOf, type Look } from '../screen/text/look.ts';
import { boldStyle, dimStyle, plain, type Row, styled, warnStyle } from '../screen/text/style.ts';
import { wrapRow } from '../screen/text/wrap-row.ts';
import type { Frame, View } from '../screen/view.ts';
import { TextLineField } from './form-fields.ts';

interface InputOptions {
  readonly questions: readonly UserQuestion[];
  /** The agent that asks. Absent: the model of the conversation. */
  readonly agent?: string;
  answer(answer: Answer): void;
  showWhole(rows: (look: Look) => readonly string[]): void;
}

type GivenInput = { chosen?: number; readonly note: TextLineField };

/** Asks questions of the model one at a time: numbered options, a note for each, and steps back and forth. */
export class ModelQuestionsView implements View {
  readonly looks = ['left', 'right', 'ctrl+a'];
  readonly #options: InputOptions;
  readonly #given: readonly GivenInput[];
  #question = 0;
  /** The cursor row for each question. The last row is for a free answer. */
  #at = 0;
  #isNoting = false;
  /** The user must confirm leaving questions unanswered. */
  #isConfirming = false;
  readonly #keys = keyTable<() => void>({
    'up ctrl+p k': () => (this.#at = this.#at === 0 ? this.#last : this.#at - 1),
    'down ctrl+n j': () => (this.#at = this.#at === this.#last ? 0 : this.#at + 1),
    'left h': () => this.#show(this.#question - 1),
    'right l': () => this.#show(this.#question + 1),
    'tab o': () => (this.#isNoting = true),
    'ctrl+a': () => this.#showWhole(),
    backspace: () => delete this.#now.chosen,
    enter: () => this.#choose(this.#at),
    'escape ctrl+c': () => this.#options.answer({ kind: 'stopped' }),
  });

  constructor(options: InputOptions) {
    this.#options = options;
    this.#given = options.questions.map(() => ({ note: new TextLineField() }));
  }

  get asks(): number | 'whether to send' {
    return this.#isConfirming ? 'whether to send' : this.#question;
  }

  frame(look: Look, height: number): Frame {
    const rows = this.#isConfirming
      ? this.#confirmRows(look)
      : inputRows(this.#shown(look), look, height, hintKeyMapper(look)('Ctrl+A'));
    const cursor = { row: rows.length - 1, column: this.#now.note.column(look.width) };
    return { rows: drawCutRows(rows, look), cursor: this.#isNoting && !this.#isConfirming ? cursor : undefined };
  }

  get #now(): GivenInput {
    return this.#given[this.#question]!;
  }
  get #asked(): UserQuestion {
    return this.#options.questions[this.#question]!;
  }

  #isAnswered({ chosen, note }: GivenInput): boolean {
    return chosen !== undefined || note.text !== '';
  }

  #shown(look: Look): ShownInput {
    const { questions, agent } = this.#options;
    const who = agent === undefined ? 'The model asks you' : `Agent ${visibleLine(agent)} asks you`;
    const place = questions.length === 1 ? '' : ` (${this.#question + 1} of ${questions.length})`;
    const key = hintKeyMapper(look);
    const moves = questions.length === 1 ? '' : 'left and right change the question, ';
    const hint = this.#isNoting
      ? `${key('Enter')} answers, ${key('Tab')} leaves the note out`
      : `${key('Enter')} answers, ${moves}${key('Tab')} adds a note, ${key('Backspace')} clears, ${key('Esc')} stops the turn`;
    const { note, chosen } = this.#now;
    return {
      title: `${who}${place}`,
      asked: this.#asked,
      at: this.#at,
      chosen,
      below: [[styled(`  ${hint}`, dimStyle)], ...(this.#isNoting || note.text !== '' ? [note.row()] : [])],
    };
  }

  #confirmRows(look: Look): readonly Row[] {
    const key = hintKeyMapper(look);
    const open = this.#given.filter((given) => !this.#isAnswered(given)).length;
    return [
      [styled(`${plural(open, 'question')} without an answer. Send the others?`, warnStyle)],
      [plain(`  ${key('y')} sends them, ${key('Esc')} goes back`)],
    ];
  }

  input(input: TerminalInput): void {
    if (this.#isConfirming) return this.#confirm(input);
    if (this.#isNoting) return this.#intoNote(input);
    if (input.kind !== 'key') return;
    const number = /^[1-9]$/.test(input.name) ? Number(input.name) : Infinity;
    if (number <= this.#last + 1) this.#choose(number - 1);
    else this.#keys.get(input.name)?.();
  }

  get #last(): number {
    return this.#asked.options.length;
  }

  #showWhole(): void {
    const { showWhole } = this.#options;
    showWhole((look) => drawCutRows(wholeInputRows({ ...this.#shown(look), below: [] }, look), look));
  }

  #show(question: number): void {
    if (question < 0 || question >= this.#given.length) return;
    this.#question = question;
    this.#at = this.#now.chosen ?? 0;
    this.#isNoting = false;
  }

  /** A free answer is a note without an option. */
  #choose(at: number): void {
    this.#at = at;
    this.#now.chosen = at === this.#last ? undefined : at;
    if (at === this.#last) this.#isNoting = true;
    else this.#next();
  }

  #next(): void {
    this.#isNoting = false;
    if (this.#question < this.#given.length - 1) return this.#show(this.#question + 1);
    if (this.#given.every((given) => this.#isAnswered(given))) return this.#send();
    this.#isConfirming = true;
  }

  #intoNote(input: TerminalInput): void {
    const name = input.kind === 'key' ? input.name : undefined;
    if (name === 'escape' || name === 'ctrl+c' || name === 'tab') {
      this.#now.note.clear();
      this.#isNoting = false;
    } else if (name === 'enter') {
      if (this.#at < this.#last) this.#now.chosen = this.#at;
      this.#next();
    } else this.#now.note.input(input);
  }

  #confirm(input: TerminalInput): void {
    if (input.kind !== 'key') return;
    if (input.name === 'y' || input.name === 'enter') return this.#send();
    if (input.name !== 'escape' && input.name !== 'n' && input.name !== 'ctrl+c') return;
    this.#isConfirming = false;
    this.#show(this.#given.findIndex((given) => !this.#isAnswered(given)));
  }

  #send(): void {
    const content = this.#options.questions.map(({ id, options }, at) => {
      const { chosen, note } = this.#given[at]!;
      const label = chosen === undefined ? [] : [options[chosen]?.label ?? ''];
      return [id, [...label, ...(note.text === '' ? [] : [note.text])]] as const;
    });
    this.#options.answer({ kind: 'allowed', content: Object.fromEntries(content) });
  }
}

interface ShownInput {
  readonly title: string;
  readonly asked: UserQuestion;
  readonly at: number;
  readonly chosen: number | undefined;
  readonly below: readonly Row[];
}

const otherWords = { label: 'None of these', description: 'answer in your own words' };

const wholeInputRows = (shown: ShownInput, look: Look): readonly Row[] => [
  ...headRows(shown, look),
  [],
  ...optionRows(shown, look).flat(),
  ...shown.below,
];

/** Drops descriptions of options first, then parts of the question; a row tells how to see all. */
function inputRows(shown: ShownInput, look: Look, height: number, showsAll: string): readonly Row[] {
  const whole = wholeInputRows(shown, look);
  if (whole.length <= height) return whole;
  const options = optionRows(shown, look).map(([first = [], ...rest]) =>
    rest.length === 0 ? first : cutRow([...first, plain(glyphsOf(look).ellipsis)], look.width, look),
  );
  const sign: Row = [styled(`  ${glyphsOf(look).ellipsis} Not all of this fits: ${showsAll} shows all`, warnStyle)];
  const tail = [...options, ...shown.below];
  const room = Math.max(0, height - tail.length - 2);
  const head = [...headRows(shown, look).slice(0, 1 + room), sign];
  // Keep the sign visible even on the lowest screens.
  return [
    ...head.slice(Math.max(0, head.length - Math.max(1, height))),
    ...tail.slice(Math.max(0, tail.length - Math.max(0, height - head.length))),
  ];
}

function headRows({ title, asked: { header, question } }: ShownInput, look: Look): readonly Row[] {
  const words = styled(`${visibleLine(header)}: ${visibleLine(question)}`, {});
  const form = { width: look.width, first: [plain('  > ')], rest: [plain('  | ')] };
  return [[styled(title, boldStyle)], ...wrapRow([words], form)];
}

function optionRows({ asked, at: here, chosen }: ShownInput, look: Look): readonly (readonly Row[])[] {
  const form = { width: look.width, rest: [plain('     ')] };
  return [...asked.options, otherWords].map(({ label, description }, at) => {
    const isHere = at === here;
    const sign = at === chosen ? ` ${glyphsOf(look).good}` : '';
    const name = styled(`${at + 1}. ${visibleLine(label)}${sign}`, listRowStyle(isHere));
    const first = [cursorSign(isHere, look), name, plain('  ')];
    return wrapRow([styled(visibleLine(description), dimStyle)], { ...form, first });
  });
}
