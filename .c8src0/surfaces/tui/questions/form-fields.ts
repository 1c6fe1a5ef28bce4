import { countColumns } from '../../../base/text-columns.ts';
import type { FormField } from '../../../protocol/elicitation-form.ts';
import type { Answer, Question } from '../../../protocol/question.ts';
import { singleFormField, type Choice, fieldChoices } from '../../views/questions/question-choices.ts';
import { unambiguousLine } from '../../views/terminal/exact-text.ts';
import { Editor } from '../draft/editor.ts';
import { cursorSign, drawCutRows, hintRows, keyTable, listRowStyle } from '../pages/list-parts.ts';
import { hintKeyMapper } from '../screen/keys/key-map.ts';
import type { TerminalInput } from '../screen/terminal/terminal-port.ts';
import { cleanLine } from '../screen/text/clean-text.ts';
import { drawRows } from '../screen/text/draw-row.ts';
import type { Look } from '../screen/text/look.ts';
import { badStyle, dimStyle, plain, type Row, styled } from '../screen/text/style.ts';
import { wrapRow } from '../screen/text/wrap-row.ts';
import { cacheRows, type Frame, type View } from '../screen/view.ts';
import { type QuestionRows, questionRows, fitQuestionRows } from './question-rows.ts';

export interface FieldOptions {
  readonly question: Question;
  answer(answer: Answer): void;
  /** Shows the whole question on a screen of its own. `seenEnd` is called when its last row is visible. */
  showWhole(rows: (look: Look) => readonly string[], seenEnd: (look: Look) => void): void;
}

/** With fewer rows for the question than this, only the focused part is shown below it. */
const fewestAsked = 3;

const unread =
  'The window has no room for all of this. Nothing is sent yet: read it to its end, go back, and press Enter again.';

export function textFormField(question: Question): FormField | undefined {
  const field = singleFormField(question);
  return field !== undefined && fieldChoices(field)[0]?.reads !== undefined ? field : undefined;
}

/** A text field of a server's form: letters go into it and never choose an answer. */
export class FieldView implements View {
  readonly keys = 'raw';
  readonly takesText = true;
  readonly looks = ['ctrl+a'];
  readonly #options: FieldOptions;
  readonly #typed: Choice;
  readonly #others: readonly Choice[];
  readonly #line = new TextLineField();
  readonly #rows: (look: Look) => QuestionRows;
  /** 0: the field; from 1 on, one of the other answers. */
  #at = 0;
  #problem = '';
  /** The last frame did not show the whole question. */
  #isCut = false;
  #width = 0;
  /** Window width at which the last row of the question was visible. */
  #readAt: number | undefined;
  readonly #keys = keyTable<() => void>({
    'up ctrl+p': () => this.#move(-1),
    'down ctrl+n': () => this.#move(1),
    'escape ctrl+c': () => this.#options.answer({ kind: 'stopped' }),
    'ctrl+a': () => this.#showWhole(),
    enter: () => this.#confirm(),
    tab: () => {},
  });

  constructor(field: FormField, options: FieldOptions) {
    this.#options = options;
    const [typed, ...others] = fieldChoices(field);
    this.#typed = typed!;
    this.#others = others;
    this.#rows = cacheRows((look) => questionRows(options.question, undefined, look));
  }

  frame(look: Look, height: number): Frame {
    const asked = this.#rows(look);
    const whole = this.#below(look);
    const below = height - whole.length > Math.min(fewestAsked, asked.all.length) ? whole : this.#below(look, 'short');
    const room = Math.max(1, height - below.length);
    const shown = fitQuestionRows(this.#options.question, asked, look, room);
    this.#isCut = shown.shows !== 'all';
    this.#width = look.width;
    const rows = [...shown.rows, ...drawCutRows(below, look)];
    const row = shown.rows.length + (below === whole ? 1 : 0);
    return { rows, cursor: this.#at > 0 ? undefined : { row, column: this.#line.column(look.width) } };
  }

  /** `short`: only the field, or the selected other answer. */
  #below(look: Look, how: 'whole' | 'short' = 'whole'): readonly Row[] {
    const key = hintKeyMapper(look, this.keys);
    const others = this.#others.map(({ words }, at): Row => {
      const isChosen = at + 1 === this.#at;
      return [cursorSign(isChosen, look), styled(unambiguousLine(words), listRowStyle(isChosen))];
    });
    const problem: readonly Row[] =
      this.#problem === '' ? [] : [[styled(`  ${unambiguousLine(this.#problem)}`, badStyle)]];
    if (how === 'short')
      return [...(this.#at === 0 ? [this.#line.row()] : others.slice(this.#at - 1, this.#at)), ...problem];
    const hint = `${key('Enter')} sends it, Up and Down choose another answer, ${key('Esc')} stops the turn`;
    return [[], this.#line.row(), ...others, ...hintRows(hint, look), ...problem];
  }

  input(input: TerminalInput): void {
    const act = input.kind === 'key' ? this.#keys.get(input.name) : undefined;
    if (act !== undefined) return act();
    this.#at = 0;
    this.#problem = '';
    this.#line.input(input);
  }

  #move(by: number): void {
    const count = this.#others.length + 1;
    this.#at = (this.#at + count + by) % count;
  }

  #confirm(): void {
    const { text } = this.#line;
    const nothing = 'Nothing is typed yet. Down chooses another answer.';
    const given = this.#at > 0 ? this.#others[this.#at - 1]!.answer : text === '' ? nothing : this.#typed.reads!(text);
    if (typeof given === 'string') this.#problem = given;
    else if (given.kind === 'allowed' && this.#isCut && this.#readAt !== this.#width) this.#showWhole(unread);
    else this.#options.answer(given);
  }

  /** Shows the whole question on a screen of its own, so that the user can read it before answering a server. */
  #showWhole(note?: string): void {
    const rows = this.#rows;
    const whole = (look: Look): readonly string[] => {
      const { all } = rows(look);
      if (note === undefined) return all;
      const noted = drawRows(wrapRow([styled(note, dimStyle)], { width: look.width }), look);
      return [...noted, '', ...all, '', ...noted];
    };
    this.#options.showWhole(whole, ({ width }) => void (this.#readAt = width));
  }
}

const prompt = '  > ';

export class TextLineField {
  readonly #editor = new Editor(countColumns);

  get text(): string {
    return this.#editor.draft.text.trim();
  }

  row(): Row {
    return [plain(prompt), plain(cleanLine(this.#editor.draft.text))];
  }

  column(width: number): number {
    const { text, cursor } = this.#editor.draft;
    return Math.max(0, Math.min(width - 1, prompt.length + countColumns(text.slice(0, cursor))));
  }

  clear(): void {
    this.#editor.clear();
  }

  input(input: TerminalInput): void {
    if (input.kind === 'paste') this.#editor.paste(input.text);
    if (input.kind !== 'key') return;
    if (input.text === '') this.#editor.press(input.name, 1000);
    else this.#editor.typeKey(input.text);
  }
}
