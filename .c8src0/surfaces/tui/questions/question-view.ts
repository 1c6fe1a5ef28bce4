import { countColumns } from '../../../base/text-columns.ts';
import { savablePrefixes } from '../../../core/policy/decide/question-content.ts';
import { type Answer, asksForContent, type Question } from '../../../protocol/question.ts';
import type { TurnItem } from '../../../protocol/turn-item.ts';
import { singleFormField, carriesNote, choicesFor, fieldChoices } from '../../views/questions/question-choices.ts';
import type { Choice } from '../../views/questions/question-choices.ts';
import { unambiguousLine } from '../../views/terminal/exact-text.ts';
import { cursorSign, drawCutRows, hintRows, keyTable, listRowStyle } from '../pages/list-parts.ts';
import { hintKeyMapper, type KeyGroup } from '../screen/keys/key-map.ts';
import type { TerminalInput } from '../screen/terminal/terminal-port.ts';
import { cutRow, drawRows, rowsAround } from '../screen/text/draw-row.ts';
import { glyphsOf, type Look } from '../screen/text/look.ts';
import { badStyle, dimStyle, type RowPiece, plain, type Row, styled, warnStyle } from '../screen/text/style.ts';
import { wrapRow } from '../screen/text/wrap-row.ts';
import { cacheRows, type Frame, type View } from '../screen/view.ts';
import { type FieldOptions, TextLineField } from './form-fields.ts';
import { type QuestionRows, questionRows, fitQuestionRows } from './question-rows.ts';

type QuestionOptions = FieldOptions & { readonly item: TurnItem | undefined; waiting(): number };
/** With fewer rows for the question, the hint is dropped. A low window drops it before any row of the command. */
const fewestAsked = 4;
/** The question keeps this many rows before unselected answers get any. */
const leastAsked = 2;
/** Largest height of a low window, in which stricter rules apply. */
const lowRows = 13;
type RowsOfAsked = (look: Look) => QuestionRows;

