import { arrayAt, equalJson, isJsonObject, type Json, type JsonObject, stringAt } from '../../protocol/json.ts';
import { contentParts, mostTextBytes, type ShowPicture } from './content-parts.ts';

/** Answers to calls of MCP servers. What a server says stays behind a line of ours. */

export interface McpResultOptions {
  readonly seconds: number;
  /** Absent: the model takes no pictures. */
  readonly picture?: ShowPicture;
}

/** What the model reads of a result: plain text, or parts where pictures are among it. */
export async function mcpResult(
  result: JsonObject,
  options: McpResultOptions,
): Promise<string | readonly JsonObject[]> {
  const blocks = arrayAt(result, 'content') ?? [];
  const structured = result['structuredContent'];
  const isNew =
    structured !== undefined && structured !== null && !blocks.some((block) => saysTheSame(block, structured));
  const more = isNew ? [{ type: 'text', text: JSON.stringify(structured) }] : [];
  const all = await contentParts(blocks, options.picture, more);
  const header = `${wallTime(options.seconds)}\n${result['isError'] === true ? 'The tool reports an error.\n' : ''}Output:`;
  const words = all.flatMap((part) => (typeof part['text'] === 'string' ? [part['text']] : []));
  return words.length === all.length ? [header, ...words].join('\n') : [{ type: 'input_text', text: header }, ...all];
}

/** What the server said, without our line before it. */
export function saidByServer(output: string | readonly JsonObject[]): string {
  if (typeof output === 'string')
    return output.replace(/^(?:Wall time: [^\n]*\n)(?:(?:The tool[^\n]*\n)?Output:\n?)?/, '');
  return output
    .slice(1)
    .map((part) => (typeof part['text'] === 'string' ? part['text'] : '[picture]'))
    .join('\n');
}

/** What a server lists or gives to read, as JSON. */
export function mcpResources(found: JsonObject, seconds: number): string {
  const all = JSON.stringify(found).toWellFormed();
  const kept = all.length <= mostTextBytes ? all : `${all.slice(0, mostTextBytes)}\n[the rest is left out]`;
  return `${wallTime(seconds)}\nOutput:\n${kept}`;
}

/** The call gave no result. */
export function mcpFailure(why: string, seconds: number): string {
  return `${wallTime(seconds)}\nThe call failed: ${why}`;
}

/** The tool stands in the list of tools only until that may change. `problem`: why its server does not run, as a sentence. */
export function mcpToolMissing({ name, server }: { readonly name: string; readonly server: string }, problem?: string) {
  if (problem !== undefined) return `Not run: ${problem}`;
  const found = 'Do without it, or search with tool_search for what it offers now.';
  return `Not run: the MCP server ${JSON.stringify(server)} no longer has the tool ${name}. ${found}`;
}

function wallTime(seconds: number): string {
  return `Wall time: ${seconds.toFixed(4)} seconds`;
}

/** Servers repeat structured content as text for clients that know no better. */
function saysTheSame(block: Json, structured: Json): boolean {
  const said = isJsonObject(block) ? stringAt(block, 'text') : undefined;
  if (said === undefined || said.length > mostTextBytes) return false;
  try {
    return equalJson(JSON.parse(said) as Json, structured);
  } catch {
    return false;
  }
}
