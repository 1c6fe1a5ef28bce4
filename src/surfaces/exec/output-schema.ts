import { resolve } from 'node:path';
import { readBounded, whyMissing } from '../../disk/read-bounded.ts';
import { isJsonObject, type JsonObject } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ExecArguments } from '../commands/exec-command.ts';

/** A larger file is refused. */
const mostBytes = 1024 * 1024;

interface OutputSchema {
  readonly outputSchema?: JsonObject;
  /** Warns that part of it is not checked. */
  readonly notices: readonly Outcome[];
}

/** The file of `--output-schema`. */
export async function loadOutputSchema(
  { options: { outputSchema: path } }: ExecArguments,
  cwd: string,
): Promise<OutputSchema | Outcome> {
  if (path === undefined) return { notices: [] };
  const file = readBounded(resolve(cwd, path), { maxBytes: mostBytes });
  if (file.kind !== 'read') {
    const problem = file.kind === 'missing' ? whyMissing(resolve(cwd, path)) : file.reason;
    const message = `The output schema ${path} cannot be read: ${problem}.`;
    return { code: 'schema-unreadable', message, next: 'Give --output-schema a file that you may read.' };
  }
  const outputSchema = parse(file.bytes.toString('utf8'));
  if (typeof outputSchema !== 'string') {
    const { firstUnjudged } = await import('../../envelope/json-schema.ts');
    const place = await firstUnjudged(outputSchema);
    return { outputSchema, notices: place === undefined ? [] : [partlyChecked(path, place)] };
  }
  return {
    code: 'schema-invalid',
    message: `The output schema ${path} cannot be used: ${outputSchema}.`,
    next: 'Write a JSON Schema into it, such as {"type": "object", "properties": {…}}.',
  };
}

function partlyChecked(path: string, place: string): Outcome<'schema-partly-checked'> {
  return {
    code: 'schema-partly-checked',
    message: `Part of the output schema ${path} is not checked: ${place}.`,
    next: 'Correct it: types are those of JSON, $ref leads within the schema, and a pattern has no look-around or back-reference.',
  };
}

/** The object that the text is, or why it is none. */
function parse(text: string): JsonObject | string {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    return isJsonObject(value) ? value : 'it is JSON, but not an object';
  } catch (error) {
    return `it is not JSON (${(error as SyntaxError).message})`;
  }
}
