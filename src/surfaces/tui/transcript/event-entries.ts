import type { Outcome } from '../../../protocol/outcome.ts';
import type { ProvisionalEvent, ThreadEvent } from '../../../protocol/thread-event.ts';
import type { Question } from '../../../protocol/question.ts';
import type { Usage } from '../../../protocol/usage.ts';
import type { PlanItem, TurnItem, CommandItem } from '../../../protocol/turn-item.ts';
import { AnswerStream, userCell } from './cells/answer-cells.ts';
import type { Cell } from './cells/cell.ts';
import { eventCell, itemCell } from './cells/item-and-event-cells.ts';
import { type NoticeKind, noticeCell, turnCostWords, turnEndCell } from './cells/notice-cells.ts';
import { type CallState, commandCell } from './cells/command-cell.ts';
import { exploredByCall, isExploring } from './cells/exploring-cell.ts';
import { ExploringGroups } from './exploring-groups.ts';
import { RequestChangeEntries } from './change-entries.ts';
import { reviewedCells } from './cells/review-cells.ts';
import { RunningHooks } from './cells/hook-cells.ts';
import type { TranscriptEntry, Transcript } from './transcript.ts';
import { defined } from '../../../base/objects.ts';

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
    if (event.kind === 'output' && running !== undefined) {
      running.output = (running.output + event.text).slice(-mostLiveOutput);
      running.entry.cell = itemCell(withOutput(running.item, running.output), running.context);
    }
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
    const end = { status: 'failed', unfinished: 'interrupted' } as const;
    for (const { entry, item, output, context } of this.#running.values())
      if (item.kind === 'command') entry.cell = itemCell({ ...withOutput(item, output), ...end }, context);
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

const mostLiveOutput = 64 * 1024;
type ShownCall = { readonly entry: TranscriptEntry; item: TurnItem; output: string; context: CallState };

const withOutput = <Item extends TurnItem>(item: Item, output: string): Item =>
  item.kind === 'command' && item.output === '' ? { ...item, output } : item;

/** Facts of an event about a call that its item lacks. */
function callStateAt(
  { outside, confined }: { readonly outside?: true; readonly confined?: true },
  startedAt: number | undefined,
): CallState {
  // Leave out unknown facts, so that facts of the same call that were known before stay.
  const place = confined === true ? 'wider' : outside === true ? 'outside' : undefined;
  return defined({ startedAt, place } as const);
}

type RefusedEvent = Extract<ThreadEvent, { kind: 'call-refused' }>;

/** Restores details of calls that files record only in other lines, so that a resumed conversation looks as it did. */
class ReplayedCalls {
  readonly #asked = new Map<string, CommandItem>();
  /** Commands without an exit code since the last request. */
  #cutOff: { readonly entry: TranscriptEntry; readonly item: CommandItem }[] = [];

  asked({ callId, argv, cwd = '' }: Question): void {
    if (argv === undefined) return;
    this.#asked.set(callId, { kind: 'command', id: callId, argv, cwd, status: 'declined', output: '' });
  }

  refused(event: RefusedEvent): RefusedEvent {
    const item = event.item ?? this.#asked.get(event.callId);
    return item === undefined ? event : { ...event, item };
  }

  completed(item: TurnItem, entry: TranscriptEntry): void {
    if (item.kind !== 'command' || item.status !== 'failed' || item.byUser === true) return;
    if (item.exitCode === undefined && item.unfinished === undefined) this.#cutOff.push({ entry, item });
  }

  /** Call at a request: the model has read the results of earlier commands, so none of them was cut off. */
  requested(): void {
    this.#cutOff = [];
  }

  turnEnded(kind: ThreadEvent['kind']): void {
    if (kind === 'turn-aborted')
      for (const { entry, item } of this.#cutOff) entry.cell = itemCell({ ...item, unfinished: 'interrupted' });
    this.#cutOff = [];
    this.#asked.clear();
  }
}

interface ShownShell {
  output(text: string): void;
  printed(): string;
  /** Absent if the command did not run. */
  end(ran?: Pick<CommandItem, 'exitCode' | 'output' | 'durationMs'> & { readonly isInterrupted: boolean }): void;
  /** The command began, but its end is not recorded. */
  lost(): void;
}

export function showShell(transcript: Transcript, command: string, startedAt: number): ShownShell {
  let output = '';
  const about = { kind: 'command', id: 'shell', byUser: true, argv: ['sh', '-c', command], cwd: '' } as const;
  const cell = (more: Partial<CommandItem>, standing: CallState = {}) =>
    commandCell({ ...about, status: 'in-progress', output, ...more }, { startedAt, ...standing });
  const entry = transcript.add({ cell: cell({}), isFinal: false });
  return {
    output(text) {
      output = (output + text).slice(-mostLiveOutput);
      entry.cell = cell({});
    },
    printed: () => output,
    end(ran) {
      const status = ran?.exitCode === 0 ? 'completed' : 'failed';
      const { output: all = output, durationMs, exitCode, isInterrupted = false } = ran ?? {};
      // The command may have ended by itself just when it was interrupted.
      const unfinished = isInterrupted && exitCode === undefined ? ('interrupted' as const) : undefined;
      entry.cell = cell({ status, output: all, durationMs, exitCode, unfinished });
      entry.isFinal = true;
    },
    lost() {
      entry.cell = cell({ status: 'failed' }, { isUnrecorded: true });
      entry.isFinal = true;
    },
  };
}
