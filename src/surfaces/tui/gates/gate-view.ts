import { hintKeys } from '../keys/hint-keys.ts';
import { visibleLine, visibleText } from '../../terminal/visible-text.ts';
import type { Frame } from '../screen/frame.ts';
import type { TerminalInput } from '../screen/terminal-input.ts';
import { columnsOf } from '../../../base/columns.ts';
import { cutRow } from '../text/cut.ts';
import { drawRows } from '../text/draw-row.ts';
import { glyphsOf } from '../text/glyphs.ts';
import type { Look } from '../text/look.ts';
import { rowsAround } from '../text/rows-around.ts';
import {
  accentStyle,
  badStyle,
  boldStyle,
  dimStyle,
  plain,
  type Row,
  styled,
  type Style,
  warnStyle,
} from '../text/style.ts';
import { wrapRow } from '../text/wrap-row.ts';
import type { View } from '../views/view.ts';

export interface GateChoice {
  readonly label: string;
  readonly about?: string;
  /** It allows something: it counts once the last row of what the gate says was in sight. */
  readonly allows?: true;
}

/** What a gate says and offers. Texts may come from anywhere. */
export interface GateText {
  readonly title: string;
  /** A paragraph each. */
  readonly text?: readonly string[];
  /** What went wrong with the last choice. */
  readonly problem?: string;
  readonly choices: readonly GateChoice[];
}

interface GateOptions extends GateText {
  pick(index: number): void;
  /** Esc. */
  back(): void;
  /** Ctrl+C. */
  leave(): void;
}

/** A question that stands before the conversation: a numbered list under a few sentences. */
export class GateView implements View {
  readonly looks = ['pageup', 'pagedown'];
  readonly #options: GateOptions;
  #at = 0;
  /** The first row of the text in sight, and how many there were. */
  #from = 0;
  #room = 1;
  /** The width at which all of the text was in sight: whether a choice that allows something counts hangs on it. */
  #read: number | undefined;
  #width = 0;
  /** A choice was made before that. */
  #isEarly = false;

  constructor(options: GateOptions) {
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
    return { rows: drawRows(rows.map((row) => cutRow(row, look.width, look)).slice(0, Math.max(1, height)), look) };
  }

  #cutHint(look: Look, rows: number, room: number): Row {
    const key = hintKeys(look);
    const { ellipsis } = glyphsOf(look);
    const isEnd = this.#from + room >= rows;
    const place = `rows ${this.#from + 1}-${Math.min(rows, this.#from + room)} of ${rows}`;
    const [turn, does] = isEnd ? [key('Page up'), 'goes back'] : [key('Page down'), 'shows more'];
    const how = room < 1 ? 'make the window higher before you choose' : `${place}, ${turn} ${does}`;
    const short = room < 1 ? 'make the window higher' : `${place}: ${turn}`;
    const texts = [`  ${ellipsis} ${this.#isEarly ? 'Nothing is chosen yet' : 'Not all of this fits'}: ${how}`, short];
    return [styled(texts.find((text) => columnsOf(text) <= look.width) ?? turn, warnStyle)];
  }

  /** What a choice means stands beside it, or below it where the screen is too narrow for that. */
  #choiceRows(look: Look): readonly (readonly Row[])[] {
    const { choices } = this.#options;
    const { prompt } = glyphsOf(look);
    const columns = (each: (choice: GateChoice) => string): number =>
      Math.max(0, ...choices.map((choice) => columnsOf(visibleLine(each(choice)))));
    const wide = columns(({ label }) => label);
    const isBeside = 7 + wide + columns(({ about = '' }) => about) <= look.width;
    return choices.map(({ label, about = '' }, at): readonly Row[] => {
      const isChosen = at === this.#at;
      const name = visibleLine(label);
      const first: Row = [
        styled(isChosen ? `${prompt} ` : '  ', accentStyle),
        styled(`${at + 1}. ${name}`, isChosen ? { ...accentStyle, ...boldStyle } : {}),
      ];
      if (about === '') return [first];
      const meaning = styled(visibleLine(about), dimStyle);
      if (isBeside) return [[...first, plain(' '.repeat(wide - columnsOf(name) + 2)), meaning]];
      return [first, ...wrapRow([meaning], { width: look.width, first: [plain('     ')] })];
    });
  }

  input(input: TerminalInput): void {
    if (input.kind === 'wheel') return this.#scroll(input.direction === 'up' ? -3 : 3);
    if (input.kind !== 'key') return;
    const { name } = input;
    if (name === 'pageup' || name === 'pagedown') return this.#scroll(name === 'pageup' ? -this.#room : this.#room);
    const { choices, back, leave } = this.#options;
    const last = Math.max(0, choices.length - 1);
    if (name === 'ctrl+c') return leave();
    if (name === 'escape') return back();
    if (name === 'enter') return this.#pick(this.#at);
    if (/^[1-9]$/.test(name)) {
      if (Number(name) <= choices.length) this.#pick(Number(name) - 1);
    } else if (['up', 'k', 'ctrl+p'].includes(name)) this.#at = this.#at === 0 ? last : this.#at - 1;
    else if (['down', 'j', 'ctrl+n'].includes(name)) this.#at = this.#at >= last ? 0 : this.#at + 1;
  }

  /** What allows something shows the next rows of the text first, until its end. */
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

function usualHint(look: Look): Row {
  return [styled(`  ${hintKeys(look)('Enter')} or a number chooses, Ctrl+C leaves`, dimStyle)];
}

/** A text of any origin in rows, with the margin of the screen. Its own line breaks stay. */
function paragraph(text: string, look: Look, style: Style = {}): readonly Row[] {
  const form = { width: look.width, first: [plain('  ')] };
  return visibleText(text)
    .split('\n')
    .flatMap((line) => wrapRow([styled(line.replaceAll('\t', ' '), style)], form));
}
