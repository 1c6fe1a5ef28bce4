import { countColumns } from '../../../base/text-columns.ts';
import { formatCount, turnWords } from '../../../engine/wording.ts';
import type { ThreadSummary } from '../../../protocol/thread.ts';
import { agoWords } from '../../views/wording/time-words.ts';
import { shownPreview } from '../../views/wording/turn-lines.ts';
import { hintKeys } from '../screen/keys/key-map.ts';
import type { KeyPress, TerminalInput } from '../screen/terminal/terminal-port.ts';
import { cleanLine } from '../screen/text/clean-text.ts';
import { cutRow, cutTo, drawRow } from '../screen/text/draw-row.ts';
import { shownPath } from '../screen/text/format-values.ts';
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
import type { Frame, View } from '../screen/view.ts';
import type { ThreadPages, WantedThreads } from './thread-pages.ts';

export interface PickerOptions {
  readonly title: string;
  readonly cwd: string;
  readonly anyFolder: boolean;
  readonly pages: ThreadPages;
  readonly openId: string | undefined;
  readonly isDense: boolean;
  /** Saves the choice for the next time. */
  densityChosen(isDense: boolean): void;
  pick(thread: ThreadSummary): void;
  preview(thread: ThreadSummary): void;
  archive(thread: ThreadSummary): void;
  close(): void;
}

const switches = [
  { name: 'Folder', values: ['this one', 'all'] },
  { name: 'Status', values: ['active', 'archived'] },
  { name: 'Sort', values: ['updated', 'created'] },
] as const;

const wholeSwitches = 80;

export class PickerView implements View {
  readonly #options: PickerOptions;
  readonly #isOther: boolean[];
  #typed = '';
  #at = 0;
  /** The focused switch; absent: the list has the focus. */
  #focus: number | undefined;
  #isDense: boolean;
  #shown = 1;

  constructor(options: PickerOptions) {
    this.#options = options;
    this.#isOther = [options.anyFolder, false, false];
    this.#isDense = options.isDense;
    this.refresh();
  }

