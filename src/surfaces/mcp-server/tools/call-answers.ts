import type { JsonObject } from '../../../protocol/json.ts';
import { fullText, type Outcome } from '../../../protocol/outcome.ts';
import { errorFields } from '../events/event-fields.ts';
import type { ToolAnswer } from '../offer/server-tool.ts';
import { shortened } from '../offer/shortened.ts';
import { asToolOutcome, toolWords } from './tool-words.ts';

/** What a call gives: data for programs, and a short text for the model of the host. */
export function answered(text: string, data: object): ToolAnswer {
  return { kind: 'answer', text, data: data as JsonObject };
}

/** What happened and what to do next. `more` is what is known all the same. */
export function refusedAnswer(said: Outcome, more: JsonObject = {}): ToolAnswer {
  const outcome = asToolOutcome(said);
  return { kind: 'answer', text: fullText(outcome), data: { ...more, error: errorFields(outcome) }, isError: true };
}

/** What to know beside the answer: in the data, and as lines of the text for hosts that pass on only that. */
export function withNotices({ text, data, ...answer }: ToolAnswer, notices: readonly Outcome[]): ToolAnswer {
  if (notices.length === 0) return { ...answer, text, data };
  const words = notices.map((notice) => toolWords(shortened(fullText(notice))));
  return {
    ...answer,
    text: [text, ...words.map((each) => `Note: ${each}`)].join('\n'),
    data: { ...data, notices: words },
  };
}
