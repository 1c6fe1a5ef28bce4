import type { Question } from '../../../protocol/question.ts';
import type { ThreadEvent } from '../../../protocol/thread-event.ts';
import type { CommandItem, TurnItem } from '../../../protocol/turn-item.ts';
import { cellOf } from '../cells/cell-of.ts';
import type { TranscriptEntry } from './transcript.ts';

type RefusedEvent = Extract<ThreadEvent, { kind: 'call-refused' }>;

/** What files do not keep of calls and other lines say, so that a resumed conversation looks as it did. */
export class ReplayedCalls {
  /** Commands that users were asked about, by the ids of their calls. */
  readonly #asked = new Map<string, CommandItem>();
  /** Commands without an exit code since the last request. */
  #cutOff: { readonly entry: TranscriptEntry; readonly item: CommandItem }[] = [];

  asked({ callId, argv, cwd = '' }: Question): void {
    if (argv === undefined) return;
    this.#asked.set(callId, { kind: 'command', id: callId, argv, cwd, status: 'declined', output: '' });
  }

  /** With the command that was not run. */
  refused(event: RefusedEvent): RefusedEvent {
    const item = event.item ?? this.#asked.get(event.callId);
    return item === undefined ? event : { ...event, item };
  }

  completed(item: TurnItem, entry: TranscriptEntry): void {
    if (item.kind !== 'command' || item.status !== 'failed' || item.byUser === true) return;
    if (item.exitCode === undefined && item.unfinished === undefined) this.#cutOff.push({ entry, item });
  }

  /** The model has read how they ended: they ended before what follows. */
  requested(): void {
    this.#cutOff = [];
  }

  turnEnded(kind: ThreadEvent['kind']): void {
    if (kind === 'turn-aborted')
      for (const { entry, item } of this.#cutOff) entry.cell = cellOf({ ...item, unfinished: 'interrupted' });
    this.#cutOff = [];
    this.#asked.clear();
  }
}
