import type { Encoder } from '../ports/prompt.ts';
import { type Line, lineType } from '../protocol/line.ts';
import { reduce } from '../state/reduce.ts';
import { promptFor } from '../state/request.ts';
import { readRequest, type RequestRecord } from '../state/request-record.ts';
import { emptyState } from '../state/thread-state.ts';

/** A request as it was sent, rebuilt from the rollout alone. */
export interface RebuiltRequest {
  readonly record: RequestRecord;
  readonly line: Line;
  readonly body: readonly Uint8Array[];
}

/** Every request of the thread, in order. The encoder must be of the version that a record names. */
export async function* rebuildRequests(
  lines: AsyncIterable<Line> | Iterable<Line>,
  encoderFor: (version: string) => Encoder | undefined,
): AsyncGenerator<RebuiltRequest> {
  let state = emptyState;
  for await (const line of lines) {
    state = reduce(state, line);
    const record = line.type === lineType.request ? readRequest(line.payload) : undefined;
    const encoder = record === undefined ? undefined : encoderFor(record.encoder);
    if (record !== undefined && encoder !== undefined)
      yield { record, line, body: encoder.body(promptFor(state, record)) };
  }
}
