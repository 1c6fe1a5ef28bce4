import { countColumns } from '../../../base/text-columns.ts';
import { savablePrefixes } from '../../../core/policy/decide/question-content.ts';
import { type Answer, asksForContent, type Question } from '../../../protocol/question.ts';
import type { TurnItem } from '../../../protocol/turn-item.ts';
import {
  askedField,
  carriesNote,
  type Choice,
  choicesFor,
  fieldChoices,
} from '../../views/questions/question-choices.ts';
import { exactLine } from '../../views/terminal/exact-text.ts';
import { hintKeys, type KeyGroup } from '../screen/keys/key-map.ts';
import type { TerminalInput } from '../screen/terminal/terminal-port.ts';
import { cutRow, drawRow, drawRows, rowsAround } from '../screen/text/draw-row.ts';
import { glyphsOf, type Look } from '../screen/text/look.ts';
import {
  accentStyle,
  badStyle,
  boldStyle,
  dimStyle,
  plain,
  type Row,
  styled,
  warnStyle,
} from '../screen/text/style.ts';
import { wrapRow } from '../screen/text/wrap-row.ts';
import { cacheRows, type Frame, type View } from '../screen/view.ts';
import { TextLineField } from './form-fields.ts';
import { type AskedRows, askedRows, shortQuestion } from './question-rows.ts';

export interface QuestionOptions {
  readonly question: Question;
  readonly item: TurnItem | undefined;
  waiting(): number;
  answer(answer: Answer): void;
  showWhole(rows: (look: Look) => readonly string[], seenEnd: (look: Look) => void): void;
}

/**
 * With fewer rows for the question than this, the hint is dropped. In a low window it is dropped before a row of the
 * command.
 */
const fewestAsked = 4;
/** Rows of the question that come before answers that are not selected. */
const leastAsked = 2;
/** Largest height of a low window, in which stricter rules apply. */
const lowRows = 13;

type RowsOfAsked = (look: Look) => AskedRows;

/**
 * Shows a question, everything that a yes would allow, and the answers. Each answer can have a note if it will be read.
 */
