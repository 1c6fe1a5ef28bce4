import { hintKeys } from '../keys/hint-keys.ts';
import { visibleLine, visibleText } from '../../terminal/visible-text.ts';
import type { Frame } from '../screen/frame.ts';
import type { TerminalInput } from '../screen/terminal-input.ts';
import { columnsOf } from '../text/columns.ts';
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
    // On a low screen the choices come first, and those around the cursor of them, with a word about what is missing.
    const isCut = said.length > Math.max(0, height - offered.length - 2);
    const most = Math.max(1, Math.min(offered.length, isCut && height > 2 ? height - 1 : height));
    const list = rowsAround(offered, at, most);
    const room = Math.max(0, height - list.length - 2);
    this.#room = Math.max(1, room);
    this.#from = Math.max(0, Math.min(this.#from, said.length - room));
    const above = said.slice(this.#from, this.#from + room);
    const hint = isCut ? this.#cutHint(look, said.length, room) : usualHint(look);
    const rows = [
      ...above,
      ...(above.length > 0 ? [[]] : []),
      ...list,
      ...(height > list.length + (isCut ? 0 : 1) && choices.length > 0 ? [hint] : []),
    ];
    return { rows: drawRows(rows.map((row) => cutRow(row, look.width, look)).slice(0, Math.max(1, height)), look) };
  }

  #cutHint(look: Look, rows: number, room: number): Row {
    const key = hintKeys(look);
    const isEnd = this.#from + room >= rows;
    const next = isEnd ? `${key('Page up')} goes back` : `${key('Page down')} shows more`;
    const place = `rows ${this.#from + 1}-${Math.min(rows, this.#from + room)} of ${rows}, ${next}`;
    const how = room < 2 ? 'make the window higher before you choose' : place;
    return [styled(`  ${glyphsOf(look).ellipsis} Not all of this fits: ${how}`, warnStyle)];
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
    const { choices, pick, back, leave } = this.#options;
    const last = Math.max(0, choices.length - 1);
    if (name === 'ctrl+c') return leave();
    if (name === 'escape') return back();
    if (name === 'enter') return pick(this.#at);
    if (/^[1-9]$/.test(name)) {
      if (Number(name) <= choices.length) pick(Number(name) - 1);
    } else if (['up', 'k', 'ctrl+p'].includes(name)) this.#at = this.#at === 0 ? last : this.#at - 1;
    else if (['down', 'j', 'ctrl+n'].includes(name)) this.#at = this.#at >= last ? 0 : this.#at + 1;
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
