import type { JsonObject } from '../../protocol/json.ts';
import { fenceFor } from '../text/fence.ts';
import { nearestTools } from './call-answers.ts';

/** A tool that was found by searching. Its description is its server's. */
export interface FoundTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
}

/** What a search among deferred tools found, the best first. */
export function foundTools(query: string, tools: readonly FoundTool[], deferred: number): string {
  if (deferred === 0) return 'No tools are deferred: all that there are stand in your list of tools.';
  if (tools.length === 0)
    return `No deferred tool matches ${JSON.stringify(query)}. There are ${deferred}; try other words.`;
  const fence = fenceFor(
    '-',
    tools.map(({ description }) => description),
  );
  const shown = tools.map(
    ({ name, description, parameters }) =>
      `${fence} ${name}\n${description}\nParameters: ${JSON.stringify(parameters)}`,
  );
  return `${tools.length} of ${deferred} deferred tools. Call one with call_tool, or by its name.\n${shown.join('\n')}`;
}

/** The name of a tool that is neither deferred nor a server's. */
export function callDirectly(name: string): string {
  return `${name} is in your list of tools. Call it directly, by its name.`;
}

export function noDeferredTool(name: string, known: readonly string[]): string {
  const { quoted, nearest } = nearestTools(name, known);
  const unknown = `There is no deferred tool named ${quoted}.`;
  if (known.length === 0) return `${unknown} No tools are deferred.`;
  return `${unknown} The nearest of ${known.length}: ${nearest}. Use tool_search to find others.`;
}