export class QuestionView implements View {
  readonly #options: QuestionOptions;
  readonly #choices: readonly Choice[];
  readonly #note = new TextLineField();
  readonly #prefixes: readonly (readonly string[])[];
  /** Below 0: no answer is selected, and Enter gives none. */
  #at: number;
  #isNoting = false;
  #prefixAt: number;
  #problem = '';
  /** Cached rows of the whole question: a patch may have many thousand lines. */
  #rows = this.#keepRows();
  /**
   * The last frame: it decides if a yes counts. `enough`: what a yes would run or change is visible, or the window is
   * not low, and a row says that there is more.
   */
  #drawn: { readonly rows?: RowsOfAsked; readonly width: number; readonly shows: 'all' | 'enough' | 'part' } = {
    width: 0,
    shows: 'part',
  };
  /** The rows that the user has seen to their end, and the window width for which that holds. */
  #read: { readonly rows: RowsOfAsked; readonly width: number } | undefined;

  constructor(options: QuestionOptions) {
    this.#options = options;
    const { question } = options;
    this.#choices = choicesOf(question);
    // Offers of a server are its own words: Capstan selects none of them.
    this.#at = this.#choices[0]?.isOffered === true ? -1 : 0;
    this.#prefixes = question.scopes.includes('rule') ? savablePrefixes(question) : [];
    this.#prefixAt = this.#prefixes.findIndex((words) => words.length === question.prefix?.length);
  }

  /** The question with the currently edited rule: what is shown is what is saved. */
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

  #keepRows(): RowsOfAsked {
    return cacheRows((look) => askedRows(this.#asked, this.#options.item, look));
  }

  frame(look: Look, height: number): Frame {
    const asked = this.#rows(look);
    const whole = this.#belowRows(look, { how: 'whole' });
    const short = asked.all.length + whole.length > height ? this.#belowRows(look, { how: 'short' }) : whole;
    // Cut answers before the question, and drop the hint where it would hide part of that.
    const least = height < lowRows ? Math.max(fewestAsked, asked.core.length + 1) : fewestAsked;
    const below = height - short.length >= least ? short : this.#belowRows(look, { how: 'bare', height });
    const shown = shortQuestion(this.#asked, asked, look, Math.max(0, height - below.length));
    const isEnough = shown.shows === 'core' || (shown.isSaid && height >= lowRows);
    const shows = shown.shows === 'all' ? 'all' : isEnough ? 'enough' : 'part';
    this.#drawn = { rows: this.#rows, width: look.width, shows };
    const rows = [...shown.rows, ...below.map((row) => drawRow(cutRow(row, look.width, look), look))];
    if (!this.#isNoting) return { rows };
    return { rows, cursor: { row: rows.length - 1, column: this.#note.column(look.width) } };
  }

  /** `short`: each answer in one row. `bare`: without the hint, and only the answers that fit. */
  #belowRows(
    look: Look,
    { how, height = Infinity }: { readonly how: 'whole' | 'short' | 'bare'; readonly height?: number },
  ): readonly Row[] {
    const problem: readonly Row[] = this.#problem === '' ? [] : [[styled(`  ${exactLine(this.#problem)}`, badStyle)]];
    const tail = [
      ...(how === 'bare' && !this.#isNoting ? [] : hintRows(this.#hint(look), look)),
      ...problem,
      ...(this.#isNoting ? [this.#note.row()] : []),
    ];
    const list = { choices: this.#choices, at: this.#at, bound: hintKeys(look, this.keys) };
    const answers =
      how === 'whole'
        ? choiceRows(list, look)
        : shortChoiceRows(list, look, Math.max(1, height - tail.length - leastAsked));
    return [...(how === 'bare' ? [] : [[]]), ...answers, ...tail];
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
    const note = this.#takesNote ? `${key('Tab')} adds a note, ` : '';
    const rule = this.#chosen?.answer.scope === 'rule' && this.#prefixes.length > 1;
    return `${rule ? 'Left and right change the rule, ' : ''}${key('Enter')} confirms, ${note}${key('Esc')} stops the turn${others}`;
  }

  get #chosen(): Choice | undefined {
    return this.#choices[this.#at];
  }

  get #takesNote(): boolean {
    return this.#chosen !== undefined && carriesNote(this.#options.question.kind);
  }

  input(input: TerminalInput): void {
    if (input.kind === 'key' && this.#moved(input.name)) return;
    if (this.#isNoting) return this.#intoNote(input);
    if (input.kind !== 'key') return;
    const { name } = input;
    if (name === 'enter') this.#confirm();
    else if (name === 'tab') this.#isNoting = this.#takesNote;
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

  /** Up and down select an answer, even while a note is typed. */
  #moved(name: string): boolean {
    const last = this.#choices.length - 1;
    if (name === 'up' || name === 'ctrl+p') this.#at = this.#at <= 0 ? last : this.#at - 1;
    else if (name === 'down' || name === 'ctrl+n') this.#at = this.#at === last ? 0 : this.#at + 1;
    else return false;
    if (!this.#isNoting) this.#problem = '';
    return true;
  }

  #changeRule(by: number): void {
    const at = this.#choices.findIndex(({ answer }) => answer.scope === 'rule');
    if (at === -1 || this.#prefixes.length < 2) return;
    this.#at = at;
    this.#prefixAt = Math.max(0, Math.min(this.#prefixes.length - 1, this.#prefixAt + by));
    this.#rows = this.#keepRows();
  }

  #showWhole(note?: (look: Look) => readonly string[]): void {
    const rows = this.#rows;
    this.#options.showWhole(
      (look) => (note === undefined ? rows(look).all : [...note(look), '', ...rows(look).all, '', ...note(look)]),
      ({ width }) => void (this.#read = { rows, width }),
    );
  }

  /**
   * Text that does not fit must be shown to its end before a yes counts: a rule, which applies in every thread, and in
   * a low window the command. Another rule counts as unread, and so does one that changed since it was drawn.
   */
  #isReadFirst({ answer, key }: Choice): boolean {
    if (answer.kind !== 'allowed') return false;
    const { rows, width, shows } = this.#drawn;
    const isSeen = answer.scope === 'rule' ? shows === 'all' && rows === this.#rows : shows !== 'part';
    const isRead = this.#read?.rows === this.#rows && this.#read.width === width;
    if (isSeen || isRead) return false;
    const confirms = this.#isNoting ? 'Enter' : key;
    this.#showWhole((look) => {
      const [closes, answers] = [hintKeys(look, 'pager')('q'), hintKeys(look, this.keys)(confirms)];
      const words = `Nothing is answered yet: the window had no room for all of this. Read it to its end; then ${closes} goes back, and ${answers} answers.`;
      return drawRows(wrapRow([styled(words, warnStyle)], { width: look.width }), look);
    });
    return true;
  }

  #confirm(): void {
    const choice = this.#chosen;
    if (choice === undefined) this.#problem = 'Choose with Up and Down or a number';
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

interface AnswerList {
  readonly choices: readonly Choice[];
  readonly at: number;
  bound(key: string): string;
}

/** Answers with their keys, wrapped: no key is cut. */
function choiceRows(list: AnswerList, look: Look): readonly Row[] {
  return listed(list, look, ({ first, row }) =>
    wrapRow(row, { width: look.width, first, rest: [plain('     ')] }),
  ).flat();
}

function shortChoiceRows(list: AnswerList, look: Look, most: number): readonly Row[] {
  const groups = listed(list, look, ({ first, row }) => [oneAnswer(first, row, look)]);
  const chosen = groups.slice(0, list.at + 1).flat().length - 1;
  return rowsAround(groups.flat(), Math.max(0, chosen), most);
}

interface AnswerRow {
  readonly first: Row;
  readonly row: Row;
}

function listed(
  { choices, at: chosenAt, bound }: AnswerList,
  look: Look,
  rowsOf: (answer: AnswerRow) => readonly Row[],
): readonly (readonly Row[])[] {
  const { prompt } = glyphsOf(look);
  const own = choices.findIndex(({ isOffered }) => isOffered !== true);
  return choices.map(({ key, words }, at) => {
    const isChosen = at === chosenAt;
    const row: Row = [
      styled(`${at + 1}. ${exactLine(words)}`, isChosen ? { ...accentStyle, ...boldStyle } : {}),
      styled(` (${bound(key)})`, dimStyle),
    ];
    const rows = rowsOf({ first: [styled(isChosen ? `${prompt} ` : '  ', accentStyle)], row });
    return at > 0 && at === own ? [[styled('  Answers of Capstan:', dimStyle)], ...rows] : rows;
  });
}

function oneAnswer(first: Row, [words = plain(''), key = plain('')]: Row, look: Look): Row {
  const room = Math.max(0, look.width - 2 - countColumns(key.text));
  return [...first, ...cutRow([words], room, look), key];
}
