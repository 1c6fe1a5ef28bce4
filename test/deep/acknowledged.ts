import type { Line } from '../../src/protocol/line.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { PlacedLine } from './rollout-bytes.ts';

/** Something that a listener has seen, and that the file must therefore hold for ever. */
export interface Acknowledged {
  readonly what: string;
  holds(line: Line): boolean;
}

/** The promises in the events on standard output. */
export function promisesOf(events: readonly JsonObject[]): readonly Acknowledged[] {
  return events.flatMap((event) => promiseOf(event, event['item'] as JsonObject | undefined));
}

function promiseOf(event: JsonObject, item: JsonObject | undefined): readonly Acknowledged[] {
  const what = JSON.stringify(event);
  const call = /call_\w+/.exec(String(item?.['command'] ?? JSON.stringify(item?.['changes'] ?? '')))?.[0];
  switch (event['type']) {
    case 'thread.started':
      return [{ what, holds: ({ type, payload }) => type === 'session_meta' && payload['id'] === event['thread_id'] }];
    case 'turn.started':
      return [{ what, holds: ({ payload }) => payload['type'] === 'task_started' }];
    case 'turn.completed':
      return [{ what, holds: ({ payload }) => payload['type'] === 'task_complete' }];
    case 'item.started':
      return call === undefined ? [] : [{ what, holds: started(call) }];
    case 'item.completed': {
      if (item?.['type'] === 'agent_message') {
        const text = JSON.stringify(item['text']);
        return [
          { what, holds: (line) => line.type === 'response_item' && JSON.stringify(line.payload).includes(text) },
        ];
      }
      if (call === undefined) return [];
      return [
        { what, holds: ({ payload }) => String(payload['type']).endsWith('_output') && payload['call_id'] === call },
        {
          what,
          holds: ({ payload }) =>
            payload['type'] === 'item_completed' && (payload['item'] as JsonObject)['id'] === call,
        },
      ];
    }
    default:
      return [];
  }
}

/** A call that had an effect. */
export function promiseOfEffect(call: string): Acknowledged {
  return { what: `the effect of ${call}`, holds: started(call) };
}

function started(call: string): (line: Line) => boolean {
  return ({ type, payload }) => type === 'capstan_call' && payload['call_id'] === call;
}

/** Promises that the lines do not keep. */
export function missingIn(lines: readonly PlacedLine[], promises: readonly Acknowledged[]): readonly string[] {
  return promises.filter(({ holds }) => !lines.some(({ line }) => holds(line))).map(({ what }) => what);
}

/** Bytes that may not be lost any more. The rest may never have reached the disk. */
export function promisedBytes(lines: readonly PlacedLine[], promises: readonly Acknowledged[]): number {
  // The first line that keeps a promise: a later one may say the same again.
  return Math.max(0, ...promises.map(({ holds }) => lines.find(({ line }) => holds(line))?.end ?? 0));
}
