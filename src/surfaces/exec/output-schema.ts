import { resolve } from 'node:path';
import { readBounded, whyMissing } from '../../disk/read-bounded.ts';
import { isJsonObject, type JsonObject } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ExecArguments } from '../commands/exec-command.ts';

/** A larger file is refused. */
const mostBytes = 1024 * 1024;

/** The file of `--output-schema`. */
export function loadOutputSchema(
  { options: { outputSchema: path } }: ExecArguments,
  cwd: string,
): { readonly outputSchema?: JsonObject } | Outcome {
  if (path === undefined) return {};
  const file = readBounded(resolve(cwd, path), { maxBytes: mostBytes });
  if (file.kind !== 'read') {
    const problem = file.kind === 'missing' ? whyMissing(resolve(cwd, path)) : file.reason;
    const message = `The output schema ${path} cannot be read: ${problem}.`;
    return { code: 'schema-unreadable', message, next: 'Give --output-schema a file that you may read.' };
  }
  const outputSchema = parse(file.bytes.toString('utf8'));
  if (typeof outputSchema !== 'string') return { outputSchema };
  return {
    code: 'schema-invalid',
    message: `The output schema ${path} cannot be used: ${outputSchema}.`,
    next: 'Write a JSON Schema into it, such as {"type": "object", "properties": {…}}.',
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
