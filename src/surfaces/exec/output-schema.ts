import { resolve } from 'node:path';
import { readBounded, whyMissing } from '../../disk/read-bounded.ts';
import { isJsonObject, type JsonObject } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ExecArguments } from '../commands/exec-command.ts';

/** A larger file is refused. */
const mostBytes = 1024 * 1024;

export interface OutputSchema {
  readonly outputSchema?: JsonObject;
}

/** The file of `--output-schema`. */
export function loadOutputSchema({ options }: ExecArguments, cwd: string): OutputSchema | Outcome {
  const path = options.outputSchema;
  if (path === undefined) return {};
  const text = readText(resolve(cwd, path));
  if ('problem' in text) {
    const message = `The output schema ${path} cannot be read: ${text.problem}.`;
    return { code: 'schema-unreadable', message, next: 'Give --output-schema a file that you may read.' };
  }
  const schema = parse(text.content);
  if (!('problem' in schema)) return { outputSchema: schema.object };
  return {
    code: 'schema-invalid',
    message: `The output schema ${path} cannot be used: ${schema.problem}.`,
    next: 'Write a JSON Schema into it, such as {"type": "object", "properties": {…}}.',
  };
}

interface Problem {
  readonly problem: string;
}

function readText(path: string): { readonly content: string } | Problem {
  const file = readBounded(path, { maxBytes: mostBytes });
  if (file.kind === 'read') return { content: file.bytes.toString('utf8') };
  return { problem: file.kind === 'missing' ? whyMissing(path) : file.reason };
}

function parse(text: string): { readonly object: JsonObject } | Problem {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    return isJsonObject(value) ? { object: value } : { problem: 'it is JSON, but no object' };
  } catch (error) {
    return { problem: `it is not JSON (${(error as SyntaxError).message})` };
  }
}
