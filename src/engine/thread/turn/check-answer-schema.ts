import { findSchemaMismatch, type SchemaMismatch } from '../../../core/envelope/json-schema.ts';
import type { Json, JsonObject } from '../../../protocol/json.ts';
import type { Outcome } from '../../../protocol/outcome.ts';

type AnswerUnfit = Outcome<'answer-unfit'>;

export async function answerProblem(schema: JsonObject, answer: string | undefined): Promise<AnswerUnfit | undefined> {
  const problem = answer === undefined ? 'The model gave no answer' : await problemOf(schema, answer);
  if (problem === undefined) return undefined;
  const message = `The answer does not match the output schema. ${problem}.`;
  const next = 'Try again, simplify the schema, or choose a model that follows schemas.';
  return { code: 'answer-unfit', message, next };
}

async function problemOf(schema: JsonObject, answer: string): Promise<string | undefined> {
  let value: Json;
  try {
    value = JSON.parse(answer) as Json;
  } catch {
    return 'It is not JSON';
  }
  const misfit = await findSchemaMismatch(schema, value);
  return misfit === undefined ? undefined : `${placeIn(misfit)} ${misfit.says}`;
}

function placeIn({ path }: SchemaMismatch): string {
  const isName = (key: string | number): boolean => typeof key === 'string' && /^[A-Za-z_$][\w$]*$/.test(key);
  const steps = path.map((key) => (isName(key) ? `.${key}` : `[${JSON.stringify(key)}]`));
  return path.length === 0 ? 'The answer' : `answer${steps.join('')}`;
}