  refresh(): void {
    const [anyFolder, archived, created] = this.#isOther;
    const text = this.#typed.trim();
    const wanted: WantedThreads = {
      sort: created === true ? 'created' : 'updated',
      ...(anyFolder === true ? {} : { cwd: this.#options.cwd }),
      ...(archived === true ? { archived: true } : {}),
      ...(text === '' ? {} : { text, textIn: 'all' }),
    };
    this.#options.pages.show(wanted);
  }

  frame(look: Look, height: number): Frame {
    const { pages, title, openId } = this.#options;
    const { threads } = pages;
    this.#at = Math.max(0, Math.min(this.#at, threads.length - 1));
    const each = this.#isDense ? 1 : 2;
    const room = Math.max(each, height - 6);
    this.#shown = Math.floor(room / each);
    const from = Math.max(0, Math.min(this.#at - Math.floor(this.#shown / 2), threads.length - this.#shown));
    // Read ahead.
    if (this.#at + this.#shown >= threads.length) pages.more();
    const listed = threads
      .slice(from, from + this.#shown)
      .flatMap((thread, at) =>
        threadRows(
          thread,
          { isChosen: from + at === this.#at, isOpen: thread.id === openId, isDense: this.#isDense },
          look,
        ),
      );
    const rows: readonly Row[] = [
      [styled(title, boldStyle), styled(`  ${this.#place()}`, dimStyle)],
      [styled(`${glyphsOf(look).prompt} `, boldStyle), ...this.#searchPieces()],
      this.#switchRow(look.width),
      [],
      ...(listed.length > 0 ? listed : this.#emptyRows(look)),
    ];
    const drawn = rows.map((row) => drawRow(cutRow(row, look.width, look), look));
    const blanks = Array.from({ length: Math.max(0, height - 2 - drawn.length) }, () => '');
    const foot = [...this.#problemRows(look), [styled(this.#hint(look), dimStyle)]].map((row) =>
      drawRow(cutRow(row, look.width, look), look),
    );
    const all = [...drawn.slice(0, Math.max(0, height - 2)), ...blanks, ...foot];
    const column = Math.min(look.width - 1, 2 + countColumns(this.#typed));
    return { rows: all.slice(0, height), ...(height > 1 ? { cursor: { row: 1, column } } : {}) };
  }

  #place(): string {
    const { threads, isReading, read, hasMore } = this.#options.pages;
    if (isReading) return read > 0 ? `reading ${formatCount(read)} new threads…` : 'reading…';
    return threads.length === 0
      ? ''
      : `${formatCount(this.#at + 1)} of ${formatCount(threads.length)}${hasMore ? '+' : ''}`;
  }

  #searchPieces(): Row {
    if (this.#typed !== '') return [plain(this.#typed)];
    return [styled('Type to search by title, first message, branch, folder or id', dimStyle)];
  }

  /** A narrow screen shows the current values only. */
  #switchRow(width: number): Row {
    return switches.flatMap(({ name, values }, at) => {
      const chosen = this.#isOther[at] === true ? 1 : 0;
      const isFocused = this.#focus === at;
      return [
        styled(`${at === 0 ? '' : '   '}${name}: `, isFocused ? accentStyle : dimStyle),
        ...values.flatMap((value, index) => {
          if (width < wholeSwitches) return index === chosen ? [plain(value)] : [];
          const word = index === chosen ? `[${value}]` : ` ${value} `;
          return [styled(word, index === chosen ? (isFocused ? { ...accentStyle, ...boldStyle } : {}) : dimStyle)];
        }),
      ];
    });
  }

  #emptyRows(look: Look): readonly Row[] {
    if (this.#options.pages.isReading) return [];
    const [anyFolder] = this.#isOther;
    const more = anyFolder === true ? '' : ` ${hintKeys(look, 'pager')('Tab')}, then right: look in all folders.`;
    return [[styled(`  ${this.#typed === '' ? 'No conversations here.' : 'No matches.'}${more}`, dimStyle)]];
  }

  #problemRows(look: Look): readonly Row[] {
    const { problem } = this.#options.pages;
    return problem === undefined
      ? [[]]
      : [[styled(`${cleanLine(problem)} ${hintKeys(look, 'pager')('Enter')} tries again.`, badStyle)]];
  }

  #hint(look: Look): string {
    const key = hintKeys(look, 'pager');
    if (this.#focus !== undefined)
      return `left and right change it · ${key('tab')} the next one · ${key('esc')} back to the list`;
    const long = `${key('enter')} opens · ${key('tab')} filters · ${key('ctrl+t')} preview · ${key('ctrl+a')} archive · ${key('ctrl+o')} one or two rows · ${key('esc')} ${this.#options.openId === undefined ? 'leaves' : 'back'}`;
    return look.width >= countColumns(long)
      ? long
      : `${key('enter')} · ${key('tab')} filters · ${key('ctrl+t')} preview · ${key('esc')}${this.#options.openId === undefined ? ' leaves' : ''}`;
  }

  input(input: TerminalInput): void {
    if (input.kind === 'wheel') this.#move(input.direction === 'up' ? -1 : 1);
    if (input.kind === 'paste') this.#type(cleanLine(input.text));
    if (input.kind !== 'key') return;
    if (this.#focus === undefined) this.#ofList(input);
    else this.#ofSwitch(input.name, this.#focus);
  }

  #ofSwitch(name: string, focus: number): void {
    if (name === 'left' || name === 'right' || name === 'space' || name === 'enter') {
      this.#isOther[focus] = this.#isOther[focus] !== true;
      this.#at = 0;
      this.refresh();
    } else if (name === 'tab') this.#focus = focus + 1 < switches.length ? focus + 1 : undefined;
    else if (name === 'shift+tab') this.#focus = focus > 0 ? focus - 1 : undefined;
    else if (name === 'escape' || name === 'ctrl+c' || name === 'up' || name === 'down') this.#focus = undefined;
  }

  #ofList({ name, text }: KeyPress): void {
    const { pages, pick, preview, archive, close } = this.#options;
    const chosen = pages.threads[this.#at];
    switch (name) {
      case 'escape':
      case 'ctrl+c':
        return close();
      case 'enter':
        if (pages.problem !== undefined) return pages.again();
        return chosen === undefined ? undefined : pick(chosen);
      case 'ctrl+t':
        return chosen === undefined ? undefined : preview(chosen);
      case 'ctrl+a':
        return chosen === undefined ? undefined : archive(chosen);
      case 'ctrl+o':
        this.#isDense = !this.#isDense;
        return this.#options.densityChosen(this.#isDense);
      case 'tab':
      case 'shift+tab':
        this.#focus = name === 'tab' ? 0 : switches.length - 1;
        return;
      case 'up':
      case 'ctrl+p':
      case 'ctrl+k':
        return this.#move(-1);
      case 'down':
      case 'ctrl+n':
      case 'ctrl+j':
        return this.#move(1);
      case 'pageup':
      case 'ctrl+b':
        return this.#move(-this.#shown);
      case 'pagedown':
      case 'ctrl+f':
        return this.#move(this.#shown);
      case 'home':
        this.#at = 0;
        return;
      case 'end':
        return this.#move(Infinity);
      case 'backspace':
        return this.#retype(this.#typed.slice(0, -1));
      case 'ctrl+u':
        return this.#retype('');
      default:
        if (text !== '') this.#type(text);
    }
  }

  #move(rows: number): void {
    const last = Math.max(0, this.#options.pages.threads.length - 1);
    this.#at = Math.max(0, Math.min(last, this.#at + rows));
  }

  #type(text: string): void {
    this.#retype(this.#typed + text);
  }

  #retype(text: string): void {
    if (text === this.#typed) return;
    this.#typed = text;
    this.#at = 0;
    this.refresh();
  }
}

export interface ListedAs {
  readonly isChosen: boolean;
  readonly isOpen: boolean;
  readonly isDense: boolean;
}

function threadRows(thread: ThreadSummary, as: ListedAs, look: Look): readonly Row[] {
  const { isChosen, isDense } = as;
  const age = agoWords(thread.updatedAt, look.now);
  const sign = styled(isChosen ? `${glyphsOf(look).prompt} ` : '  ', accentStyle);
  const room = Math.max(1, look.width - 4 - countColumns(age));
  const title = cutTo(titleOf(thread), room, look);
  const blanks = ' '.repeat(Math.max(0, room - countColumns(title)) + 2);
  const style = isChosen ? { ...accentStyle, ...boldStyle } : {};
  const first: Row = [sign, styled(title, style), plain(blanks), styled(age, dimStyle)];
  return isDense ? [first] : [first, aboutRow(thread, as, look)];
}

export function titleOf({ name, preview }: Pick<ThreadSummary, 'name' | 'preview'>): string {
  return cleanLine((name ?? shownPreview(preview)).slice(0, 1000)).trim() || '(no messages)';
}

function aboutRow(thread: ThreadSummary, { isOpen }: ListedAs, look: Look): Row {
  const { model, effort, sandbox, approval, mode, cwd, gitBranch, questions = 0, archived } = thread;
  const policy = [sandbox, approval].filter((word) => word !== undefined).join(', ');
  const parts = [
    model === undefined ? undefined : [model, effort].filter((word) => word !== undefined).join(' '),
    policy === '' ? undefined : policy,
    mode === 'plan' ? 'plan mode' : undefined,
    ...turnWords(thread),
    archived ? 'archived' : undefined,
    gitBranch,
    cwd === undefined ? undefined : shownPath(cwd, { ...look, cwd: '' }),
  ];
  const { dot } = glyphsOf(look);
  const said = parts.filter((part) => part !== undefined).map((part) => cleanLine(part));
  return [
    plain('    '),
    ...(isOpen ? [styled(`open now ${dot} `, warnStyle)] : []),
    ...(questions > 0 ? [styled(`waits for your answer ${dot} `, warnStyle)] : []),
    styled(said.join(` ${dot} `), dimStyle),
  ];
}
