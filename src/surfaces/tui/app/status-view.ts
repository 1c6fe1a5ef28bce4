import type { TuiSettings } from '../../../config/tui-settings.ts';
import type { ThreadEvent } from '../../../protocol/thread-event.ts';
import type { Engine } from '../../engine/engine.ts';
import type { LiveThread } from '../../engine/live/live-thread.ts';
import { noTitle, takesTitle, titleSequence } from '../screen/osc.ts';
import { drawRow } from '../text/draw-row.ts';
import type { Look } from '../text/look.ts';
import { readStatusIds, type StatusFacts, type StatusId, usualStatusLine } from '../views/status-items.ts';
import { statusRow } from '../views/status-line.ts';
import { tipCount, tipRows } from '../views/tips.ts';
import { readTitleIds, type TitleId, usualTitle, windowTitle } from '../views/window-title.ts';
import { SessionFacts } from './session-facts.ts';
import type { Surroundings } from './surroundings.ts';

export interface StatusParts {
  readonly engine: Engine;
  readonly surroundings: Surroundings;
  readonly settings: TuiSettings;
  thread(): LiveThread;
  runState(): StatusFacts['runState'];
}

/** A terminal that is lower has no room for a tip. */
const fewestRows = 10;
const dayMs = 24 * 60 * 60 * 1000;

/** The line below the composer and the title of the window: which items they have, and what those say. */
export class StatusView {
  readonly #parts: StatusParts;
  readonly #facts = new SessionFacts();
  readonly #host: string;
  items: readonly StatusId[];
  titleItems: readonly TitleId[];
  #title = noTitle;
  /** The tip of this conversation. */
  #tip: number | undefined;

  constructor(parts: StatusParts) {
    this.#parts = parts;
    const { statusLine, terminalTitle } = parts.settings;
    this.items = statusLine === undefined ? usualStatusLine : readStatusIds(statusLine).ids;
    this.titleItems = terminalTitle === undefined ? usualTitle : readTitleIds(terminalTitle).ids;
    this.#host = process.getBuiltinModule('node:os').hostname();
  }

  observe(event: ThreadEvent): void {
    this.#facts.observe(event);
  }

  /** A conversation begins, or a turn has ended: what is read from files may be another. */
  async refresh(): Promise<void> {
    await this.#facts.refresh(this.#parts.engine, this.#parts.thread());
  }

  /** Another conversation takes the place of this one. */
  clear(): void {
    this.#tip = undefined;
    this.#facts.clear();
  }

  rows(look: Look): readonly string[] {
    const line = drawRow(this.row(this.items, look), look);
    // A user who has begun knows what to do.
    const isNew = this.#parts.thread().place === undefined && this.#parts.runState() === 'Ready';
    if (!isNew || !this.#parts.settings.showTooltips || this.#parts.surroundings.rows < fewestRows) return [line];
    // One that is not shown is not used up.
    this.#tip ??= this.#parts.engine.nextTipIndex('tip', tipCount) ?? Math.floor(look.now / dayMs);
    return [line, ...tipRows(this.#tip, look)];
  }

  row(items: readonly StatusId[], look: Look) {
    return statusRow(this.#all(), { items, hasColours: this.#parts.settings.statusLineUseColors }, look);
  }

  /** What the window would be called. */
  title(items: readonly TitleId[], look: Look): string {
    return windowTitle(this.#all(), items, look);
  }

  /** Writes the title if it is another one. */
  showTitle(look: Look): void {
    const { surroundings } = this.#parts;
    if (!takesTitle(surroundings.env)) return;
    const sequence = titleSequence(this.title(this.titleItems, look));
    if (sequence === this.#title) return;
    this.#title = sequence;
    surroundings.write(sequence);
  }

  /** The window is not ours any more. */
  close(): void {
    if (this.#title !== noTitle) this.#parts.surroundings.write(noTitle);
    this.#title = noTitle;
  }

  #all(): StatusFacts {
    const thread = this.#parts.thread();
    const next = thread.standIn ?? thread.settings;
    const { repository, branch, name, firstWords, tasks, goal } = this.#facts;
    return {
      settings: thread.turnSettings ?? next,
      next: thread.turnSettings === undefined ? undefined : next,
      usage: thread.usage(),
      threadId: thread.id,
      profileName: thread.profileName,
      host: this.#host,
      runState: this.#parts.runState(),
      repository,
      branch,
      name,
      firstWords,
      tasks,
      goal,
    };
  }
}
