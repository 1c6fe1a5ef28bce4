import type { StepLabels, StepResult } from '../ports/tracer.ts';
import { defined } from '../protocol/defined.ts';

export type StepAttributes = Readonly<Record<string, string | number>>;

/** The names of the semantic conventions for generative systems, and ours where they have none. */
export function labelAttributes(labels: StepLabels): StepAttributes {
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': labels.provider,
    'gen_ai.request.model': labels.model,
    'gen_ai.conversation.id': labels.threadId,
    'capstan.wire_format': labels.wire,
    'capstan.turn.id': labels.turnId,
    'capstan.step': labels.step,
    'capstan.attempt': labels.attempt,
    ...defined({ 'capstan.effort': labels.effort }),
  };
}

export function resultAttributes(result: StepResult): StepAttributes {
  const { outcome, usage, firstEventMs, answerMs, totalMs, calls } = result;
  return {
    'capstan.outcome': outcome,
    'capstan.calls': calls,
    'capstan.answer_ms': answerMs,
    'capstan.total_ms': totalMs,
    ...defined({ 'capstan.first_event_ms': firstEventMs }),
    ...(usage && {
      'gen_ai.usage.input_tokens': usage.input,
      'gen_ai.usage.output_tokens': usage.output,
      'capstan.usage.cached_input_tokens': usage.cachedInput,
      'capstan.usage.reasoning_output_tokens': usage.reasoningOutput,
    }),
  };
}
