import type { Ordinal } from '../../../protocol/ids.ts';
import type { ProvisionalEvent } from '../../../protocol/provisional-event.ts';
import type { Question } from '../../../protocol/question.ts';
import type { ThreadEvent } from '../../../protocol/thread-event.ts';
import type { TurnItem } from '../../../protocol/turn-item.ts';
import { errorWords } from '../../../protocol/error-words.ts';
import type { LiveNews } from '../../engine/live/live-thread.ts';
import type { WatchedThread } from '../../engine/live/watched-thread.ts';
import { draftOf } from '../composer/draft.ts';
import { cleanLine } from '../text/clean.ts';
import type { EventEntries } from './event-entries.ts';
import type { TuiStage } from './stage.ts';

export interface ReaderParts {
  readonly stage: TuiStage;
  readonly entries: EventEntries;
  now(): number;
  asked(question: Question, item: TurnItem | undefined): void;
  answered(id: string): void;
  /** Words of the user are in the conversation. */
  said(words: string): void;
  /** `isNews`: it happens now, and is not read from the file. */
  observe(event: ThreadEvent, isNews: boolean): void;
  turnOver(): void;
  /** Rows of its past that are printed when it is opened. */
  readonly mostReplayed?: number;
}

/** Rows of an old conversation that are printed when it is resumed. */
const mostReplayedRows = 1000;

/** Reads what a thread has recorded, then what comes, and puts it on the stage. */
export class ThreadReader {
  /** What the thread had recorded before it was opened is on the stage. */
  readonly caughtUp: Promise<void>;
  readonly #parts: ReaderParts;
  readonly #leaving = new AbortController();
  #isReplaying: boolean;
  #thought = '';
  #thoughtOf = '';

  /** `shown`: what stands up to this place is on the stage already. */
  constructor(thread: Omit<WatchedThread, 'id'>, parts: ReaderParts, shown = -1) {
    this.#parts = parts;
    const { place } = thread;
    this.#isReplaying = place !== undefined && place > shown;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.caughtUp = promise;
    if (!this.#isReplaying) resolve();
    const { signal } = this.#leaving;
    const caughtUp = (): void => {
      this.#replayed();
      resolve();
    };
    // Asked for at once: what happens after this call is in it.
    const after = shown as Ordinal;
    const options = place === undefined ? { signal } : { after, signal, caughtUp };
    void this.#read(thread.follow(options)[Symbol.asyncIterator](), resolve);
  }

  close(): void {
    this.#leaving.abort();
  }

  /** What comes from now on is new. */
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
      entries.notice(`The conversation cannot be followed any more: ${errorWords(error)}`, 'error');
      stage.draw();
    }
    over();
  }

  #news(news: LiveNews): void {
    const { entries } = this.#parts;
    switch (news.kind) {
      case 'recorded':
      case 'passing':
        return this.#event(news.event);
      case 'preview':
        this.#previewed(news.event);
        return entries.preview(news.event);
      case 'rewound':
        return entries.notice(
          'The conversation was rolled back: what came after that does not count any more.',
          'warning',
        );
      case 'ended':
      case 'missed':
        return;
    }
  }

  #event(event: ThreadEvent): void {
    const { entries, stage, now } = this.#parts;
    const isNews = !this.#isReplaying;
    entries.event(event, isNews ? now() : undefined);
    this.#parts.observe(event, isNews);
    switch (event.kind) {
      case 'context':
        if (event.cause !== 'user' || event.author !== undefined) return;
        this.#parts.said(event.text);
        if (!isNews) stage.composer.history.seed(draftOf(event.text));
        return;
      case 'question-asked':
        if (isNews && event.to === undefined) this.#parts.asked(event.question, event.item);
        return;
      case 'question-answered':
        return this.#parts.answered(event.id);
      case 'turn-started':
        if (isNews) stage.busy = { header: 'Working', since: now() };
        return;
      case 'retrying':
        if (stage.busy !== undefined)
          stage.busy = { ...stage.busy, header: 'Trying again', detail: event.outcome.message };
        return;
      case 'item-started':
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
        if (isNews) stage.busy = undefined;
        return this.#parts.turnOver();
      default:
        return;
    }
  }

  /** The model's own headline for what it thinks about. */
  #previewed(event: ProvisionalEvent): void {
    const { stage } = this.#parts;
    if (event.kind !== 'reasoning') return;
    this.#thought = event.itemId === this.#thoughtOf ? this.#thought + event.text : event.text;
    this.#thoughtOf = event.itemId;
    const header = /\*\*([^*\n]{1,80})\*\*(?![\s\S]*\*\*[^*\n]{1,80}\*\*)/.exec(this.#thought.slice(-2000))?.[1];
    if (header !== undefined && stage.busy !== undefined) stage.busy = { ...stage.busy, header: cleanLine(header) };
  }

  /** What held the turn up is over. */
  #isWorking(): void {
    const { stage } = this.#parts;
    if (stage.busy !== undefined && stage.busy.header !== 'Working')
      stage.busy = { header: 'Working', since: stage.busy.since };
  }
}
