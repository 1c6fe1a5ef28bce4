import { defined } from '../../../base/objects.ts';
import type { Question } from '../../../protocol/question.ts';
import type { ThreadEvent } from '../../../protocol/thread-event.ts';
import type { CommandItem, TurnItem } from '../../../protocol/turn-item.ts';
import { type CallState, commandCell } from './cells/command-cell.ts';
import { itemCell } from './cells/item-and-event-cells.ts';
import type { Transcript, TranscriptEntry } from './transcript.ts';

const mostLiveOutput = 64 * 1024;
export type ShownCall = { readonly entry: TranscriptEntry; item: TurnItem; output: string; context: CallState };

export function appendCallOutput(call: ShownCall, text: string): void {
  call.output = (call.output + text).slice(-mostLiveOutput);
  call.entry.cell = itemCell(withOutput(call.item, call.output), call.context);
}

/** Marks a running command as cut off: its end could not be recorded, so no event will come. */
export function markCallInterrupted({ entry, item, output, context }: ShownCall): void {
  if (item.kind !== 'command') return;
  entry.cell = itemCell({ ...withOutput(item, output), status: 'failed', unfinished: 'interrupted' }, context);
}

export const withOutput = <Item extends TurnItem>(item: Item, output: string): Item =>
  item.kind === 'command' && item.output === '' ? { ...item, output } : item;

/** Facts of an event about a call that its item lacks. */
export function callStateAt(
  { outside, confined }: { readonly outside?: true; readonly confined?: true },
  startedAt: number | undefined,
): CallState {
  // Leave out unknown facts, so that facts of the same call that were known before stay.
  const place = confined === true ? 'wider' : outside === true ? 'outside' : undefined;
  return defined({ startedAt, place } as const);
}

type RefusedEvent = Extract<ThreadEvent, { kind: 'call-refused' }>;

/** Restores details of calls that files record only in other lines, so that a resumed conversation looks as it did. */
export class ReplayedCalls {
  /** Commands that users were asked about, by call id. */
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

export interface ShownShell {
  output(text: string): void;
  printed(): string;
  /** Absent if the command did not run. */
  end(ran: ShellEnd | undefined): void;
  /** The command began, but its end is not recorded. */
  lost(): void;
}

interface ShellEnd {
  readonly exitCode?: number;
  readonly output: string;
  readonly durationMs: number;
  readonly isInterrupted: boolean;
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
