import { isGateOpen } from '../../../core/config/features.ts';
import type { TuiSettings } from '../../../core/config/tui-settings.ts';
import type { Engine } from '../../../engine/engine.ts';
import type { LiveThread } from '../../../engine/live/live-thread-types.ts';
import { endsOrSuspends, type ThreadEvent } from '../../../protocol/thread-event.ts';
import type { Goal } from '../../../protocol/thread.ts';
import { hintKeyMapper, type HintKeyMapper } from '../screen/keys/key-map.ts';
import { clearTitleSequence, takesTitle, titleSequence } from '../screen/terminal/terminal-sequences.ts';
import { cleanLine } from '../screen/text/clean-text.ts';
import { cutRow, drawRow, drawRows, rowColumns } from '../screen/text/draw-row.ts';
import { glyphsOf, type Look, replaceGlyphs } from '../screen/text/look.ts';
import { badStyle, dimStyle, type RowPiece, plain, type Row, styled, warnStyle } from '../screen/text/style.ts';
import { wrapIn } from '../screen/text/wrap-row.ts';
import { permissionMode } from './permission-presets.ts';
import { parseStatusIds, statusItems, usualStatusLine, withNext } from './status-items.ts';
import type { ParsedIds, StatusFacts, StatusId, StatusItem } from './status-items.ts';
import type { SessionParts } from './session.ts';

interface StatusLine {
  readonly items: readonly StatusId[];
  /** False: only the mode, and items about something that is running out, have a colour. */
  readonly hasColours: boolean;
}

/** The row below the composer: as many items as fit, and always the mode at the right. */
export function statusRow(facts: StatusFacts, { items, hasColours }: StatusLine, look: Look): Row {
  const { dot } = glyphsOf(look);
  // The mode of the running turn, with the one chosen for the next turn.
  const mode: RowPiece = {
    text: withNext(facts, (of) => permissionMode(of).text),
    style: permissionMode(facts.settings).style,
  };
  const modeColumns = rowColumns([mode]);
  // Blanks at both ends and in between; a mode too long for that is shown alone.
  const room = look.width - modeColumns - 4;
  if (room < 1) return cutRow([mode], look.width, look);
  const row: RowPiece[] = [];
  for (const id of items) {
    const { short }: StatusItem = statusItems[id];
    const piece = pieceOf(id, facts, hasColours, look);
    if (piece === undefined) continue;
    const forms = [piece, ...(short === undefined ? [] : [{ ...piece, text: short(facts) }])];
    const added = forms
      .map((form) => (row.length === 0 ? [form] : [styled(` ${dot} `, dimStyle), form]))
      .find((pieces) => rowColumns([...row, ...pieces]) <= room);
    if (added !== undefined) row.push(...added);
    else if (short !== undefined) break;
  }
  const blanks = ' '.repeat(Math.max(2, look.width - modeColumns - rowColumns(row) - 3));
  return [plain('  '), ...row, plain(blanks), mode];
}

function pieceOf(id: StatusId, facts: StatusFacts, hasColours: boolean, look: Look): RowPiece | undefined {
  const item: StatusItem = statusItems[id];
  const text = cleanLine(item.text(facts, look) ?? '').trim();
  if (text === '') return undefined;
  const style = item.style?.(facts) ?? dimStyle;
  const isAlarm = style === badStyle || style === warnStyle;
  return styled(text, hasColours || isAlarm ? style : dimStyle);
}

interface StatusParts extends Pick<SessionParts, 'engine' | 'surroundings'> {
  readonly settings: TuiSettings;
  thread(): LiveThread;
  runState(): StatusFacts['runState'];
}

/** Lower terminals have no room for a tip. */
const fewestRows = 10;
const dayMs = 24 * 60 * 60 * 1000;

export class StatusView {
  readonly #parts: StatusParts;
  readonly #facts = new SessionFacts();
  readonly #host: string;
  items: readonly StatusId[];
  titleItems: readonly TitleId[];
  #title = clearTitleSequence;
  #tip: number | undefined;

  constructor(parts: StatusParts) {
    this.#parts = parts;
    const { statusLine, terminalTitle } = parts.settings;
    this.items = statusLine === undefined ? usualStatusLine : parseStatusIds(statusLine).ids;
    this.titleItems = terminalTitle === undefined ? usualTitle : parseTitleIds(terminalTitle).ids;
    this.#host = process.getBuiltinModule('node:os').hostname();
  }

  observe(event: ThreadEvent): void {
    this.#facts.observe(event);
  }

  /** Call when a conversation begins or a turn has ended: facts read from files may have changed. */
  async refresh(): Promise<void> {
    await this.#facts.refresh(this.#parts.engine, this.#parts.thread());
  }

  clear(): void {
    this.#tip = undefined;
    this.#facts.clear();
  }

