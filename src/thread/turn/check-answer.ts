import { schemaProblem } from '../../envelope/json-schema.ts';
import type { Json, JsonObject } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';

/** What keeps an answer from being what the turn's schema asks for; undefined when it fits. */
export function answerProblem(schema: JsonObject, answer: string | undefined): Outcome<'answer-unfit'> | undefined {
  const problem = answer === undefined ? 'The model gave no answer' : problemOf(schema, answer);
  return problem === undefined
    ? undefined
    : {
        code: 'answer-unfit',
        message: `The answer does not match the output schema. ${problem}.`,
        next: 'Try again, simplify the schema, or choose a model that follows schemas.',
      };
}

function problemOf(schema: JsonObject, answer: string): string | undefined {
  let value: Json;
  try {
    value = JSON.parse(answer) as Json;
  } catch {
    return 'It is not JSON';
  }
  return schemaProblem(schema, value);
}
