import { expect } from 'vitest';
import type { RolloutStore } from '../../src/ports/thread-store.ts';
import type { Line } from '../../src/protocol/line.ts';
import type { ThreadEvent } from '../../src/protocol/thread-event.ts';
import type { TurnItem } from '../../src/protocol/turn-item.ts';
import {
  isRecordedEvent,
  initialRecordedState,
  recordedStateAt,
  type RecordedState,
} from '../../src/core/state/recorded/thread-events.ts';
import { collectSentEvents, newsOf, type PlacedNews, readRecordedState } from '../../src/engine/live/thread-news.ts';
import type { LogNews } from '../../src/engine/thread/event-stream.ts';
import type { Thread } from '../../src/engine/thread/thread.ts';

interface Seen {
  readonly place: number;
  readonly event: unknown;
}

/**
 * Law: what a follower is handed while a thread runs is what it reads from the file later, from any place on and in the
 * same order, but for what files do not keep. No event is sent that a later reader would miss.
 */
export class RecordedLaw {
  /** The events that each process handed out, from a place on. */
  readonly #processes: { readonly from: number; readonly seen: Seen[]; last: number }[] = [];
  readonly #unread: ThreadEvent[] = [];

  opened(thread: Thread, lines: readonly Line[]): void {
    const place = lines.length - 1;
    const process = { from: place, seen: [] as Seen[], last: place };
    this.#processes.push(process);
    const isOpen = thread.state.openTurn !== undefined;
    let state = isOpen
      ? stateAfter(initialRecordedState(thread.id), lines)
      : recordedStateAt(thread.id, thread.state, place);
    thread.subscribe({
      durable: (news: readonly LogNews[]) => {
        const told = collectSentEvents(news);
        const taken = new Set<ThreadEvent>();
        for (const each of news) {
          if (each.kind !== 'line') continue;
          const read = newsOf(state, each.line);
          state = read.state;
          process.last = state.turns.place;
          for (const placed of read.placed) {
            const event = placed.news.kind === 'event' ? told.take(placed.news.event) : undefined;
            if (event !== undefined) taken.add(event);
            process.seen.push({ place: placed.place, event: event === undefined ? kept(placed) : withoutNews(event) });
          }
        }
        for (const each of news) {
          if (each.kind !== 'event' || each.isPassing === true || !isRecordedEvent(each.event)) continue;
          if (!taken.has(each.event)) this.#unread.push(each.event);
        }
      },
    });
  }

  get processes(): readonly { readonly from: number; readonly seen: readonly Seen[]; readonly last: number }[] {
    return this.#processes;
  }

  /** Events that were sent and that no line of the same time records. */
  get unread(): readonly ThreadEvent[] {
    return this.#unread;
  }
}

export async function checkRecorded(
  { processes, unread }: RecordedLaw,
  store: RolloutStore,
  lines: readonly Line[],
): Promise<void> {
  const [first] = lines;
  if (first === undefined) return;
  const id = first.payload['id'] as Thread['id'];
  const all = readAll(initialRecordedState(id), lines);
  for (const { from, seen, last } of processes) {
    expect(seen).toEqual(all.filter(({ place }) => place > from && place <= last));
  }
  const count = lines.length;
  for (const place of new Set([0, 1, Math.floor(count / 3), Math.floor(count / 2), count - 2, count - 1])) {
    if (place < 0) continue;
    const later = readAll(await readRecordedState(store, id, place), lines.slice(place + 1));
    expect(later, `from ${place}`).toEqual(all.filter((each) => each.place > place));
  }
  // Its line came earlier: another process asked it before.
  expect(unread.filter(({ kind }) => kind !== 'question-asked')).toEqual([]);
}

function stateAfter(start: RecordedState, lines: readonly Line[]): RecordedState {
  return lines.reduce((state, line) => newsOf(state, line).state, start);
}

function readAll(start: RecordedState, lines: readonly Line[]): readonly Seen[] {
  let state = start;
  return lines.flatMap((line) => {
    const read = newsOf(state, line);
    state = read.state;
    return read.placed.map((placed) => ({ place: placed.place, event: kept(placed) }));
  });
}

function kept({ news }: PlacedNews): unknown {
  return news.kind === 'event' ? withoutNews(news.event) : news;
}

/** Without what files do not keep. */
function withoutNews(event: ThreadEvent): unknown {
  switch (event.kind) {
    case 'item-completed':
      return { ...event, item: withoutOutput(event.item) };
    case 'call-refused': {
      const { item: _item, reason: _reason, ...rest } = event;
      return rest;
    }
    case 'question-asked': {
      const { item: _item, question, ...rest } = event;
      const { commands: _commands, argv: _argv, prefix: _prefix, ...asked } = question;
      return { ...rest, question: asked };
    }
    case 'context': {
      const { value, ...rest } = event;
      return JSON.stringify(value ?? null).length > 2000 || value === null ? rest : { ...rest, value };
    }
    case 'turn-failed': {
      const { code, message, next } = event.outcome;
      return { ...event, outcome: { code, message, next } };
    }
    default:
      return event;
  }
}

function withoutOutput(item: TurnItem): unknown {
  const {
    output: _output,
    outputLines: _outputLines,
    outputUnknown: _outputUnknown,
    problem: _problem,
    call: _call,
    ...rest
  } = item as TurnItem & {
    readonly output?: string;
    readonly outputLines?: number;
    readonly outputUnknown?: true;
    readonly problem?: string;
    readonly call?: unknown;
  };
  if (item.kind !== 'file-change') return rest;
  return { ...rest, changes: item.changes.map(({ diff: _diff, ...change }) => change) };
}
