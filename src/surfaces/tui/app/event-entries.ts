import { defined } from '../../../protocol/defined.ts';
import { fullText, type Outcome } from '../../../protocol/outcome.ts';
import type { ProvisionalEvent } from '../../../protocol/provisional-event.ts';
import type { ThreadEvent } from '../../../protocol/thread-event.ts';
import type { CommandItem, PlanItem, TurnItem } from '../../../protocol/turn-item.ts';
import { checkpointLine, failedCheckpointLine } from '../../wording/checkpoint-words.ts';
import type { Entry, Transcript } from './transcript.ts';
import { itemCell, messageStream, noticeOf, turnEndCell, type GrowingMessage, userCommandCell } from './cells-of.ts';

/** More of a running command's output is not drawn while it runs. */
const mostLiveOutput = 64 * 1024;

/** A command of the user on the screen. */
export interface ShownShell {
  output(text: string): void;
  /** Absent: it did not run. */
  end(ran: { readonly exitCode?: number; readonly output: string; readonly durationMs: number } | undefined): void;
}

/** Makes cells of what happens in a thread. */
export class EventEntries {
  readonly #transcript: Transcript;
  readonly #isNews: (outcome: Outcome) => boolean;
  /** Of calls that run, by id. */
  readonly #running = new Map<string, { readonly entry: Entry; item: TurnItem; output: string; readonly since: number }>();
  /** Of messages that are arriving. */
  readonly #arriving = new Map<string, { readonly entry: Entry; readonly message: GrowingMessage }>();
  #plan = '';
  #turnStarted: number | undefined;

  /** `isNews`: whether the user has not read a warning in an earlier run. */
  constructor(transcript: Transcript, isNews: (outcome: Outcome) => boolean) {
    this.#transcript = transcript;
    this.#isNews = isNews;
  }

  /** `at`: when it happened; undefined for what is read from the file. */
  event(event: ThreadEvent, at: number | undefined): void {
    switch (event.kind) {
      case 'turn-started':
        this.#turnStarted = at;
        return;
      case 'context':
        if (event.cause === 'user' && event.author === undefined) this.#said(event.itemId, event.text);
        return;
      case 'item-started':
      case 'item-updated':
        return this.#begun(event.item, at ?? 0);
      case 'item-completed':
        return this.#completed(event.item);
      case 'call-refused':
        if (event.item !== undefined) this.#running.delete(event.item.id);
        return this.notice(`${event.tool} did not run: ${event.reason}`, 'warning');
      case 'warning':
        if (this.#isNews(event.outcome)) this.outcome(event.outcome, 'warning');
        return;
      case 'model-switched':
        return this.notice(`The model is now ${event.to} (was ${event.from}).`, 'info');
      case 'checkpoint-installed':
        return this.notice(checkpointLine(event.report), 'info');
      case 'checkpoint-failed':
        return this.notice(failedCheckpointLine(event), 'warning');
      case 'turn-completed':
        this.#endAll();
        return this.#turnEnd(at);
      case 'turn-failed':
        this.#endAll();
        return this.outcome(event.outcome, 'error');
      case 'turn-aborted':
        this.#endAll();
        return this.notice('You interrupted the turn. Say what to do differently.', 'error');
      default:
        return;
    }
  }

  preview(event: ProvisionalEvent, at: number): void {
    switch (event.kind) {
      case 'text':
        return this.#arrived(event.itemId, event.text);
      case 'output':
        return this.#printed(event.itemId, event.text);
      case 'dropped':
        return this.#dropped(event.itemId);
      case 'reasoning':
        return void at;
    }
  }

  /** A command of the user's own. */
  shell(command: string, since: number): ShownShell {
    const item = (more: Partial<CommandItem>): CommandItem => {
      return { kind: 'command', id: 'shell', argv: [command], cwd: '', status: 'in-progress', output: '', ...more };
    };
    const entry = this.#transcript.add({ cell: userCommandCell(item({}), since), isFinal: false });
    let output = '';
    return {
      output(text) {
        output = (output + text).slice(-mostLiveOutput);
        entry.cell = userCommandCell(item({ output }), since);
      },
      end(ran) {
        const isGood = ran?.exitCode === 0;
        const end = ran === undefined ? {} : { output: ran.output, durationMs: ran.durationMs, ...defined({ exitCode: ran.exitCode }) };
        entry.cell = userCommandCell(item({ output, status: isGood ? 'completed' : 'failed', ...end }), undefined);
        entry.isFinal = true;
      },
    };
  }

  notice(text: string, level: 'info' | 'warning' | 'error'): void {
    this.#transcript.add({ cell: noticeOf(text, level), isFinal: true });
  }

  outcome(outcome: Outcome, level: 'info' | 'warning' | 'error'): void {
    this.notice(fullText(outcome), level);
  }

  #said(id: string, text: string): void {
    this.#transcript.add({ cell: itemCell({ kind: 'user-message', id, text, images: [] }, undefined), isFinal: true });
  }

