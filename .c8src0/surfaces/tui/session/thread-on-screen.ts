import type { Outcome } from '../../../protocol/outcome.ts';
import type { Answer } from '../../../protocol/question.ts';

import type { LiveThread } from '../../../engine/live/live-thread-types.ts';
import { PagerView } from '../pages/pager-view.ts';
import { QuestionDesk } from '../questions/question-desk.ts';

import { headerCell } from '../transcript/cells/notice-cells.ts';
import { LastFailure } from '../flow/turn-flow.ts';
import { Notifier } from './notifier.ts';
import type { SessionParts, TuiSession } from './session.ts';
import { ThreadReader } from './thread-reader.ts';

export interface ThreadOnScreenParts
  extends
    Pick<SessionParts, 'stage' | 'surroundings' | 'engine' | 'now'>,
    Pick<TuiSession, 'entries' | 'flow' | 'status' | 'work' | 'run'> {
  told(result: { readonly kind: string; readonly outcome?: Outcome }): void;
  proposed(plan: string): void;
}

export type ShownHistory = 'all' | 'end';

/** Connects the thread to the stage and to the user: shows its events and asks its questions. */
export class ThreadOnScreen {
  readonly #parts: ThreadOnScreenParts;
  readonly #desk: QuestionDesk;
  readonly #notifier: Notifier;
  #thread: LiveThread;
  /** Failure at the end of its history. */
  #failure = new LastFailure();
  #reader: ThreadReader;
  #whole: PagerView | undefined;

  /** `shown`: everything up to this place is on the stage already. */
  constructor(thread: LiveThread, parts: ThreadOnScreenParts, shown: number | undefined) {
    const { stage, surroundings, engine } = parts;
    this.#parts = parts;
    this.#thread = thread;
    this.#desk = new QuestionDesk({
      open: (view) => stage.ask(view),
      showWhole: (rows, seenEnd) => {
        const close = (): void => stage.openPager(undefined);
        this.#whole = new PagerView({ title: 'What is asked', rows, seenEnd, close });
        stage.openPager(this.#whole);
      },
      closeWhole: () => {
        if (this.#whole !== undefined && stage.pager === this.#whole) stage.openPager(undefined);
        this.#whole = undefined;
      },
      answer: (id, answer) => parts.run(this.#answer(id, answer)),
      run: (work) => parts.run(work),
      pause: surroundings.pause,
    });
    this.#notifier = new Notifier(surroundings, engine.config.tui);
    this.#reader = this.#read('all', shown);
  }

  get live(): LiveThread {
    return this.#thread;
  }
  get isAsking(): boolean {
    return this.#desk.isAsking;
  }

  async begin(shows: ShownHistory | 'none'): Promise<void> {
    const { stage, engine, entries, flow, status, work, run } = this.#parts;
    const thread = this.#thread;
    if (shows === 'all') stage.transcript.add({ cell: headerCell(thread.settings), isFinal: true });
    for (const notice of [...engine.notices, ...thread.notices]) {
      // The question itself follows.
      const isAsked = notice.code === 'turn-suspended' && thread.isSuspended;
      if (!isAsked && engine.recordIfNews(notice)) entries.outcome(notice, 'warning');
    }
    await Promise.all([this.#reader.caughtUp, status.refresh()]);
    flow.resumed(this.#failure.failure);
    // Let the waiting turn ask again: the stored question alone has no diff.
    if (this.#thread.isSuspended) run(work('Waiting for your answer', () => this.#thread.continue()));
    else for (const question of this.#thread.questions) this.#desk.asked(question, undefined);
    stage.draw();
  }

  async switchTo(thread: LiveThread, shows: ShownHistory): Promise<void> {
    const { stage, status, flow } = this.#parts;
    this.#reader.close();
    this.#desk.clear();
    status.clear();
    stage.plan = undefined;
    const before = this.#thread;
    this.#thread = thread;
    flow.switched();
    await before.leave();
    // Finished output stays in the scrollback.
    stage.drawNow();
    stage.transcript.clear();
    this.#reader = this.#read(shows);
    await this.begin(shows);
  }

  close(): void {
    this.#reader.close();
    this.#desk.clear();
    this.#notifier.clear();
  }

  async #answer(id: string, answer: Answer): Promise<void> {
    const { flow, told } = this.#parts;
    // If the answer stops an agent, the turn of the conversation continues.
    const isOfTurn = this.#thread.questions.find((each) => each.id === id)?.agent === undefined;
    if (answer.kind === 'stopped' && isOfTurn) await flow.holdSteers();
    told(await this.#thread.answer(id, answer));
  }

  #read(shows: ShownHistory, shown?: number): ThreadReader {
    const { stage, entries, now, flow, status, run, proposed } = this.#parts;
    const failure = (this.#failure = new LastFailure());
    return new ThreadReader(
      this.#thread,
      {
        stage,
        mostReplayed: shows === 'end' ? stage.page : undefined,
        entries,
        now,
        asked: (question, item) => this.#desk.asked(question, item),
        answered: (id) => this.#desk.answered(id),
        said: (words) => flow.said(words),
        observe: (event, isNews, at) => {
          status.observe(event);
          if (isNews) this.#notifier.observe(event);
          else failure.observe(event, at);
        },
        proposed,
        turnBegan: () => flow.turnBegan(),
        turnOver: () => {
          run(flow.turnOver());
          run(status.refresh().then(() => stage.draw()));
        },
      },
      shown,
    );
  }
}
