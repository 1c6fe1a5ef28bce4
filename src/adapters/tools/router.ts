import { canAskForMore } from '../../core/envelope/capabilities.ts';
import type { Policy } from '../../core/envelope/policy.ts';
import type { Step } from '../../core/envelope/envelope.ts';
import { selectTools, isToolChosen, couldPrefixBeChosen, reachesDeferred } from '../../core/envelope/settings.ts';
import type { ToolChoice } from '../../core/envelope/settings.ts';
import { badArgumentsText, unknownToolText } from '../../core/fragments/answers/tool-calls.ts';
import type { ToolSpec } from '../../ports/model.ts';
import { defined } from '../../base/objects.ts';
import type { CallItem } from '../../protocol/item.ts';
import {
  findUnstorableText,
  isNestedTooDeeply,
  loneSurrogateWords,
  mostLevels,
  parseJsonObject,
} from '../../protocol/json.ts';
import type { StepFacts, ToolTraits } from '../../core/envelope/facts.ts';
import { prepareCall, type CallPreparation, reportUnknownArguments, type Tool } from './tool.ts';

/** The tools of a thread. They may change between steps; a step offers those of its own moment. */
export interface ToolRouter {
  readonly tools: readonly ToolTraits[];
  /** Names that several current tools share: only the first of these tools is offered. */
  readonly clashes: readonly string[];
  /**
   * Specs of the named tools in a fixed order; ignores unknown names. Returns the same array until tools change. If the
   * policy lets calls ask for more, the specs show how; with `plain` they never do.
   */
  specs(names: readonly string[], policy: OfferingPolicy | 'plain'): readonly ToolSpec[];
  /** Data about tools for texts that announce them outside the list of tools. */
  announced(isUsable: ToolFilter['isUsable']): ToolNews;
  /** Call this when history was rewritten. Sources that kept their tools to preserve the prefix may now change them. */
  renew(): void;
  /** Finds the tool for a call of a step, among the offered and the deferred ones. */
  prepare(call: CallItem, step: Step): CallPreparation | Promise<CallPreparation>;
}

type OfferingPolicy = Parameters<typeof canAskForMore>[0] & Pick<Policy, 'answersOnce'>;
type ToolNews = Pick<StepFacts, 'deferredTools' | 'mcpServers'>;

export interface ToolFilter {
  /** The policy lets calls of it run. */
  isUsable(tool: Pick<ToolTraits, 'name' | 'mcp'>): boolean;
  /** The thread includes the tool, if it exists. */
  isChosen(tool: Pick<Tool, 'name' | 'isOwn'>): boolean;
  /** The thread may include tools with this prefix, if they exist. */
  canBeChosen(prefix: string): boolean;
}

/** Returns the same array until its tools change. `renew`: history was rewritten, so they may. */
export type ToolSource = (() => readonly Tool[]) & {
  readonly renew?: () => void;
  readonly announced?: (view: ToolFilter) => ToolNews;
};

/** If two tools have one name, that of the earlier source counts. Tools that are not chosen do not exist. */
export function createToolRouter(sources: readonly ToolSource[], choice: ToolChoice = {}): ToolRouter {
  let given: readonly (readonly Tool[])[] = [];
  let clashes: readonly string[] = [];
  const byName = new Map<string, Tool>();
  const planned = new Map<string, readonly ToolSpec[]>();
  const current = (): ReadonlyMap<string, Tool> => {
    const now = sources.map((source) => source());
    if (now.every((tools, i) => tools === given[i])) return byName;
    given = now;
    planned.clear();
    byName.clear();
    const all = selectTools(now.flat(), choice);
    for (const tool of all) if (!byName.has(tool.name)) byName.set(tool.name, tool);
    clashes = all.flatMap((tool) => (byName.get(tool.name) === tool ? [] : [tool.name]));
    return byName;
  };
  return {
    get tools() {
      return [...current().values()];
    },
    get clashes() {
      current();
      return clashes;
    },
    specs(names, policy) {
      const tools = [...current().values()];
      const asks = policy !== 'plain' && canAskForMore(policy, 'sandbox');
      const savesRules = policy !== 'plain' && policy.answersOnce !== true;
      const key = [asks, savesRules, ...names].join('\n');
      const specOf = (tool: Tool): ToolSpec => (asks ? tool.askingSpec?.({ savesRules }) : undefined) ?? tool.spec;
      const specs = planned.get(key) ?? tools.filter(({ name }) => names.includes(name)).map(specOf);
      planned.set(key, specs);
      return specs;
    },
    announced(isUsable) {
      const isChosen: ToolFilter['isChosen'] = (tool) => isToolChosen(tool, choice);
      const view = { isUsable, isChosen, canBeChosen: (prefix: string) => couldPrefixBeChosen(prefix, choice) };
      const news = sources.flatMap((source) => source.announced?.(view) ?? []);
      const deferredTools = reachesDeferred(choice) ? news.flatMap((each) => each.deferredTools ?? []) : [];
      const mcpServers = news.find((each) => each.mcpServers !== undefined)?.mcpServers;
      return { ...(deferredTools.length === 0 ? {} : { deferredTools }), ...defined({ mcpServers }) };
    },
    renew() {
      for (const source of sources) source.renew?.();
    },
    prepare(call, step) {
      const offered = step.tools.flatMap(({ name }) => (typeof name === 'string' ? [name] : []));
      const found = current().get(call.name);
      // An MCP tool that is unlisted because it cannot be approved says so itself.
      const isKnown = offered.includes(call.name) || found?.deferred === true || found?.mcp !== undefined;
      const tool = isKnown ? found : undefined;
      if (tool === undefined) return { kind: 'refused', output: unknownToolText(call.name, offered) };
      const input = call.type === 'function_call' ? call.arguments : call.input;
      const odd = call.type === 'function_call' ? oddArgument(input) : oddPatch(input);
      if (odd !== undefined) return { kind: 'refused', output: badArgumentsText(odd) };
      const noted = (prepared: CallPreparation): CallPreparation => reportUnknownArguments(tool, call, prepared);
      const prepared = prepareCall(tool, { callId: call.call_id, input }, step);
      return prepared instanceof Promise ? prepared.then(noted) : noted(prepared);
    },
  };
}

/** JSON escapes of zero bytes and surrogates: well-formed JSON text can contain these in no other way. */
const suspicious = /\\u(?:0000|d[89a-f])/i;

/** The problem with arguments that cannot be passed to the system; undefined if there is none. */
function oddArgument(text: string): string | undefined {
  if (isNestedTooDeeply(text, mostLevels)) return `they have more than ${mostLevels} levels of lists and objects.`;
  if (text.isWellFormed() && !suspicious.test(text)) return undefined;
  const odd = findUnstorableText(parseJsonObject(text));
  return odd && `${odd.at === '' ? 'They' : `\`${odd.at}\``} must not hold ${odd.what}.`;
}

/** A file may contain zero bytes, so only the paths of a patch may not; the tool checks them. */
const oddPatch = (text: string): string | undefined =>
  text.isWellFormed() ? undefined : `It must not hold ${loneSurrogateWords}.`;
