import { hintKeys } from '../keys/hint-keys.ts';
import { savablePrefixes } from '../../../policy/savable-prefixes.ts';
import { type Answer, asksForContent, type Question } from '../../../protocol/question.ts';
import type { TurnItem } from '../../../protocol/turn-item.ts';
import { type Choice, choicesFor } from '../../exec/approvals/choices.ts';
import { askedField, fieldChoices } from '../../exec/approvals/form-choices.ts';
import { exactLine } from '../../terminal/exact-text.ts';
import type { KeyGroup } from '../keys/key-map.ts';
import type { View } from './view.ts';
import type { Frame } from '../screen/frame.ts';
import type { TerminalInput } from '../screen/terminal-input.ts';
import { columnsOf } from '../text/columns.ts';
import { cutRow } from '../text/cut.ts';
import { drawRow, drawRows } from '../text/draw-row.ts';
import { glyphsOf } from '../text/glyphs.ts';
import type { Look } from '../text/look.ts';
import { accentStyle, badStyle, boldStyle, dimStyle, plain, type Row, styled, warnStyle } from '../text/style.ts';
import { wrapRow } from '../text/wrap-row.ts';
import { askedRows } from './asked-rows.ts';
import { keptRows } from './kept-rows.ts';
import { NoteLine } from './note-line.ts';
import { shortQuestion } from './short-question.ts';

export interface QuestionOptions {
  readonly question: Question;
  readonly item: TurnItem | undefined;
  /** How many other questions wait. */
  waiting(): number;
  answer(answer: Answer): void;
  /** All of what is asked, on a screen of its own. */
  showWhole(rows: (look: Look) => readonly string[]): void;
}

/** Below so many rows of what is asked, the hint goes. */
const fewestAsked = 4;
/** Below so many, no row says that something is left out. */
const fewestSaid = 2;

/** What is asked, with everything that a yes would allow, and the answers. A note can go with each of them. */
export class QuestionView implements View {
  readonly #options: QuestionOptions;
  readonly #choices: readonly Choice[];
  readonly #note = new NoteLine();
  readonly #prefixes: readonly (readonly string[])[];
  /** Below 0: no answer is chosen, and Enter gives none. */
  #at: number;
  /** A note is being typed for the answer that is chosen. */
  #isNoting = false;
  /** Of the rule that is shown. */
  #prefixAt: number;
  #problem = '';
  /** Of all that is asked: a patch may have many thousand lines. */
  #rows = this.#keepRows();
  /** In the newest frame, which is the one on the screen, not all of it has room; `unsaid`: nor a row that says so. */
  #cut: 'no' | 'said' | 'unsaid' = 'no';
  /** The rows that the user has opened as a whole. */
  #opened: ((look: Look) => readonly string[]) | undefined;

  constructor(options: QuestionOptions) {
    this.#options = options;
    const { question } = options;
    this.#choices = choicesOf(question);
    // What a server offers is its own words, and none of them is chosen by Capstan.
    this.#at = this.#choices[0]?.isOffered === true ? -1 : 0;
    this.#prefixes = question.scopes.includes('rule') ? savablePrefixes(question) : [];
    this.#prefixAt = this.#prefixes.findIndex((words) => words.length === question.prefix?.length);
  }

