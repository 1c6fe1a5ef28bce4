import { contextBudget } from '../../core/envelope/window.ts';
import type { Settings } from '../../core/envelope/settings.ts';
import { windowOfSettings } from '../models/settings-window.ts';
import type { ClientToolsOptions } from './thread-tools.ts';
import { jsonTokens } from '../../core/history/token-counts.ts';
import { groupsWithinBudget } from '../../core/planes/fit-roles.ts';
import { type CallableTool, callableTools } from '../../protocol/client-tool.ts';
import { shortTextHash } from '../../base/digest.ts';
import { clientTool } from '../../adapters/tools/client-tool.ts';
import type { StepFacts } from '../../core/envelope/facts.ts';
import type { Tool } from '../../adapters/tools/tool.ts';
import type { ToolFilter } from '../../adapters/tools/router.ts';
import { callToolTool, toolSearchTool } from '../../adapters/tools/mcp-deferred-tools.ts';

type Announced = NonNullable<StepFacts['deferredTools']>;

export interface ClientToolSet {
  announced(isChosen: ToolFilter['isChosen']): Announced;
  readonly tools: readonly Tool[];
  readonly deferred: readonly Tool[];
  readonly tokens: number;
  /** Equal for equal tools. Absent: there are none. */
  readonly digest?: string;
}

const ungrouped = { name: 'client', description: 'Tools of the client.' };
const ofProgram = { name: 'program', description: 'Tools of the program.' };
/** In characters. */
const longestNews = 400;

/** Tools that the client defers, and those too large for the window, are found by searching. */
export function clientToolSet(
  settings: Settings,
  { catalogueOf, searchesElsewhere, besides, picture }: ClientToolsOptions,
  ownDeferred: readonly Tool[],
): ClientToolSet {
  const all = callableTools(settings.clientTools ?? []);
  const share = contextBudget('optionalTools', windowOfSettings(settings, catalogueOf));
  // Optional tools share one budget: with MCP servers, the client gets at most half, and the servers the rest.
  const budget = Math.min(searchesElsewhere ? share / 2 : share, Math.max(0, share - besides()));
  const weighed = all
    .filter(({ deferLoading }) => deferLoading !== true)
    .map(({ name, description, inputSchema }) => ({ name, tokens: jsonTokens({ name, description, inputSchema }) }));
  const shown = groupsWithinBudget(weighed, budget);
  const tokens = weighed.reduce((sum, each) => (shown.has(each.name) ? sum + each.tokens : sum), 0);
  const made = (isDirect: boolean): readonly Tool[] =>
    all
      .filter(({ name }) => shown.has(name) === isDirect)
      .map((known) => clientTool(known, { picture, deferred: !isDirect }));
  const [direct, hidden] = [made(true), made(false)];
  const deferred = [...ownDeferred, ...hidden];
  const reached = { listed: direct, searched: deferred };
  const searching =
    searchesElsewhere || deferred.length === 0 ? [] : [toolSearchTool(() => reached), callToolTool(() => reached)];
  const announced = (isChosen: ToolFilter['isChosen']): Announced =>
    newsOf([
      ...ownDeferred.map(({ name }) => ({ name, namespace: ofProgram })),
      ...all.filter((tool) => !shown.has(tool.name) && isChosen(tool)),
    ]);
  const digest = shortTextHash(JSON.stringify([settings.clientTools, [...shown]]));
  return { tools: [...direct, ...searching, ...hidden], deferred, announced, tokens, digest };
}

function newsOf(deferred: readonly Pick<CallableTool, 'name' | 'namespace'>[]): Announced {
  const groups = new Map(deferred.map(({ namespace = ungrouped }) => [namespace.name, namespace]));
  return [...groups.values()].map(({ name, description }) => {
    const names = deferred.filter(({ namespace = ungrouped }) => namespace.name === name).map((each) => each.name);
    const more = names.length > 8 ? ` and ${names.length - 8} more` : '';
    const said = `${description} Tools: ${names.slice(0, 8).join(', ')}${more}`;
    return { name, description: [...said].slice(0, longestNews).join('') };
  });
}
