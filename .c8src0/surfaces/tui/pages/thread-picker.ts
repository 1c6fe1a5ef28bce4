import { countColumns } from '../../../base/text-columns.ts';
import { formatCount, describeTurnCount } from '../../../engine/wording.ts';
import type { ThreadSummary } from '../../../protocol/thread.ts';
import { agoWords } from '../../views/wording/time-words.ts';
import { shownPreview } from '../../views/wording/turn-lines.ts';
import { hintKeyMapper } from '../screen/keys/key-map.ts';
import type { TerminalInput } from '../screen/terminal/terminal-port.ts';
import { cleanLine } from '../screen/text/clean-text.ts';
import { cutLine } from '../screen/text/draw-row.ts';
import { shownPath } from '../screen/text/format-values.ts';
import { glyphsOf, type Look } from '../screen/text/look.ts';
import { accentStyle, badStyle, boldStyle, dimStyle, plain, styled, warnStyle } from '../screen/text/style.ts';
import type { Row } from '../screen/text/style.ts';
import type { Frame, View } from '../screen/view.ts';
import { paddingBlanks, cursorSign, drawCutRows, keyTable, listRowStyle } from './list-parts.ts';
import type { ThreadPages } from './thread-pages.ts';

export interface ThreadPickerOptions {
  readonly title: string;
  readonly cwd: string;
  readonly anyFolder: boolean;
  readonly pages: ThreadPages;
  readonly openId?: string;
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

export class ThreadPickerView implements View {
  readonly #options: ThreadPickerOptions;
  readonly #isOther: boolean[];
  #typed = '';
  #at = 0;
  /** The focused switch; absent: the list has the focus. */
  #focus: number | undefined;
  #isDense: boolean;
  #shown = 1;
  readonly #listKeys = keyTable<(chosen: ThreadSummary | undefined) => void>({
    'escape ctrl+c': () => this.#options.close(),
    enter: (chosen) => {
      const { pages, pick } = this.#options;
      if (pages.problem !== undefined) pages.again();
      else if (chosen !== undefined) pick(chosen);
    },
    'ctrl+t': (chosen) => chosen && this.#options.preview(chosen),
    'ctrl+a': (chosen) => chosen && this.#options.archive(chosen),
    'ctrl+o': () => {
      this.#isDense = !this.#isDense;
      this.#options.densityChosen(this.#isDense);
    },
    tab: () => (this.#focus = 0),
    'shift+tab': () => (this.#focus = switches.length - 1),
    'up ctrl+p ctrl+k': () => this.#move(-1),
    'down ctrl+n ctrl+j': () => this.#move(1),
    'pageup ctrl+b': () => this.#move(-this.#shown),
    'pagedown ctrl+f': () => this.#move(this.#shown),
    home: () => (this.#at = 0),
    end: () => this.#move(Infinity),
    backspace: () => this.#retype(this.#typed.slice(0, -1)),
    'ctrl+u': () => this.#retype(''),
  });
  readonly #switchKeys = keyTable<(focus: number) => void>({
    'left right space enter': (focus) => {
      this.#isOther[focus] = this.#isOther[focus] !== true;
      this.#at = 0;
      this.refresh();
    },
    tab: (focus) => (this.#focus = focus + 1 < switches.length ? focus + 1 : undefined),
    'shift+tab': (focus) => (this.#focus = focus > 0 ? focus - 1 : undefined),
    'escape ctrl+c up down': () => (this.#focus = undefined),
  });

  constructor(options: ThreadPickerOptions) {
    this.#options = options;
    this.#isOther = [options.anyFolder, false, false];
    this.#isDense = options.isDense;
    this.refresh();
  }

  refresh(): void {
    const [anyFolder, archived, created] = this.#isOther;
    const text = this.#typed.trim();
    this.#options.pages.show({
      sort: created === true ? 'created' : 'updated',
      ...(anyFolder !== true && { cwd: this.#options.cwd }),
      ...(archived === true && { archived: true }),
      ...(text !== '' && { text, textIn: 'all' }),
    });
  }

  frame(look: Look, height: number): Frame {
    const { pages, title, openId } = this.#options;
    const { threads } = pages;
    this.#at = Math.max(0, Math.min(this.#at, threads.length - 1));
    const each = this.#isDense ? 1 : 2;
    this.#shown = Math.floor(Math.max(each, height - 6) / each);
    const from = Math.max(0, Math.min(this.#at - Math.floor(this.#shown / 2), threads.length - this.#shown));
    // Read ahead.
    if (this.#at + this.#shown >= threads.length) pages.more();
    const listed = threads.slice(from, from + this.#shown).flatMap((thread, at) => {
      const first = titleRow(thread, from + at === this.#at, look);
      return this.#isDense ? [first] : [first, aboutRow(thread, thread.id === openId, look)];
    });
    const rows: readonly Row[] = [
      [styled(title, boldStyle), styled(`  ${this.#place()}`, dimStyle)],
      [styled(`${glyphsOf(look).prompt} `, boldStyle), ...this.#searchPieces()],
      this.#switchRow(look.width),
      [],
      ...(listed.length > 0 ? listed : this.#emptyRows(look)),
    ];
    const room = Math.max(0, height - 2);
    const blanks = Array.from({ length: Math.max(0, room - rows.length) }, (): Row => []);
    const all = [...rows.slice(0, room), ...blanks, this.#problemRow(look), [styled(this.#hint(look), dimStyle)]];
    const column = Math.min(look.width - 1, 2 + countColumns(this.#typed));
    return { rows: drawCutRows(all.slice(0, height), look), cursor: height > 1 ? { row: 1, column } : undefined };
  }

  #place(): string {
    const { threads, isReading, read, hasMore } = this.#options.pages;
    if (isReading) return read > 0 ? `reading ${formatCount(read)} new threads…` : 'reading…';
    if (threads.length === 0) return '';
    return `${formatCount(this.#at + 1)} of ${formatCount(threads.length)}${hasMore ? '+' : ''}`;
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
          return [styled(word, index === chosen ? listRowStyle(isFocused) : dimStyle)];
        }),
      ];
    });
  }

  #emptyRows(look: Look): readonly Row[] {
    if (this.#options.pages.isReading) return [];
    const [anyFolder] = this.#isOther;
    const more = anyFolder === true ? '' : ` ${hintKeyMapper(look, 'pager')('Tab')}, then right: look in all folders.`;
    return [[styled(`  ${this.#typed === '' ? 'No conversations here.' : 'No matches.'}${more}`, dimStyle)]];
  }

  #problemRow(look: Look): Row {
    const { problem } = this.#options.pages;
    if (problem === undefined) return [];
    return [styled(`${cleanLine(problem)} ${hintKeyMapper(look, 'pager')('Enter')} tries again.`, badStyle)];
  }

  #hint(look: Look): string {
    const key = hintKeyMapper(look, 'pager');
    if (this.#focus !== undefined)
      return `left and right change it · ${key('tab')} the next one · ${key('esc')} back to the list`;
    const leaves = this.#options.openId === undefined;
    const long = `${key('enter')} opens · ${key('tab')} filters · ${key('ctrl+t')} preview · ${key('ctrl+a')} archive · ${key('ctrl+o')} one or two rows · ${key('esc')} ${leaves ? 'leaves' : 'back'}`;
    if (look.width >= countColumns(long)) return long;
    return `${key('enter')} · ${key('tab')} filters · ${key('ctrl+t')} preview · ${key('esc')}${leaves ? ' leaves' : ''}`;
  }

  input(input: TerminalInput): void {
    if (input.kind === 'wheel') this.#move(input.direction === 'up' ? -1 : 1);
    if (input.kind === 'paste') this.#retype(this.#typed + cleanLine(input.text));
    if (input.kind !== 'key') return;
    if (this.#focus !== undefined) return this.#switchKeys.get(input.name)?.(this.#focus);
    const act = this.#listKeys.get(input.name);
    if (act !== undefined) act(this.#options.pages.threads[this.#at]);
    else if (input.text !== '') this.#retype(this.#typed + input.text);
  }

  #move(rows: number): void {
    const last = Math.max(0, this.#options.pages.threads.length - 1);
    this.#at = Math.max(0, Math.min(last, this.#at + rows));
  }

  #retype(text: string): void {
    if (text === this.#typed) return;
    this.#typed = text;
    this.#at = 0;
    this.refresh();
  }
}

function titleRow(thread: ThreadSummary, isChosen: boolean, look: Look): Row {
  const age = agoWords(thread.updatedAt, look.now);
  const room = Math.max(1, look.width - 4 - countColumns(age));
  const title = cutLine(threadTitle(thread), room, look);
  const blanks = plain(`${paddingBlanks(room, countColumns(title))}  `);
  return [cursorSign(isChosen, look), styled(title, listRowStyle(isChosen)), blanks, styled(age, dimStyle)];
}

export const threadTitle = ({ name, preview }: Pick<ThreadSummary, 'name' | 'preview'>): string =>
  cleanLine((name ?? shownPreview(preview)).slice(0, 1000)).trim() || '(no messages)';

function aboutRow(thread: ThreadSummary, isOpen: boolean, look: Look): Row {
  const { model, effort, sandbox, approval, mode, cwd, gitBranch, questions = 0, archived } = thread;
  const parts = [
    model === undefined ? undefined : [model, effort].filter((word) => word !== undefined).join(' '),
    [sandbox, approval].filter((word) => word !== undefined).join(', ') || undefined,
    mode === 'plan' ? 'plan mode' : undefined,
    ...describeTurnCount(thread),
    archived ? 'archived' : undefined,
    gitBranch,
    cwd === undefined ? undefined : shownPath(cwd, { ...look, cwd: '' }),
  ];
  const { dot } = glyphsOf(look);
  const said = parts.filter((part) => part !== undefined).map(cleanLine);
  return [
    plain('    '),
    ...(isOpen ? [styled(`open now ${dot} `, warnStyle)] : []),
    ...(questions > 0 ? [styled(`waits for your answer ${dot} `, warnStyle)] : []),
    styled(said.join(` ${dot} `), dimStyle),
  ];
}