  /** The question with the rule as the user has it now: what is shown is what is saved. */
  get #asked(): Question {
    const { question } = this.#options;
    const prefix = this.#prefixes[this.#prefixAt];
    return prefix === undefined ? question : { ...question, prefix };
  }

  get keys(): KeyGroup | 'raw' {
    if (this.#isNoting) return 'editor';
    const { question } = this.#options;
    // The answers of a form have keys of their own, and Esc always refuses it.
    const isForm = question.input !== undefined || question.elicitation !== undefined;
    return isForm || asksForContent(question.kind) ? 'raw' : 'approval';
  }

  #keepRows(): (look: Look) => readonly string[] {
    return keptRows((look) => askedRows(this.#asked, this.#options.item, look));
  }

  frame(look: Look, height: number): Frame {
    const asked = this.#rows(look);
    const whole = this.#belowRows(look);
    const isTight = asked.length + whole.length >= height;
    // The answers are cut before what is asked, and the hint goes where that would not be seen.
    const short = isTight ? this.#belowRows(look, 'short') : whole;
    const below = height - short.length > fewestAsked ? short : this.#belowRows(look, 'bare');
    const room = Math.max(1, height - below.length - 1);
    const shown = shortQuestion(this.#asked, asked, look, room);
    this.#cut = shown === asked ? 'no' : room < fewestSaid ? 'unsaid' : 'said';
    const rows = [...shown, ...below.map((row) => drawRow(cutRow(row, look.width, look), look))];
    if (!this.#isNoting) return { rows };
    return { rows, cursor: { row: rows.length - 1, column: this.#note.column(look.width) } };
  }

  /** `short`: each answer in one row. `bare`: without the hint, too. */
  #belowRows(look: Look, how: 'whole' | 'short' | 'bare' = 'whole'): readonly Row[] {
    const { prompt } = glyphsOf(look);
    const bound = hintKeys(look, this.keys);
    // Wrapped: the key of an answer is never cut.
    const own = this.#choices.findIndex(({ isOffered }) => isOffered !== true);
    const listed = this.#choices.flatMap(({ key, words }, at): readonly Row[] => {
      const isChosen = at === this.#at;
      const row: Row = [
        styled(`${at + 1}. ${exactLine(words)}`, isChosen ? { ...accentStyle, ...boldStyle } : {}),
        styled(` (${bound(key)})`, dimStyle),
      ];
      const first: Row = [styled(isChosen ? `${prompt} ` : '  ', accentStyle)];
      const rows =
        how === 'whole'
          ? wrapRow(row, { width: look.width, first, rest: [plain('     ')] })
          : [oneAnswer(first, row, look)];
      return at > 0 && at === own ? [[styled('  Answers of Capstan:', dimStyle)], ...rows] : rows;
    });
    const problem: readonly Row[] = this.#problem === '' ? [] : [[styled(`  ${exactLine(this.#problem)}`, badStyle)]];
    return [
      ...(how === 'bare' ? [] : [[]]),
      ...listed,
      ...(how === 'bare' && !this.#isNoting ? [] : hintRows(this.#hint(look), look)),
      ...problem,
      ...(this.#isNoting ? [this.#note.row()] : []),
    ];
  }

  #hint(look: Look): string {
    const key = hintKeys(look, this.keys);
    const { dot } = glyphsOf(look);
    const { waiting } = this.#options;
    if (this.#isNoting) {
      const title = this.#chosen?.reads === undefined ? 'What should the model know?' : 'Type the answer.';
      return `${title} ${key('Enter')} sends it, ${key('Esc')} goes back`;
    }
    const others = waiting() === 0 ? '' : ` ${dot} ${waiting()} more ${waiting() === 1 ? 'waits' : 'wait'}`;
    if (this.#chosen === undefined)
      return `Up and down choose, ${key('Enter')} confirms, ${key('Esc')} stops the turn${others}`;
    const rule = this.#chosen?.answer.scope === 'rule' && this.#prefixes.length > 1;
    return `${rule ? 'Left and right change the rule, ' : ''}${key('Enter')} confirms, ${key('Tab')} adds a note, ${key('Esc')} stops the turn${others}`;
  }

  get #chosen(): Choice | undefined {
    return this.#choices[this.#at];
  }

  input(input: TerminalInput): void {
    if (input.kind === 'key' && this.#moved(input.name)) return;
    if (this.#isNoting) return this.#intoNote(input);
    if (input.kind !== 'key') return;
    const { name } = input;
    if (name === 'enter') this.#confirm();
    else if (name === 'tab') this.#isNoting = this.#chosen !== undefined;
    else if (name === 'ctrl+a') this.#showWhole();
    else if (name === 'escape' || name === 'ctrl+c') this.#options.answer({ kind: 'stopped' });
    else if (name === 'left' || name === 'right') this.#changeRule(name === 'left' ? -1 : 1);
    else {
      const at = this.#choices.findIndex(({ key }) => key === name);
      const found = at === -1 && /^[1-9]$/.test(name) ? Number(name) - 1 : at;
      if (this.#choices[found] === undefined) return;
      this.#at = found;
      this.#confirm();
    }
  }

  /** Up and down choose, also while a note is typed. */
  #moved(name: string): boolean {
    const last = this.#choices.length - 1;
    if (name === 'up' || name === 'ctrl+p') this.#at = this.#at <= 0 ? last : this.#at - 1;
    else if (name === 'down' || name === 'ctrl+n') this.#at = this.#at === last ? 0 : this.#at + 1;
    else return false;
    return true;
  }

  /** The choice that saves the rule is the one that the user means then. */
  #changeRule(by: number): void {
    const at = this.#choices.findIndex(({ answer }) => answer.scope === 'rule');
    if (at === -1 || this.#prefixes.length < 2) return;
    this.#at = at;
    this.#prefixAt = Math.max(0, Math.min(this.#prefixes.length - 1, this.#prefixAt + by));
    this.#rows = this.#keepRows();
  }

  /** `note`: what stands above it, and below. */
  #showWhole(note?: (look: Look) => readonly string[]): void {
    const rows = this.#rows;
    this.#opened = rows;
    this.#options.showWhole((look) =>
      note === undefined ? rows(look) : [...note(look), '', ...rows(look), '', ...note(look)],
    );
  }

  /**
   * What the window has no room for is shown before a yes counts: a rule, which holds in every thread, and everything
   * where no row says that something is missing.
   */
  #isReadFirst({ answer, key }: Choice): boolean {
    const isUnread = this.#cut === 'unsaid' || (this.#cut === 'said' && answer.scope === 'rule');
    if (answer.kind !== 'allowed' || !isUnread || this.#opened === this.#rows) return false;
    this.#showWhole((look) => {
      const [closes, answers] = [hintKeys(look, 'pager')('q'), hintKeys(look, this.keys)(key)];
      const words = `Nothing is answered yet: the window had no room for all of this. ${closes} goes back, then ${answers} answers.`;
      return drawRows(wrapRow([styled(words, warnStyle)], { width: look.width }), look);
    });
    return true;
  }

  #confirm(): void {
    const choice = this.#chosen;
    if (choice === undefined || this.#isReadFirst(choice)) return;
    if (choice.takesNote === true) this.#isNoting = true;
    else this.#options.answer(this.#answerOf(choice));
  }

  #answerOf({ answer }: Choice): Answer {
    const { prefix } = this.#asked;
    const isOther = answer.scope === 'rule' && prefix !== undefined && prefix !== this.#options.question.prefix;
    return isOther ? { ...answer, prefix } : answer;
  }

  #intoNote(input: TerminalInput): void {
    const name = input.kind === 'key' ? input.name : undefined;
    if (name === 'escape' || name === 'ctrl+c' || name === 'tab') {
      this.#isNoting = false;
      this.#problem = '';
      this.#note.clear();
    } else if (name === 'enter') this.#sendNote();
    else this.#note.input(input);
  }

  #sendNote(): void {
    const choice = this.#chosen;
    if (choice === undefined || this.#isReadFirst(choice)) return;
    const { text } = this.#note;
    const read = choice.reads?.(text);
    if (typeof read === 'string') this.#problem = read;
    else this.#options.answer(read ?? { ...this.#answerOf(choice), ...(text === '' ? {} : { note: text }) });
  }
}

/** An answer in one row. Its key is not cut. */
function oneAnswer(first: Row, [words = plain(''), key = plain('')]: Row, look: Look): Row {
  const room = Math.max(0, look.width - 2 - columnsOf(key.text));
  return [...first, ...cutRow([words], room, look), key];
}

function hintRows(hint: string, look: Look): readonly Row[] {
  return wrapRow([styled(hint, dimStyle)], { width: look.width, first: [plain('  ')], rest: [plain('  ')] });
}

function choicesOf(question: Question): readonly Choice[] {
  const field = askedField(question);
  if (field !== undefined) return fieldChoices(field);
  return asksForContent(question.kind) ? [declined] : choicesFor(question);
}

const declined: Choice = {
  key: 'n',
  words: 'no: this terminal cannot run it',
  answer: { kind: 'declined', by: 'client' },
};