  #begun(item: TurnItem, since: number): void {
    if (item.kind === 'plan') return this.#planned(item);
    const known = this.#running.get(item.id);
    if (known === undefined) {
      const entry = this.#transcript.add({ cell: itemCell(item, since), isFinal: false });
      this.#running.set(item.id, { entry, item, output: '', since });
      return;
    }
    known.item = item;
    known.entry.cell = itemCell(withOutput(item, known.output), known.since);
  }

  #completed(item: TurnItem): void {
    if (item.kind === 'plan') return this.#planned(item);
    const arriving = this.#arriving.get(item.id);
    const entry = this.#running.get(item.id)?.entry ?? arriving?.entry;
    this.#running.delete(item.id);
    this.#arriving.delete(item.id);
    if (arriving !== undefined && item.kind === 'agent-message') {
      arriving.message.end(item.text);
      arriving.entry.cell = arriving.message;
    }
    const cell = arriving === undefined ? itemCell(item, undefined) : arriving.message;
    if (entry === undefined) this.#transcript.add({ cell, isFinal: true });
    else Object.assign(entry, { cell, isFinal: true, stableRows: undefined });
  }

  /** The plan of a turn is one item that changes: each of its states is a cell of its own. */
  #planned(item: PlanItem): void {
    const state = JSON.stringify(item.steps);
    if (state === this.#plan) return;
    this.#plan = state;
    this.#transcript.add({ cell: itemCell(item, undefined), isFinal: true });
  }

  #arrived(id: string, text: string): void {
    let known = this.#arriving.get(id);
    if (known === undefined) {
      const message = messageStream();
      const entry = this.#transcript.add({ cell: message, isFinal: false, stableRows: (look) => message.stableRows(look) });
      known = { entry, message };
      this.#arriving.set(id, known);
    }
    known.message.append(text);
  }

  #printed(id: string, text: string): void {
    const known = this.#running.get(id);
    if (known === undefined) return;
    known.output = (known.output + text).slice(-mostLiveOutput);
    known.entry.cell = itemCell(withOutput(known.item, known.output), known.since);
  }

  #dropped(id: string): void {
    const known = this.#arriving.get(id);
    if (known === undefined) return;
    this.#arriving.delete(id);
    // What was printed of it stays; the rest is not going to come.
    known.message.end();
    if (!this.#transcript.remove(known.entry)) Object.assign(known.entry, { isFinal: true, stableRows: undefined });
  }

  /** Nothing of the turn runs any more. */
  #endAll(): void {
    for (const { entry } of this.#running.values()) entry.isFinal = true;
    for (const [id] of this.#arriving) this.#dropped(id);
    this.#running.clear();
    this.#plan = '';
  }

  #turnEnd(at: number | undefined): void {
    const since = this.#turnStarted;
    this.#turnStarted = undefined;
    if (at === undefined || since === undefined) return;
    this.#transcript.add({ cell: turnEndCell(at - since, at), isFinal: true });
  }
}

function withOutput(item: TurnItem, output: string): TurnItem {
  return item.kind === 'command' && item.output === '' ? ({ ...item, output } satisfies CommandItem) : item;
}