/** Shows a question, all that a yes would allow, and the answers. The user can add a note if a model will read it. */
export class QuestionView implements View {
  readonly #options: QuestionOptions;
  readonly #choices: readonly Choice[];
  readonly #note = new TextLineField();
  readonly #prefixes: readonly (readonly string[])[];
  /** Index of the selected answer. Below 0: none is selected, and Enter does not answer. */
  #at: number;
  #isNoting = false;
  #prefixAt: number;
  #problem = '';
  /** Cached rows of the whole question: a patch may have many thousand lines. */
  #rows = this.#keepRows();
  /** Decides if a yes counts. `enough`: its effect is visible, or a window that is not low says that there is more. */
  #drawn: { readonly rows?: RowsOfAsked; readonly width: number; readonly shows: 'all' | 'enough' | 'part' } = {
    width: 0,
    shows: 'part',
  };
  /** The rows that the user has seen to their end, and the window width for which that holds. */
  #read: { readonly rows: RowsOfAsked; readonly width: number } | undefined;
  readonly #moves = keyTable<() => void>({
    'up ctrl+p': () => (this.#at = this.#at <= 0 ? this.#choices.length - 1 : this.#at - 1),
    'down ctrl+n': () => (this.#at = this.#at === this.#choices.length - 1 ? 0 : this.#at + 1),
  });
  readonly #keys = keyTable<() => void>({
    enter: () => this.#confirm(),
    tab: () => (this.#isNoting = this.#takesNote),
    'ctrl+a': () => this.#showWhole(),
    'escape ctrl+c': () => this.#options.answer({ kind: 'stopped' }),
    left: () => this.#changeRule(-1),
    right: () => this.#changeRule(1),
  });

  constructor(options: QuestionOptions) {
    this.#options = options;
    const { question } = options;
    this.#choices = choicesOf(question);
    // The server worded these answers, so Capstan selects none of them.
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
    return cacheRows((look) => questionRows(this.#asked, this.#options.item, look));
  }

  frame(look: Look, height: number): Frame {
    const asked = this.#rows(look);
    const whole = this.#belowRows(look, { how: 'whole' });
    const short = asked.all.length + whole.length > height ? this.#belowRows(look, { how: 'short' }) : whole;
    // Cut answers before the question. In a low window, drop the hint if it would hide part of the command.
    const least = height < lowRows ? Math.max(fewestAsked, asked.core.length + 1) : fewestAsked;
    const below = height - short.length >= least ? short : this.#belowRows(look, { how: 'bare', height });
    const shown = fitQuestionRows(this.#asked, asked, look, Math.max(0, height - below.length));
    const isEnough = shown.shows === 'core' || (shown.isSaid && height >= lowRows);
    const shows = shown.shows === 'all' ? 'all' : isEnough ? 'enough' : 'part';
    this.#drawn = { rows: this.#rows, width: look.width, shows };
    const rows = [...shown.rows, ...drawCutRows(below, look)];
    const cursor = { row: rows.length - 1, column: this.#note.column(look.width) };
    return { rows, cursor: this.#isNoting ? cursor : undefined };
  }

  /** `short`: each answer in one row. `bare`: without the hint, and only the answers that fit. */
  #belowRows(
    look: Look,
    { how, height = Infinity }: { readonly how: 'whole' | 'short' | 'bare'; readonly height?: number },
  ): readonly Row[] {
    const problem: readonly Row[] =
      this.#problem === '' ? [] : [[styled(`  ${unambiguousLine(this.#problem)}`, badStyle)]];
    const tail = [
      ...(how === 'bare' && !this.#isNoting ? [] : hintRows(this.#hint(look), look)),
      ...problem,
      ...(this.#isNoting ? [this.#note.row()] : []),
    ];
    const list = { choices: this.#choices, at: this.#at, bound: hintKeyMapper(look, this.keys) };
    const answers =
      how === 'whole'
        ? choiceRows(list, look)
        : shortChoiceRows(list, look, Math.max(1, height - tail.length - leastAsked));
    return [...(how === 'bare' ? [] : [[]]), ...answers, ...tail];
  }

  #hint(look: Look): string {
    const key = hintKeyMapper(look, this.keys);
    const { dot } = glyphsOf(look);
    const { waiting } = this.#options;
    if (this.#isNoting) {
      const title = this.#chosen?.reads === undefined ? 'What should the model know?' : 'Type the answer.';
      return `${title} ${key('Enter')} sends it, ${key('Esc')} goes back`;
    }
    const others = waiting() === 0 ? '' : ` ${dot} ${waiting()} more ${waiting() === 1 ? 'waits' : 'wait'}`;
    const note = this.#takesNote ? `${key('Tab')} adds a note, ` : '';
    const isRule = this.#chosen?.answer.scope === 'rule' && this.#prefixes.length > 1;
    const first =
      this.#chosen === undefined ? 'Up and down choose, ' : isRule ? 'Left and right change the rule, ' : '';
    return `${first}${key('Enter')} confirms, ${note}${key('Esc')} stops the turn${others}`;
  }

  get #chosen(): Choice | undefined {
    return this.#choices[this.#at];
  }
  get #takesNote(): boolean {
    return this.#chosen !== undefined && carriesNote(this.#options.question.kind);
  }

  input(input: TerminalInput): void {
    // Up and down select an answer, even while a note is typed.
    const move = input.kind === 'key' ? this.#moves.get(input.name) : undefined;
    if (move !== undefined) {
      move();
      if (!this.#isNoting) this.#problem = '';
      return;
    }
    if (this.#isNoting) return this.#intoNote(input);
    if (input.kind !== 'key') return;
    const { name } = input;
    const act = this.#keys.get(name);
    if (act !== undefined) return act();
    const at = this.#choices.findIndex(({ key }) => key === name);
    const found = at === -1 && /^[1-9]$/.test(name) ? Number(name) - 1 : at;
    if (this.#choices[found] === undefined) return;
    this.#at = found;
    this.#confirm();
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
      const [closes, answers] = [hintKeyMapper(look, 'pager')('q'), hintKeyMapper(look, this.keys)(confirms)];
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
    else this.#options.answer(read ?? { ...this.#answerOf(choice), ...(text !== '' && { note: text }) });
  }
}

function choicesOf(question: Question): readonly Choice[] {
  const field = singleFormField(question);
  if (field !== undefined) return fieldChoices(field);
  return asksForContent(question.kind) ? [declined] : choicesFor(question);
}

const declined: Choice = {
  key: 'n',
  words: 'no: this terminal cannot run it',
  answer: { kind: 'declined', by: 'client' },
};

type AnswerList = { readonly choices: readonly Choice[]; readonly at: number; bound(key: string): string };

/** Answers with their keys, wrapped: no key is cut. */
function choiceRows(list: AnswerList, look: Look): readonly Row[] {
  const rest = [plain('     ')];
  return listed(list, look, (sign, words, key) =>
    wrapRow([words, key], { width: look.width, first: [sign], rest }),
  ).flat();
}

function shortChoiceRows(list: AnswerList, look: Look, most: number): readonly Row[] {
  const groups = listed(list, look, (sign, words, key) => {
    const room = Math.max(0, look.width - 2 - countColumns(key.text));
    return [[sign, ...cutRow([words], room, look), key]];
  });
  const chosen = groups.slice(0, list.at + 1).flat().length - 1;
  return rowsAround(groups.flat(), Math.max(0, chosen), most);
}

function listed(
  { choices, at: chosenAt, bound }: AnswerList,
  look: Look,
  rowsOf: (sign: RowPiece, words: RowPiece, key: RowPiece) => readonly Row[],
): readonly (readonly Row[])[] {
  const own = choices.findIndex(({ isOffered }) => isOffered !== true);
  return choices.map(({ key, words }, at) => {
    const isChosen = at === chosenAt;
    const answer = styled(`${at + 1}. ${unambiguousLine(words)}`, listRowStyle(isChosen));
    const rows = rowsOf(cursorSign(isChosen, look), answer, styled(` (${bound(key)})`, dimStyle));
    return at > 0 && at === own ? [[styled('  Answers of Capstan:', dimStyle)], ...rows] : rows;
  });
}