  rows(look: Look): readonly string[] {
    const line = drawRow(this.row(this.items, look), look);
    // A user who has begun needs no tip.
    const isNew = this.#parts.thread().place === undefined && this.#parts.runState() === 'Ready';
    if (!isNew || !this.#parts.settings.showTooltips || this.#parts.surroundings.rows < fewestRows) return [line];
    // A tip counts as used only when it is shown.
    this.#tip ??= this.#parts.engine.nextTipIndex('tip', tips.length) ?? Math.floor(look.now / dayMs);
    return [line, ...tipRows(this.#tip, look)];
  }

  row(items: readonly StatusId[], look: Look) {
    return statusRow(this.#all(), { items, hasColours: this.#parts.settings.statusLineUseColors }, look);
  }

  title(items: readonly TitleId[], look: Look): string {
    return windowTitle(this.#all(), items, look);
  }

  showTitle(look: Look): void {
    const { surroundings } = this.#parts;
    if (!takesTitle(surroundings.env)) return;
    const sequence = titleSequence(this.title(this.titleItems, look));
    if (sequence === this.#title) return;
    this.#title = sequence;
    surroundings.write(sequence);
  }

  /** Resets the title, because Capstan no longer has the window. */
  close(): void {
    if (this.#title !== clearTitleSequence) this.#parts.surroundings.write(clearTitleSequence);
    this.#title = clearTitleSequence;
  }

  #all(): StatusFacts {
    const thread = this.#parts.thread();
    const next = thread.standIn ?? thread.settings;
    return {
      ...this.#facts,
      settings: thread.turnSettings ?? next,
      next: thread.turnSettings === undefined ? undefined : next,
      usage: thread.usage(),
      threadId: thread.id,
      profileName: thread.profileName,
      host: this.#host,
      runState: this.#parts.runState(),
    };
  }
}

const tips: readonly ((key: HintKeyMapper) => string)[] = [
  (key) => `${key('Enter')} while a turn runs steers it; ${key('Tab')} queues the message for the next turn.`,
  () => '! at the beginning runs a command in your own shell. The model reads its output.',
  () => 'Shift+Tab switches plan mode: the model plans, and nothing is written.',
  () => '/context shows what fills the window. /compact makes room.',
  (key) => `${key('Ctrl+T')} shows the conversation with all details.`,
  () => '/statusline chooses what stands in the line above.',
  () => '/theme has colours for every background and every eye.',
  (key) => `${key('Ctrl+G')} opens the draft in your editor.`,
];

/** Use this only below the composer: elsewhere a tip would look like an answer. */
export function tipRows(at: number, look: Look): readonly string[] {
  const tip = tips[at % tips.length]?.(hintKeyMapper(look, 'composer')) ?? '';
  const label = '  Tip: ';
  const words = [styled(replaceGlyphs(tip, look), dimStyle)];
  return drawRows(wrapIn(look, words, [styled(label, dimStyle)], [plain(' '.repeat(label.length))]), look);
}

/** `activity`: work runs or waits for the user. */
export type TitleId = StatusId | 'activity';

const usualTitle: readonly TitleId[] = ['activity', 'thread-title', 'project-name'];

export function parseTitleIds(words: readonly string[]): ParsedIds<TitleId> {
  const read = words.map((word): ParsedIds<TitleId> =>
    word === 'activity' || word === 'spinner' ? { ids: ['activity'], unknown: [] } : parseStatusIds([word]),
  );
  return { ids: [...new Set(read.flatMap(({ ids }) => ids))], unknown: read.flatMap(({ unknown }) => unknown) };
}

const longestPart = 60;

/** The window title. Not cleaned: `titleSequence` does that. */
export function windowTitle(facts: StatusFacts, ids: readonly TitleId[], look: Look): string {
  return ids
    .map((id) => {
      const item: StatusItem | undefined = id === 'activity' ? undefined : statusItems[id];
      const text = item === undefined ? activity(facts, look) : item.text(facts, look);
      return text === undefined ? '' : [...text.trim()].slice(0, longestPart).join('');
    })
    .filter((text) => text !== '')
    .join(' | ');
}

const frames = [...'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'];

/** Animated with the ticks of the screen; never causes a frame itself. */
function activity({ runState }: StatusFacts, { glyphs, motion, now }: Look): string | undefined {
  const second = motion === 'none' ? 0 : Math.floor(now / 1000);
  if (runState === 'Waiting') return second % 2 === 0 ? '[ ! ] Action required' : '[ . ] Action required';
  if (runState === 'Ready') return undefined;
  if (glyphs !== 'unicode') return 'Working';
  return frames[second % frames.length];
}

const longestTitle = 200;

/** Facts of a conversation besides its settings. Git is read when a turn ends, never for a frame. */
export class SessionFacts {
  repository: string | undefined;
  branch: string | undefined;
  name: string | undefined;
  firstWords: string | undefined;
  tasks: StatusFacts['tasks'];
  goal: Goal | undefined;

  clear(): void {
    this.name = undefined;
    this.firstWords = undefined;
    this.tasks = undefined;
    this.goal = undefined;
  }

  observe(event: ThreadEvent): void {
    if (event.kind === 'context' && event.cause === 'user' && event.author === undefined)
      this.firstWords ??= event.text.slice(0, longestTitle);
    if (event.kind === 'turn-started' && event.isContinued !== true) this.tasks = undefined;
    // A finished plan is not shown once its turn is over.
    if (endsOrSuspends(event) && this.tasks?.done === this.tasks?.all) this.tasks = undefined;
    const item = 'item' in event ? event.item : undefined;
    if (item?.kind !== 'plan') return;
    this.tasks = { done: item.steps.filter(({ status }) => status === 'completed').length, all: item.steps.length };
  }

  async refresh(engine: Engine, { id, place, settings }: LiveThread): Promise<void> {
    const folder = engine.lookAtFolder(settings.cwd);
    this.repository = 'code' in folder ? undefined : folder.repository;
    this.branch = engine.branchAt(settings.cwd);
    if (place === undefined) return;
    const summary = await engine.stored.summary(id);
    if (!('code' in summary)) this.name = summary.name;
    if (isGateOpen('goals', settings.features)) this.goal = await engine.stored.goal(id);
  }
}
