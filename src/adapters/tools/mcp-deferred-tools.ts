import { defined } from '../../base/objects.ts';
import { isMcpToolUsable } from '../../core/envelope/capabilities.ts';
import { isChosen, type ToolChoice } from '../../core/envelope/settings.ts';
import { callDirectly, foundTools, noDeferredTool } from '../../core/fragments/answers/mcp-and-found-tools.ts';
import { badArguments } from '../../core/fragments/answers/tool-calls.ts';
import type { ToolSpec } from '../../ports/model.ts';
import { isJsonObject, numberAt, objectAt, parseJsonObject, stringAt } from '../../protocol/json.ts';
import type { ToolCallItem } from '../../protocol/turn-item.ts';
import { prepareCall, type Tool } from './tool.ts';

export interface DeferredTools {
  readonly listed: readonly Tool[];
  /** Deferred, or listed with an outdated description. */
  readonly searched: readonly Tool[];
}

type ReachedNow = () => DeferredTools;

const searchSpec: ToolSpec = {
  type: 'function',
  name: 'tool_search',
  description:
    'Searches the deferred tools: those that are announced in <tools> or became available later and are not in your list. Search before you assume that a tool is missing. Gives names, descriptions and parameters.',
  strict: false,
  parameters: {
    type: 'object',
    properties: {
      query: { type: 'string', description: 'Words that describe what the tool should do.' },
      limit: { type: 'number', description: 'How many to show, 8 by default.' },
    },
    required: ['query'],
    additionalProperties: false,
  },
};

const callSpec: ToolSpec = {
  type: 'function',
  name: 'call_tool',
  description: 'Calls a deferred tool that tool_search found.',
  strict: false,
  parameters: {
    type: 'object',
    properties: {
      name: { type: 'string', description: 'The name of the tool, as tool_search gives it.' },
      arguments: { type: 'object', description: 'The arguments, as its parameters say.', properties: {} },
    },
    required: ['name'],
    additionalProperties: false,
  },
};

const mostShown = 50;

export function toolSearchTool(reached: ReachedNow): Tool {
  return {
    name: 'tool_search',
    spec: searchSpec,
    prepare({ callId, input }, { envelope: { policy, capabilities } }) {
      const given = parseJsonObject(input) ?? {};
      const query = stringAt(given, 'query')?.trim() ?? '';
      if (query === '') return { kind: 'refused', output: badArguments('`query` must be a string that is not empty.') };
      const limit = Math.min(mostShown, Math.max(1, Math.floor(numberAt(given, 'limit') ?? 8)));
      const item: ToolCallItem = {
        kind: 'tool-call',
        id: callId,
        tool: 'tool_search',
        arguments: given,
        status: 'in-progress',
      };
      return {
        kind: 'prepared',
        item,
        needs: {},
        idempotent: true,
        async run() {
          const all = reachedIn(reached, capabilities).searched.filter(
            ({ mcp }) => mcp === undefined || isMcpToolUsable(mcp, policy),
          );
          const found = rankTools(query, all).slice(0, limit).map(foundTool);
          const output = foundTools(query, found, all.length);
          return { output, item: { ...item, status: 'completed', output } };
        },
      };
    },
  };
}

/** Excludes tools that the thread was started without. The program's own are always included. */
function reachedIn(reached: ReachedNow, choice: ToolChoice): DeferredTools {
  const isHere = (tool: Tool): boolean => isChosen(tool, choice);
  const { listed, searched } = reached();
  return { listed: listed.filter(isHere), searched: searched.filter(isHere) };
}

function foundTool({ name, spec }: Tool) {
  const parameters = objectAt(spec, 'parameters') ?? {};
  return { name, description: stringAt(spec, 'description') ?? '', parameters };
}

export function callToolTool(reached: ReachedNow): Tool {
  return {
    name: 'call_tool',
    spec: callSpec,
    prepare({ callId, input }, step) {
      const given = parseJsonObject(input);
      const name = stringAt(given, 'name');
      if (given === undefined || name === undefined)
        return { kind: 'refused', output: badArguments('`name` must be a string.') };
      const { arguments: inner = {} } = defined({ arguments: given['arguments'] });
      // Some models write arguments as text, as they do for every other tool.
      const text = typeof inner === 'string' ? inner : isJsonObject(inner) ? JSON.stringify(inner) : undefined;
      if (text === undefined) return { kind: 'refused', output: badArguments('`arguments` must be an object.') };
      const { listed, searched } = reachedIn(reached, step.envelope.capabilities);
      const tool = [...searched, ...listed].find((each) => each.name === name);
      if (tool === undefined) {
        const isListed = step.tools.some((each) => each['name'] === name);
        const names = searched.map((each) => each.name);
        return { kind: 'refused', output: isListed ? callDirectly(name) : noDeferredTool(name, names) };
      }
      return prepareCall(tool, { callId, input: text }, step);
    },
  };
}

/** Usual constants of the BM25 ranking function. */
const saturation = 1.2;
const lengthWeight = 0.75;

/** Tools with a word of the query in name, description or parameters, best match first. */
export function rankTools(query: string, tools: readonly Tool[]): readonly Tool[] {
  const documents = tools.map((tool) => ({ tool, words: wordsOf(`${tool.name} ${JSON.stringify(tool.spec)}`) }));
  const average = documents.reduce((sum, { words }) => sum + words.length, 0) / Math.max(1, documents.length);
  const wanted = [...new Set(wordsOf(query))];
  const rarity = new Map(
    wanted.map((word) => {
      const having = documents.filter(({ words }) => words.includes(word)).length;
      return [word, Math.log(1 + (documents.length - having + 0.5) / (having + 0.5))];
    }),
  );
  const scored = documents.map(({ tool, words }) => {
    const norm = saturation * (1 - lengthWeight + (lengthWeight * words.length) / Math.max(1, average));
    const score = wanted.reduce((sum, word) => {
      const times = words.filter((each) => each === word).length;
      return sum + ((rarity.get(word) ?? 0) * times * (saturation + 1)) / (times + norm);
    }, 0);
    return { tool, score };
  });
  return scored
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || (a.tool.name < b.tool.name ? -1 : 1))
    .map(({ tool }) => tool);
}

const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
