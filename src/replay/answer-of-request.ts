import { isModelMade } from '../history/entry.ts';
import { entries } from '../history/history.ts';
import { defined } from '../protocol/defined.ts';
import type { Item } from '../protocol/item.ts';
import { type JsonObject, numberAt, objectAt, stringAt } from '../protocol/json.ts';
import { type Line, lineType } from '../protocol/line.ts';
import type { Usage } from '../protocol/usage.ts';
import { reduce } from '../state/reduce.ts';
import { readUsage } from '../state/usage-fields.ts';
import type { RebuiltRequest } from './rebuild.ts';

/** What a thread says about the answer to one of its requests. */
export interface AnswerOfRequest {
  /** In the order in which they came. */
  readonly items: readonly Item[];
  /** The code of its failure. */
  readonly failure?: string;
  /** What the provider counted. */
  readonly usage?: Usage;
  readonly firstEventMs?: number;
  readonly answerMs?: number;
}

/**
 * The answer to a request of the conversation, from the lines behind it. It ends with the line about its step, which a
 * process that was killed did not write: then the next request ends it.
 */
export function answerOfRequest(
  behind: Iterable<Line>,
  { record, state: before }: Pick<RebuiltRequest, 'record' | 'state'>,
): AnswerOfRequest {
  let state = before;
  let step: JsonObject = {};
  for (const line of behind) {
    if (line.type === lineType.request && line.payload['auxiliary'] === undefined) break;
    if (line.type === lineType.step && line.payload['purpose'] === undefined) {
      step = line.payload;
      break;
    }
    state = reduce(state, line);
  }
  const added = entries(state.history).slice(before.history.length);
  const usage = objectAt(step, 'usage');
  return {
    items: added.filter((entry) => isModelMade(entry) && entry.turn === record.turnId).map(({ item }) => item),
    ...defined({
      failure: stringAt(step, 'failure'),
      usage: usage && readUsage(usage),
      firstEventMs: numberAt(step, 'first_event_ms'),
      answerMs: numberAt(step, 'answer_ms'),
    }),
  };
}
