import { timeOfCursor } from '../../../engine/live/line-cursor.ts';
import type { LiveNews, LiveThread } from '../../../engine/live/live-thread-types.ts';
import type { WatchedThread } from '../../../engine/live/watch-thread.ts';
import { failureWords } from '../../../engine/models/failure-words.ts';
import { messageOfThrown } from '../../../protocol/display-text.ts';
import type { Ordinal, ThreadId } from '../../../protocol/ids.ts';
import type { Question } from '../../../protocol/question.ts';
import type { ProvisionalEvent, ThreadEvent } from '../../../protocol/thread-event.ts';
import type { TurnItem } from '../../../protocol/turn-item.ts';
import { draftFromText, escapeCommandDraft } from '../draft/draft.ts';
import { cleanLine, cleanText } from '../screen/text/clean-text.ts';
import type { Look } from '../screen/text/look.ts';
import { EventEntries } from '../transcript/event-entries.ts';
import { Transcript } from '../transcript/transcript.ts';
import type { SessionParts } from './session.ts';

export interface ReaderParts extends Pick<SessionParts, 'stage' | 'now'> {
  readonly entries: EventEntries;
  asked(question: Question, item: TurnItem | undefined): void;
  answered?(id: string): void;
  said?(words: string): void;
  /** `isNews`: live, not read from the file. `at`: its time, if known. */
  observe?(event: ThreadEvent, isNews: boolean, at: number | undefined): void;
  proposed?(plan: string): void;
  turnBegan?(): void;
  turnOver?(): void;
  /** Rows of its history to print on opening. */
  readonly mostReplayed?: number;
}

const rolledBack = 'The conversation was rolled back: what came after that does not count any more.';
/** Rows of an old conversation to print on resuming. */
const mostReplayedRows = 1000;

export class ThreadReader {
  /** Resolves when the part recorded before opening is on the stage. */
  readonly caughtUp: Promise<void>;
  readonly #parts: ReaderParts;
  readonly #leaving = new AbortController();
  #isReplaying: boolean;
  #thought = '';
  #thoughtOf = '';
  #proposed: string | undefined;
  /** Header of the row above the composer before a request failed. */
  #headerBefore: string | undefined;
  readonly #inReview = new Set<string>();

