import type { Outcome } from '../../../protocol/outcome.ts';
import type { ProvisionalEvent, ThreadEvent } from '../../../protocol/thread-event.ts';
import type { Question } from '../../../protocol/question.ts';
import type { Usage } from '../../../protocol/usage.ts';
import type { PlanItem, TurnItem } from '../../../protocol/turn-item.ts';
import { AnswerStream, userCell } from './cells/answer-cells.ts';
import type { Cell } from './cells/cell.ts';
import { eventCell, itemCell } from './cells/item-and-event-cells.ts';
import { noticeCell, type NoticeKind, turnCostWords, turnEndCell } from './cells/notice-cells.ts';
import type { CallState } from './cells/command-cell.ts';
import { exploredByCall, isExploring } from './cells/exploring-cell.ts';
import { ExploringGroups } from './exploring-groups.ts';
import { RequestChangeEntries } from './change-entries.ts';
import {
  appendCallOutput,
  callStateAt,
  markCallInterrupted,
  ReplayedCalls,
  showShell,
  withOutput,
} from './call-entries.ts';
import type { ShownCall, ShownShell } from './call-entries.ts';
import { reviewedCells } from './cells/review-cells.ts';
import { RunningHooks } from './cells/hook-cells.ts';
import type { TranscriptEntry, Transcript } from './transcript.ts';

export class EventEntries {
  readonly #transcript: Transcript;
  readonly #recordIfNews: (outcome: Outcome) => boolean;
  readonly #groups: ExploringGroups;
  readonly #changes: RequestChangeEntries;
  readonly #hooks: RunningHooks;
  readonly #running = new Map<string, ShownCall>();
  readonly #arriving = new Map<string, { readonly entry: TranscriptEntry; readonly message: AnswerStream }>();
  /** Messages that will not be completed. They stay if the turn was interrupted, and are removed if requested again. */
  #unfinished: readonly TranscriptEntry[] = [];
  readonly #questions = new Map<string, Question>();
  /** Calls declined when Capstan asked: the cell of the answer says that they did not run. */
  readonly #declined = new Set<string>();
  readonly #replayed = new ReplayedCalls();
  /** Commands and reviews of the user that ran here, by their recorded ids. */
  readonly #ranHere = new Set<string>();
  #plan = '';
  #turnStarted: number | undefined;
  #isPassedOn = false;
  /** True if the turn exists only for a checkpoint. Undefined: nothing has happened in it. */
  #onlyCompacts: boolean | undefined;
  /** The reason why the turn made no checkpoint. */
  #noCheckpoint: string | undefined;
  #before: Usage | undefined;

