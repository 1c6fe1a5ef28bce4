import { type Answer, asksForContent, type Question } from '../../../protocol/question.ts';
import type { TurnItem } from '../../../protocol/turn-item.ts';
import { type Choice, choicesFor } from '../../exec/approvals/choices.ts';
import { askedField, fieldChoices } from '../../exec/approvals/form-choices.ts';
import { inputChoices } from '../../exec/approvals/input-choices.ts';
import { questionLines } from '../../exec/approvals/question-lines.ts';
import { paint } from '../../terminal/look.ts';
import { homeHint, keyHint, type KeyGroup } from '../keys/key-map.ts';
import { Editor } from '../composer/editor.ts';
import type { View } from './view.ts';
import type { Frame } from '../screen/frame.ts';
import type { TerminalInput } from '../screen/terminal-input.ts';
import { cleanLine } from '../text/clean.ts';
import { columnsOf } from '../text/columns.ts';
import { cutRow } from '../text/cut.ts';
import { drawRow } from '../text/draw-row.ts';
import { glyphsOf } from '../text/glyphs.ts';
import type { Look } from '../text/look.ts';
import { accentStyle, badStyle, boldStyle, dimStyle, plain, type Row, styled } from '../text/style.ts';

export interface QuestionOptions {
  readonly question: Question;
  readonly item: TurnItem | undefined;
  answer(answer: Answer): void;
  /** All of what is asked, on a screen of its own. */
  showWhole(rows: (look: Look) => readonly string[]): void;
}

/** What is asked, with everything that a yes would allow, and the answers. */
export class QuestionView implements View {
  readonly #options: QuestionOptions;
  readonly #choices: readonly Choice[];
  readonly #note = new Editor(columnsOf);
  #at = 0;
  /** The answer that a line is being typed for. */
  #noted: Choice | undefined;
  #problem = '';

  constructor(options: QuestionOptions) {
    this.#options = options;
    this.#choices = choicesOf(options.question);
  }

  get keys(): KeyGroup | 'raw' {
    if (this.#noted !== undefined) return 'editor';
    const { question } = this.#options;
    // The answers of a form have keys of their own, and Esc always refuses it.
    return question.input === undefined && !asksForContent(question.kind) ? 'approval' : 'raw';
  }

  frame(look: Look, height: number): Frame {
    const { question, item } = this.#options;
    const asked = askedRows(question, item, look);
    const below = this.#noted === undefined ? this.#choiceRows(look) : this.#noteRows(this.#noted);
    const room = Math.max(1, height - below.length - 1);
    const isCut = asked.length > room;
    const more: Row = [
      styled(
        `  ${glyphsOf(look).ellipsis} ${asked.length - room + 1} more rows above${keyHint(look, 'approval.open_fullscreen', (key) => `: ${key} shows all`)}`,
        dimStyle,
      ),
    ];
    const shown = isCut ? [drawRow(more, look), ...asked.slice(asked.length - room + 1)] : asked;
    const rows = [...shown, ...below.map((row) => drawRow(cutRow(row, look.width, look), look))];
    if (this.#noted === undefined) return { rows };
    const { text, cursor } = this.#note.draft;
    const column = Math.min(look.width - 1, 4 + columnsOf(text.slice(0, cursor)));
    return { rows, cursor: { row: shown.length + 1, column } };
  }

  #choiceRows(look: Look): readonly Row[] {
    const { prompt } = glyphsOf(look);
    const rows = this.#choices.map(({ key, words }, at): Row => {
      const isChosen = at === this.#at;
      const style = isChosen ? { ...accentStyle, ...boldStyle } : {};
      return [
        styled(isChosen ? `${prompt} ` : '  ', accentStyle),
        styled(`${at + 1}. ${cleanLine(words)}`, style),
        styled(` (${this.keys === 'approval' ? homeHint(look, 'approval', key) : key})`, dimStyle),
      ];
    });
    return [[], ...rows, [styled('  Enter confirms, Esc says no and stops the turn', dimStyle)]];
  }

  #noteRows({ reads }: Choice): readonly Row[] {
    const title = reads === undefined ? 'What should the model know?' : 'Type the answer.';
    const problem: readonly Row[] = this.#problem === '' ? [] : [[styled(`  ${cleanLine(this.#problem)}`, badStyle)]];
    return [
      [styled(`  ${title}`, boldStyle), styled(' Enter sends it, Esc goes back', dimStyle)],
      [plain('  > '), plain(this.#note.draft.text.replaceAll('\n', ' '))],
      ...problem,
    ];
  }

  input(input: TerminalInput): void {
    if (this.#noted !== undefined) return this.#intoNote(input, this.#noted);
    if (input.kind !== 'key') return;
    const { name } = input;
    const last = this.#choices.length - 1;
    if (name === 'up' || name === 'ctrl+p') this.#at = this.#at === 0 ? last : this.#at - 1;
    else if (name === 'down' || name === 'ctrl+n') this.#at = this.#at === last ? 0 : this.#at + 1;
    else if (name === 'enter') this.#choose(this.#choices[this.#at]);
    else if (name === 'ctrl+a') {
      const { question, item } = this.#options;
      this.#options.showWhole((look) => askedRows(question, item, look));
    } else if (name === 'escape' || name === 'ctrl+c') this.#options.answer({ kind: 'stopped' });
    else this.#choose(this.#choices.find(({ key }) => key === name) ?? this.#byNumber(name));
  }

  #byNumber(name: string): Choice | undefined {
    return /^[1-9]$/.test(name) ? this.#choices[Number(name) - 1] : undefined;
  }

  #choose(choice: Choice | undefined): void {
    if (choice === undefined) return;
    if (choice.takesNote === true) this.#noted = choice;
    else this.#options.answer(choice.answer);
  }

  #intoNote(input: TerminalInput, choice: Choice): void {
    if (input.kind === 'paste') this.#note.paste(input.text);
    if (input.kind !== 'key') return;
    const { name, text } = input;
    if (name === 'escape' || name === 'ctrl+c') {
      this.#noted = undefined;
      this.#problem = '';
    } else if (name === 'enter') this.#sendNote(choice);
    else if (text !== '') this.#note.type(text);
    else this.#note.press(name, 1000);
  }

  #sendNote({ reads, answer }: Choice): void {
    const text = this.#note.draft.text.trim();
    const read = reads?.(text);
    if (typeof read === 'string') this.#problem = read;
    else this.#options.answer(read ?? (text === '' ? answer : { ...answer, note: text }));
  }
}

function choicesOf(question: Question): readonly Choice[] {
  const [wanted] = question.input ?? [];
  if (wanted !== undefined) return inputChoices(wanted);
  const field = askedField(question);
  if (field !== undefined) return fieldChoices(field);
  return asksForContent(question.kind) ? [declined] : choicesFor(question);
}

const declined: Choice = {
  key: 'n',
  words: 'no: this terminal cannot run it',
  answer: { kind: 'declined', by: 'client' },
};

/** What is asked, in rows that fit. Nothing of it is cut. */
function askedRows(question: Question, item: TurnItem | undefined, look: Look): readonly string[] {
  const spans = questionLines(question, item, { width: look.width });
  return paint(spans, look.colours !== 'none')
    .replace(/\n$/, '')
    .split('\n');
}
