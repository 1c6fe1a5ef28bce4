import { valueOr } from '../../../base/objects.ts';
import { arrayAt, equalJson, isJsonObject, type Json, type JsonObject, stringAt } from '../../../protocol/json.ts';
import { fenceFor } from '../text/cut-and-fence-text.ts';
import { mcpContentParts, mostTextBytes, type PreparePicture, textWithPictureMarks } from './content-parts.ts';
import { nearestTools } from './tool-calls.ts';

/** Answers to MCP calls. A server's words always follow a line of ours. */

/** Without `picture` the model takes no pictures. */
export async function mcpResult(
  result: JsonObject,
  options: { readonly seconds: number; readonly picture?: PreparePicture },
): Promise<string | readonly JsonObject[]> {
  const blocks = arrayAt(result, 'content') ?? [];
  const structured = result['structuredContent'] ?? null;
  const isNew = structured !== null && !blocks.some((block) => saysTheSame(block, structured));
  const more = isNew ? [{ type: 'text', text: JSON.stringify(structured) }] : [];
  const all = await mcpContentParts(blocks, options.picture, more);
  const header = `${wallTime(options.seconds)}\n${result['isError'] === true ? 'The tool reports an error.\n' : ''}Output:`;
  const words = all.flatMap((part) => (typeof part['text'] === 'string' ? [part['text']] : []));
  return words.length === all.length ? [header, ...words].join('\n') : [{ type: 'input_text', text: header }, ...all];
}

/** The server's words, without the lines that Capstan puts before them. */
export function withoutMcpPreamble(output: string | readonly JsonObject[]): string {
  if (typeof output === 'string')
    return output.replace(/^(?:Wall time: [^\n]*\n)(?:(?:The tool[^\n]*\n)?Output:\n?)?/, '');
  return textWithPictureMarks(output.slice(1));
}

export function mcpResourcesText(found: JsonObject, seconds: number): string {
  const all = JSON.stringify(found).toWellFormed();
  const kept = all.length <= mostTextBytes ? all : `${all.slice(0, mostTextBytes)}\n[the rest is left out]`;
  return `${wallTime(seconds)}\nOutput:\n${kept}`;
}

export const mcpFailureText = (why: string, seconds: number): string => `${wallTime(seconds)}\nThe call failed: ${why}`;

/** The call's tool is missing, though still listed. `problem`: a sentence on why its server does not run. */
export function mcpToolMissingText(
  { name, server }: { readonly name: string; readonly server: string },
  problem?: string,
) {
  if (problem !== undefined) return `Not run: ${problem}`;
  const found = 'Do without it, or search with tool_search for what it offers now.';
  return `Not run: the MCP server ${JSON.stringify(server)} no longer has the tool ${name}. ${found}`;
}

const wallTime = (seconds: number): string => `Wall time: ${seconds.toFixed(4)} seconds`;

/** Servers repeat structured content as text for older clients. */
function saysTheSame(block: Json, structured: Json): boolean {
  const said = isJsonObject(block) ? stringAt(block, 'text') : undefined;
  if (said === undefined || said.length > mostTextBytes) return false;
  return valueOr(false, () => equalJson(JSON.parse(said) as Json, structured));
}

/** A tool found by a search. Its description comes from its server. */
export type FoundTool = { readonly name: string; readonly description: string; readonly parameters: JsonObject };

/** Results of a search among deferred tools, best first. */
export function foundToolsText(query: string, tools: readonly FoundTool[], deferred: number): string {
  if (deferred === 0) return 'No tools are deferred: all that there are stand in your list of tools.';
  if (tools.length === 0)
    return `No deferred tool matches ${JSON.stringify(query)}. There are ${deferred}; try other words.`;
  const descriptions = tools.map(({ description }) => description);
  const fence = fenceFor('-', descriptions);
  const shown = tools.map(
    ({ name, description, parameters }) =>
      `${fence} ${name}\n${description}\nParameters: ${JSON.stringify(parameters)}`,
  );
  return `${tools.length} of ${deferred} deferred tools. Call one with call_tool, or by its name.\n${shown.join('\n')}`;
}

/** The named tool is neither deferred nor an MCP tool. */
export const callDirectlyText = (name: string): string =>
  `${name} is in your list of tools. Call it directly, by its name.`;

export function noDeferredToolText(name: string, known: readonly string[]): string {
  const { quoted, nearest } = nearestTools(name, known);
  const unknown = `There is no deferred tool named ${quoted}.`;
  if (known.length === 0) return `${unknown} No tools are deferred.`;
  return `${unknown} The nearest of ${known.length}: ${nearest}. Use tool_search to find others.`;
}
