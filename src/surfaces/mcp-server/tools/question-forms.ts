import { defined } from '../../../protocol/defined.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import type { Answer, Question } from '../../../protocol/question.ts';
import type { UserQuestion } from '../../../protocol/user-question.ts';

/** The form of a question that asks for more than a decision. Undefined: it asks for one. */
export function ownForm({ input, elicitation }: Pick<Question, 'input' | 'elicitation'>): JsonObject | undefined {
  if (input === undefined) return elicitation?.schema;
  return { type: 'object', properties: Object.fromEntries(input.flatMap(fieldsOf)) };
}

/** A choice, and a line for another answer: a form has no field that is both. */
function fieldsOf(asked: UserQuestion): readonly (readonly [string, JsonObject])[] {
  const { id, header, question, options } = asked;
  const offered = options.map(({ label, description }) => `${label}: ${description}`).join('\n');
  const labels = [...new Set(options.map(({ label }) => label))];
  return [
    [id, { type: 'string', title: header, description: `${question}\n${offered}`, enum: labels }],
    [otherField(asked), { type: 'string', title: `${header}: another answer`, description: 'In your own words.' }],
  ];
}

function otherField({ id }: UserQuestion): string {
  return `${id}__other`;
}

/** What the form was filled with. The user's own words count before a choice. */
export function filledIn({ input }: Pick<Question, 'input'>, content: JsonObject): Answer {
  if (input === undefined) return { kind: 'allowed', ...(Object.keys(content).length === 0 ? {} : { content }) };
  if (Object.keys(content).length === 0) return { kind: 'allowed' };
  const given = input.map((asked) => {
    const other = content[otherField(asked)];
    const words = typeof other === 'string' && other.trim() !== '' ? other : undefined;
    return [asked.id, words ?? content[asked.id]] as const;
  });
  return { kind: 'allowed', content: defined(Object.fromEntries(given)) as JsonObject };
}