  /** `shown`: everything up to this place is on the stage already. */
  constructor(thread: Omit<WatchedThread, 'id'>, parts: ReaderParts, shown = -1) {
    this.#parts = parts;
    const { place } = thread;
    this.#isReplaying = place !== undefined && place > shown;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.caughtUp = promise;
    // A frame for a key or a resize must not print rows that will be left out.
    if (this.#isReplaying) parts.stage.transcript.hold();
    else resolve();
    const { signal } = this.#leaving;
    const caughtUp = (): void => resolve(this.#replayed());
    // Start following now, so that no event after this call is missed.
    const options = place === undefined ? { signal } : { after: shown as Ordinal, signal, caughtUp };
    void this.#read(thread.follow(options)[Symbol.asyncIterator](), resolve);
  }

  close(): void {
    this.#leaving.abort();
  }

  #replayed(): void {
    if (!this.#isReplaying) return;
    const { stage, mostReplayed = mostReplayedRows } = this.#parts;
    this.#isReplaying = false;
    stage.transcript.keepLast(stage.look, mostReplayed);
    stage.draw();
  }

  async #read(news: AsyncIterator<LiveNews>, over: () => void): Promise<void> {
    const { entries, stage } = this.#parts;
    try {
      for (;;) {
        const next = await news.next();
        if (next.done === true || this.#leaving.signal.aborted) break;
        this.#news(next.value);
        if (!this.#isReplaying) stage.draw();
      }
    } catch (error) {
      entries.notice(`The conversation cannot be followed any more: ${messageOfThrown(error)}`, 'error');
    }
    // Reading may have ended within the history. Another reader may have the stage by now.
    if (!this.#leaving.signal.aborted) {
      stage.transcript.release();
      stage.draw();
    }
    over();
  }

  #news(news: LiveNews): void {
    const { entries, now } = this.#parts;
    switch (news.kind) {
      case 'recorded':
        // Events recorded again by an undo keep their recorded times.
        return this.#event(news.event, timeOfCursor(news.cursor) ?? (this.#isReplaying ? undefined : now()));
      case 'passing':
        return this.#event(news.event, now());
      case 'preview':
        this.#previewed(news.event);
        return entries.preview(news.event);
      case 'rewound':
        return entries.notice(rolledBack, 'warning');
      case 'ended':
      case 'missed':
        return;
    }
  }

  #event(event: ThreadEvent, at: number | undefined): void {
    const { entries, stage, now } = this.#parts;
    const isNews = !this.#isReplaying;
    entries.event(event, at);
    this.#parts.observe?.(event, isNews, at);
    switch (event.kind) {
      case 'context':
        if (event.cause !== 'user' || event.author !== undefined) return;
        this.#parts.said?.(event.text);
        if (!isNews) stage.composer.history.seed(escapeCommandDraft(draftFromText(cleanText(event.text))));
        return;
      case 'question-asked':
        if (!isNews) return;
        if (event.to === undefined) return this.#parts.asked(event.question, event.item);
        return this.#reviewed(() => this.#inReview.add(event.question.id));
      case 'question-answered':
        if (this.#inReview.has(event.id)) this.#reviewed(() => this.#inReview.delete(event.id));
        return this.#parts.answered?.(event.id);
      case 'turn-started':
        if (!isNews) return;
        stage.busy = { header: 'Working', since: now() };
        this.#proposed = undefined;
        return this.#parts.turnBegan?.();
      case 'retrying':
        return this.#retrying(event);
      case 'item-started':
      case 'item-updated':
      case 'item-completed':
        this.#noticed(event.item);
        return event.kind === 'item-started' ? this.#isWorking() : undefined;
      case 'usage':
        return this.#isWorking();
      case 'checkpoint-started':
        if (isNews) stage.busy = { header: 'Compacting the conversation', since: now() };
        return;
      case 'checkpoint-installed':
      case 'checkpoint-failed':
        return this.#isWorking();
      case 'turn-completed':
      case 'turn-failed':
      case 'turn-aborted':
      case 'turn-suspended':
        // Another model continues it at once.
        if (!isNews || (event.kind === 'turn-failed' && event.continuedBy !== undefined)) return;
        stage.busy = undefined;
        if (stage.plan?.steps.every(({ status }) => status === 'completed') === true) stage.plan = undefined;
        if (event.kind === 'turn-completed' && this.#proposed !== undefined) this.#parts.proposed?.(this.#proposed);
        return this.#parts.turnOver?.();
      default:
        return;
    }
  }

  #noticed(item: TurnItem): void {
    const { stage } = this.#parts;
    if (item.kind === 'agent-message' && item.plan !== undefined) this.#proposed = item.plan;
    if (item.kind !== 'plan') return;
    const { steps } = item;
    // From an earlier process, show only an unfinished plan.
    const isOver = this.#isReplaying && steps.every(({ status }) => status === 'completed');
    stage.plan = isOver ? undefined : { steps, isFolded: stage.plan?.isFolded ?? true };
  }

  /** Shown in the row above the composer. The outcome is reported at the end. */
  #retrying({ outcome, reason, waitMs, attempt, of }: Extract<ThreadEvent, { kind: 'retrying' }>): void {
    const { stage, now } = this.#parts;
    if (stage.busy === undefined) return;
    const { what, isConnection } = failureWords({ ...outcome, message: reason }, now());
    this.#headerBefore ??= stage.busy.header;
    const header = `${isConnection ? 'Reconnecting' : 'Trying again'}, ${attempt} of ${of}`;
    stage.busy = { header, since: stage.busy.since, detail: what, until: now() + waitMs };
  }

  /** The model's own headline for its thinking. */
  #previewed(event: ProvisionalEvent): void {
    const { stage } = this.#parts;
    if (this.#headerBefore !== undefined && event.kind !== 'dropped') this.#isWorking();
    if (event.kind !== 'reasoning') return;
    this.#thought = event.itemId === this.#thoughtOf ? this.#thought + event.text : event.text;
    this.#thoughtOf = event.itemId;
    const header = /\*\*([^*\n]{1,80})\*\*(?![\s\S]*\*\*[^*\n]{1,80}\*\*)/.exec(this.#thought.slice(-2000))?.[1];
    if (header !== undefined && stage.busy !== undefined) stage.busy = { ...stage.busy, header: cleanLine(header) };
  }

  /** A reviewer answers for the user: the row above the composer shows how many questions it is looking at. */
  #reviewed(change: () => void): void {
    const { stage } = this.#parts;
    change();
    const { size } = this.#inReview;
    if (size === 0) return this.#isWorking();
    const header = size === 1 ? 'Reviewing an approval request' : `Reviewing ${size} approval requests`;
    if (stage.busy !== undefined) stage.busy = { header, since: stage.busy.since };
  }

  #isWorking(): void {
    const { stage } = this.#parts;
    const header = this.#headerBefore ?? 'Working';
    this.#headerBefore = undefined;
    if (stage.busy !== undefined && (stage.busy.header !== header || stage.busy.detail !== undefined))
      stage.busy = { header, since: stage.busy.since };
  }
}

type ThreadViewerParts = Pick<SessionParts, 'engine' | 'threads' | 'now'> & { readonly changed: () => void };

export class ThreadViewer {
  readonly #parts: ThreadViewerParts;
  readonly #transcript = new Transcript();
  readonly #entries: EventEntries;
  readonly #leaving = new AbortController();

  constructor(id: ThreadId, parts: ThreadViewerParts) {
    this.#parts = parts;
    this.#entries = new EventEntries(this.#transcript, (outcome) => parts.engine.recordIfNews(outcome));
    const live = parts.threads.loaded.find((thread) => thread.id === id);
    void (live === undefined ? this.#readFile(id) : this.#follow(live)).catch((error: unknown) => {
      this.#entries.notice(`The thread cannot be read: ${messageOfThrown(error)}`, 'error');
      parts.changed();
    });
  }

  rows(look: Look): readonly string[] {
    return this.#transcript.entries.flatMap((entry) => this.#transcript.spacedRows(entry, look));
  }

  close(): void {
    this.#leaving.abort();
  }

  async #follow(thread: LiveThread): Promise<void> {
    const { signal } = this.#leaving;
    const { now, changed } = this.#parts;
    for await (const news of thread.follow({ after: -1, signal })) {
      if (news.kind === 'recorded') this.#entries.event(asSaid(news.event), timeOfCursor(news.cursor));
      if (news.kind === 'passing') this.#entries.event(asSaid(news.event), now());
      if (news.kind === 'preview') this.#entries.preview(news.event);
      changed();
    }
  }

  async #readFile(id: ThreadId): Promise<void> {
    for await (const { event, at } of this.#parts.engine.stored.events(id)) this.#entries.event(asSaid(event), at);
    this.#parts.changed();
  }
}

/** Shows an agent's instructions like words of a user, so that its task is visible. */
function asSaid(event: ThreadEvent): ThreadEvent {
  if (event.kind !== 'context' || event.author !== 'agent') return event;
  const { author: _author, ...said } = event;
  return said;
}
