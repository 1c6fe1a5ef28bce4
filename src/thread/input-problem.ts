import type { JsonObject } from '../protocol/json.ts';
import { halfCharacter, oddMember } from '../protocol/odd-text.ts';
import type { Outcome } from '../protocol/outcome.ts';
import type { UserInput } from '../protocol/user-input.ts';

/** Why a turn cannot begin with this; undefined when it can. A zero byte in words is kept: it does no harm. */
export function inputProblem({
  input,
  outputSchema,
}: {
  readonly input: UserInput;
  readonly outputSchema?: JsonObject;
}): Outcome<'odd-input'> | undefined {
  if (!input.text.isWellFormed()) return oddInput('The message', halfCharacter);
  const paths = oddMember(input.images.map(({ path }) => path));
  if (paths !== undefined) return oddInput('The path of a picture', paths.what);
  const schema = oddMember(outputSchema);
  return schema === undefined ? undefined : oddInput('The output schema', schema.what);
}

function oddInput(subject: string, what: string): Outcome<'odd-input'> {
  return {
    code: 'odd-input',
    message: `${subject} holds ${what}, which cannot be written to a file or sent.`,
    next: 'Take it out and send it again.',
  };
}
