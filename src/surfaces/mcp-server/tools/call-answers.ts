import type { JsonObject } from '../../../protocol/json.ts';
import { fullText, type Outcome } from '../../../protocol/outcome.ts';
import { errorFields } from '../events/event-fields.ts';
import type { ToolAnswer } from '../offer/server-tool.ts';

/** What a call gives: data for programs, and a short text for the model of the host. */
export function answered(text: string, data: object): ToolAnswer {
  return { kind: 'answer', text, data: data as JsonObject };
}

/** What happened and what to do next. `more` is what is known all the same. */
export function refusedAnswer(outcome: Outcome, more: JsonObject = {}): ToolAnswer {
  return { kind: 'answer', text: fullText(outcome), data: { ...more, error: errorFields(outcome) }, isError: true };
}