  /** `recordIfNews` records a warning and returns true, unless the user has read it in an earlier run. */
  constructor(transcript: Transcript, recordIfNews: (outcome: Outcome) => boolean) {
    this.#transcript = transcript;
    this.#recordIfNews = recordIfNews;
    this.#groups = new ExploringGroups(transcript);
    this.#changes = new RequestChangeEntries((entry) => {
      this.#groups.pass();
      return transcript.add(entry);
    });
    this.#hooks = new RunningHooks(transcript);
  }

  /** `at`: its time; undefined if the file does not record it. */
  event(event: ThreadEvent, at: number | undefined): void {
    if (event.kind === 'checkpoint-installed' || event.kind === 'checkpoint-failed') this.#onlyCompacts ??= true;
    if (event.kind === 'checkpoint-failed') this.#noCheckpoint = event.outcome.message;
    if (event.kind === 'retrying') this.#leaveUnfinished('removed');
    if (this.#changes.event(event)) return;
    switch (event.kind) {
      case 'turn-started':
        // Time in which a turn waited for an answer without a process does not count, nor does time after a turn
        // without a recorded end.
        if (event.isContinued === true || !this.#isPassedOn) this.#turnStarted = at;
        if (event.isContinued !== true && !this.#isPassedOn) this.#before = undefined;
        this.#before ??= event.usage;
        this.#isPassedOn = false;
        this.#onlyCompacts = undefined;
        this.#noCheckpoint = undefined;
        return;
      case 'context':
        this.#onlyCompacts = false;
        if (event.cause !== 'user' || event.author !== undefined) return this.#add(eventCell(event));
        this.#groups.close();
        this.#transcript.add({
          cell: userCell({ kind: 'user-message', id: event.itemId, text: event.text, images: [] }),
          isFinal: true,
          isPrompt: true,
          prompt: event.text,
        });
        return;
      case 'item-started':
      case 'item-updated':
        return this.#begun(event.item, callStateAt(event, at));
      case 'item-completed':
        return this.#completed(event.item, callStateAt(event, undefined));
      case 'code-reviewed':
        if (this.#ranHere.delete(event.id)) return;
        for (const cell of reviewedCells(event, at)) this.#add(cell);
        return;
      case 'question-asked':
        this.#questions.set(event.question.id, event.question);
        this.#replayed.asked(event.question);
        return;
      case 'question-answered':
        return this.#answered(event);
      case 'call-refused':
        this.#forget(event.callId);
        if (this.#declined.delete(event.callId)) return;
        return this.#add(eventCell(this.#replayed.refused(event)));
      case 'usage':
        this.#groups.answered();
        return this.#replayed.requested();
      case 'hook-started':
        return this.#hooks.started(event, at);
      case 'hook-completed':
        this.#hooks.ended(event.run.event);
        return this.#add(eventCell(event));
      case 'warning':
        // The end of the failed turn reports that another model continues it.
        if (event.outcome.code !== 'model-fallback' && this.#recordIfNews(event.outcome)) this.#add(eventCell(event));
        return;
      case 'turn-completed':
      case 'turn-failed':
      case 'turn-aborted':
      case 'turn-suspended':
        return this.#ended(event, event.kind === 'turn-aborted' && event.leftOpen === true ? undefined : at);
      default:
        return this.#add(eventCell(event));
    }
  }

  preview(event: ProvisionalEvent): void {
    if (event.kind !== 'dropped') this.#changes.settle();
    if (event.kind === 'text') this.#arrived(event.itemId, event.text);
    const running = event.kind === 'output' ? this.#running.get(event.itemId) : undefined;
    if (event.kind === 'output' && running !== undefined) appendCallOutput(running, event.text);
    if (event.kind === 'dropped') this.#dropped(event.itemId);
  }

  shell(command: string, startedAt: number): ShownShell {
    this.#groups.close();
    return showShell(this.#transcript, command, startedAt);
  }

  /** A command or a review of the user already has its cell: its record makes no other. */
  ranHere(id: string): void {
    this.#ranHere.add(id);
  }

  notice(message: string, kind: NoticeKind): void {
    this.#add(noticeCell(kind, { message }));
  }

  outcome(outcome: Outcome, kind: NoticeKind): void {
    this.#add(noticeCell(kind, outcome));
  }

  #add(cell: Cell | undefined): void {
    if (cell === undefined) return;
    this.#groups.pass();
    this.#transcript.add({ cell, isFinal: true });
  }

  #begun(item: TurnItem, context: CallState): void {
    if (item.kind === 'plan') return this.#planned(item);
    if (isExploring(item)) return this.#groups.add(item);
    const known = this.#running.get(item.id);
    if (known === undefined) {
      if (!runsBeside(item)) this.#groups.close();
      const entry = this.#transcript.add({ cell: itemCell(item, context), isFinal: false });
      this.#running.set(item.id, { entry, item, output: '', context });
      return;
    }
    known.item = item;
    // It may run once more, in another place.
    known.context = { ...context, ...known.context, place: context.place ?? known.context.place };
    known.entry.cell = itemCell(withOutput(item, known.output), known.context);
  }

  #completed(item: TurnItem, context: CallState): void {
    if (item.kind === 'user-message' || this.#ranHere.delete(item.id)) return;
    if (item.kind === 'plan') return this.#planned(item);
    const running = this.#running.get(item.id);
    const entry = running?.entry ?? this.#arriving.get(item.id)?.entry;
    this.#running.delete(item.id);
    this.#arriving.delete(item.id);
    if (entry !== undefined) {
      if (running !== undefined) {
        // The screen shows calls in the order in which they ended, as the file does.
        this.#endedBeside(item);
        this.#transcript.moveBehindEnded(entry);
      }
      Object.assign(entry, { cell: itemCell(item, running?.context ?? context), isFinal: true, stableRows: undefined });
      if (item.kind === 'agent-message') entry.answer = item.text;
      return this.#replayed.completed(item, entry);
    }
    if (isExploring(item)) return this.#groups.add(item);
    if (item.kind === 'reasoning') return this.#thought(item);
    if (runsBeside(item) && exploredByCall(item) !== undefined) this.#groups.fail(item);
    else this.#groups.remove(item.id);
    this.#endedBeside(item);
    const answer = item.kind === 'agent-message' ? { answer: item.text } : {};
    this.#replayed.completed(item, this.#transcript.add({ cell: itemCell(item, context), isFinal: true, ...answer }));
  }

  /** A thought's event comes once its line is recorded. If later text is arriving, inserts the thought before it. */
  #thought(item: Extract<TurnItem, { kind: 'reasoning' }>): void {
    const [arriving] = this.#arriving.values();
    const entry: TranscriptEntry = { cell: itemCell(item), isFinal: true };
    if (arriving !== undefined) this.#transcript.insertBefore(arriving.entry, entry);
    else if (!this.#groups.think(item)) this.#transcript.add(entry);
  }

  #endedBeside(item: TurnItem): void {
    if (runsBeside(item)) this.#groups.pass();
    else this.#groups.close();
  }

  /** A plan is one item that changes: each state has a cell of its own. */
  #planned(item: PlanItem): void {
    const state = JSON.stringify(item.steps);
    if (state === this.#plan) return;
    this.#plan = state;
    this.#add(itemCell(item));
  }

  #answered(event: Extract<ThreadEvent, { kind: 'question-answered' }>): void {
    const question = this.#questions.get(event.id);
    this.#questions.delete(event.id);
    const { kind } = event.answer;
    if (question !== undefined && (kind === 'declined' || kind === 'stopped')) this.#declined.add(event.callId);
    this.#add(eventCell(event, { question }));
  }

  #arrived(id: string, text: string): void {
    let known = this.#arriving.get(id);
    if (known === undefined) {
      this.#leaveUnfinished('removed');
      this.#groups.close();
      const message = new AnswerStream();
      const stableRows: TranscriptEntry['stableRows'] = (look, from) => message.stableRows(look, from);
      known = { entry: this.#transcript.add({ cell: message, isFinal: false, stableRows, blocks: message }), message };
      this.#arriving.set(id, known);
    }
    known.message.append(text);
  }

  #dropped(id: string): void {
    const known = this.#arriving.get(id);
    if (known === undefined) return;
    this.#arriving.delete(id);
    known.message.end();
    known.entry.stableRows = undefined;
    this.#unfinished = [...this.#unfinished, known.entry];
  }

  /** Keeps or removes unfinished messages; partly printed ones always stay. True if any message stays. */
  #leaveUnfinished(as: 'kept' | 'removed'): boolean {
    const there = this.#unfinished.filter((entry) => as === 'kept' || !this.#transcript.remove(entry));
    for (const entry of there) entry.isFinal = true;
    this.#unfinished = [];
    return there.length > 0;
  }

  /** Removes the cell of a call that did not run after all: it gets a cell of another kind. */
  #forget(id: string): void {
    this.#groups.remove(id);
    const known = this.#running.get(id);
    this.#running.delete(id);
    if (known !== undefined && !this.#transcript.remove(known.entry)) known.entry.isFinal = true;
  }

  /** The turn could not record its end, so no event will come: its running work was cut off. */
  broken(): void {
    for (const call of this.#running.values()) markCallInterrupted(call);
    this.#settle();
    this.#leaveUnfinished('removed');
  }

  #settle(): void {
    this.#groups.end();
    this.#hooks.end();
    for (const { entry } of this.#running.values()) entry.isFinal = true;
    for (const [id] of this.#arriving) this.#dropped(id);
    this.#running.clear();
    this.#declined.clear();
    this.#plan = '';
  }

  #ended(event: ThreadEvent, at: number | undefined): void {
    this.#replayed.turnEnded(event.kind);
    this.#settle();
    const isUnfinished = this.#leaveUnfinished(event.kind === 'turn-aborted' ? 'kept' : 'removed');
    const [since, before] = [this.#turnStarted, this.#before];
    // To the user, a turn that another model continues is one turn.
    this.#isPassedOn = event.kind === 'turn-failed' && event.continuedBy !== undefined;
    if (!this.#isPassedOn) [this.#turnStarted, this.#before] = [undefined, undefined];
    // If the turn existed only for a checkpoint, the line about the checkpoint has reported the end of the turn.
    const isReported =
      event.kind === 'turn-failed' ? event.outcome.message === this.#noCheckpoint : event.kind === 'turn-completed';
    if (this.#onlyCompacts === true && isReported) return;
    const isCounted = event.kind === 'turn-completed' || event.kind === 'turn-aborted';
    const words = isCounted ? turnCostWords(before, event.usage) : [];
    const end = at === undefined || since === undefined ? undefined : { durationMs: at - since, endedAt: at, words };
    this.#add(eventCell(event, { isUnfinished, end }));
    // A stopped request has its price too.
    if (event.kind === 'turn-aborted' && end !== undefined && words.length > 0) this.#add(turnEndCell(end));
  }
}

/** True if a call runs in parallel to others of the same answer. Patches and most tools of servers run alone. */
const runsBeside = (item: TurnItem): boolean =>
  item.kind === 'command' ? item.byUser !== true : item.kind === 'tool-call' && item.server === undefined;
