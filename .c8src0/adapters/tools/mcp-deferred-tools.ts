import { isMcpToolUsable } from '../../core/envelope/capabilities.ts';
import { isToolChosen, type ToolChoice } from '../../core/envelope/settings.ts';
import {
  callDirectlyText,
  foundToolsText,
  noDeferredToolText,
} from '../../core/fragments/answers/mcp-and-found-tools.ts';
import { isJsonObject, numberAt, objectAt, parseJsonObject, stringAt } from '../../protocol/json.ts';
import { functionSpec, functionTool, argumentsRefusal } from './function-tool.ts';
import { prepareCall, type Tool } from './tool.ts';

export interface DeferredTools {
  readonly listed: readonly Tool[];
  /** Deferred, or listed with an outdated description. */
  readonly searched: readonly Tool[];
}

type ReachedNow = () => DeferredTools;

const searchSpec = functionSpec(
  'tool_search',
  'Searches the deferred tools: those that are announced in <tools> or became available later and are not in your list. Search before you assume that a tool is missing. Gives names, descriptions and parameters.',
  {
    query: { type: 'string', description: 'Words that describe what the tool should do.' },
    limit: { type: 'number', description: 'How many to show, 8 by default.' },
  },
  ['query'],
);

const callSpec = functionSpec(
  'call_tool',
  'Calls a deferred tool that tool_search found.',
  {
    name: { type: 'string', description: 'The name of the tool, as tool_search gives it.' },
    arguments: { type: 'object', description: 'The arguments, as its parameters say.', properties: {} },
  },
  ['name'],
);

const mostShown = 50;

export function toolSearchTool(reached: ReachedNow): Tool {
  return functionTool({
    spec: searchSpec,
    idempotent: true,
    parse: (input) => parseJsonObject(input) ?? {},
    read(given) {
      const query = stringAt(given, 'query')?.trim() ?? '';
      if (query === '') return '`query` must be a string that is not empty.';
      return { query, limit: Math.min(mostShown, Math.max(1, Math.floor(numberAt(given, 'limit') ?? 8))) };
    },
    run({ query, limit }, _, { step: { envelope } }) {
      const { policy, capabilities } = envelope;
      const all = reachedIn(reached, capabilities).searched.filter(
        ({ mcp }) => mcp === undefined || isMcpToolUsable(mcp, policy),
      );
      return foundToolsText(query, rankTools(query, all).slice(0, limit).map(foundTool), all.length);
    },
  });
}

/** Leaves out tools that the thread's choice excludes, except those that the program itself supplies. */
function reachedIn(reached: ReachedNow, choice: ToolChoice): DeferredTools {
  const isHere = (tool: Tool): boolean => isToolChosen(tool, choice);
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
      if (given === undefined || name === undefined) return argumentsRefusal('`name` must be a string.');
      const { arguments: inner = {} } = given;
      // Some models write arguments as text, as they do for every other tool.
      const text = typeof inner === 'string' ? inner : isJsonObject(inner) ? JSON.stringify(inner) : undefined;
      if (text === undefined) return argumentsRefusal('`arguments` must be an object.');
      const { listed, searched } = reachedIn(reached, step.envelope.capabilities);
      const tool = [...searched, ...listed].find((each) => each.name === name);
      if (tool === undefined) {
        const isListed = step.tools.some((each) => each['name'] === name);
        const names = searched.map((each) => each.name);
        return { kind: 'refused', output: isListed ? callDirectlyText(name) : noDeferredToolText(name, names) };
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
