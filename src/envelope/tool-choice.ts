import { nearestKey } from '../config/nearest-key.ts';
import type { Outcome } from '../protocol/outcome.ts';

/**
 * Which tools a thread has, of all that there are. A name that ends with `*` stands for all names that begin so, such as
 * `mcp__*`.
 */
export interface ToolChoice {
  /** No others, also none that a later version adds. Empty: no tools at all. Absent: all. */
  readonly onlyTools?: readonly string[];
  /** None of these. */
  readonly withoutTools?: readonly string[];
}

/** These have no choice of their own: one is of no use without the other, or is the same tool in another form. */
const companionOf: Readonly<Record<string, string>> = {
  write_stdin: 'exec_command',
  web_search_unlimited: 'web_search',
};

/** What finds and calls deferred tools. They come with each chosen tool that is deferred: otherwise a choice would hold only for windows that list it. */
const reachingTools: readonly string[] = ['tool_search', 'call_tool'];

/** Those of the tools that a thread has. */
export function chosenTools<Known extends ChosenBy>(all: readonly Known[], choice: ToolChoice): readonly Known[] {
  const isDeferred = all.some((tool) => tool.deferred === true && isChosen(tool, choice));
  const reaches = ({ name }: Known): boolean =>
    isDeferred && reachingTools.includes(name) && !isNamed(name, choice.withoutTools ?? []);
  return all.filter((tool) => isChosen(tool, choice) || reaches(tool));
}

/** Whether a choice leaves a way to deferred tools. */
export function reachesDeferred({ withoutTools = [] }: ToolChoice): boolean {
  return !reachingTools.some((name) => isNamed(name, withoutTools));
}

interface ChosenBy {
  readonly name: string;
  readonly isOwn?: true;
  readonly deferred?: boolean;
}

/** `isOwn`: it comes from the one who chooses, so that the choice is not about it. */
export function isChosen(
  { name, isOwn }: { readonly name: string; readonly isOwn?: true },
  { onlyTools, withoutTools = [] }: ToolChoice,
): boolean {
  if (isOwn === true) return true;
  const names = [name, ...(companionOf[name] === undefined ? [] : [companionOf[name]])];
  if (names.some((each) => isNamed(each, withoutTools))) return false;
  return onlyTools === undefined || names.some((each) => isNamed(each, onlyTools));
}

/** Whether there could be a tool that is chosen and whose name begins so. */
export function canBeChosen(prefix: string, { onlyTools, withoutTools = [] }: ToolChoice): boolean {
  const starts = (each: string): string => (each.endsWith('*') ? each.slice(0, -1) : each);
  if (withoutTools.some((each) => each.endsWith('*') && prefix.startsWith(starts(each)))) return false;
  const fits = (each: string): boolean =>
    starts(each).startsWith(prefix) || (each.endsWith('*') && prefix.startsWith(starts(each)));
  return onlyTools === undefined || onlyTools.some(fits);
}

function isNamed(name: string, patterns: readonly string[]): boolean {
  return patterns.some((each) => (each.endsWith('*') ? name.startsWith(each.slice(0, -1)) : each === name));
}

/** Whether no tool can be chosen: what brings tools need not be started. */
export function choosesNone({ onlyTools }: ToolChoice): boolean {
  return onlyTools?.length === 0;
}

/** Every tool that Capstan itself may offer, in some configuration. */
const builtInNames: readonly string[] = `
  apply_patch call_tool close_agent create_goal current_time edit_file exec_command get_context_remaining get_goal
  image_generation list_agents list_mcp_resource_templates list_mcp_resources new_context read_file read_mcp_resource
  request_permissions request_user_input search send_input sleep spawn_agent tool_search update_goal update_plan
  view_image wait_agent web_search write_stdin
`
  .trim()
  .split(/\s+/);

/** Names that other programs have for them. */
const otherNames: Readonly<Record<string, string>> = {
  bash: 'exec_command',
  local_shell: 'exec_command',
  shell: 'exec_command',
};

interface KnownTools {
  /** Tools that the program and its clients bring. */
  readonly names: readonly string[];
  /** Prefixes of the tools of configured MCP servers: the tools themselves are known once a server runs. */
  readonly prefixes: readonly string[];
}

/** A misspelt name would leave a tool in, or out: each must be one that there can be. */
export function unknownToolIn(choice: ToolChoice, { names, prefixes }: KnownTools): Outcome | undefined {
  const known = [...builtInNames, ...names];
  const isKnown = (written: string): boolean => {
    if (!written.endsWith('*'))
      return known.includes(written) || prefixes.some((each) => written.startsWith(each.slice(0, mostPrefix)));
    const start = written.slice(0, -1);
    const begun = [...known, ...prefixes, 'mcp__'].some((each) => each.startsWith(start));
    return begun || prefixes.some((each) => start.startsWith(each));
  };
  for (const option of ['onlyTools', 'withoutTools'] as const) {
    const written = choice[option]?.find((each) => !isKnown(each));
    if (written === undefined) continue;
    const nearest = nearestTool(written, known, prefixes);
    const what = written.endsWith('*') ? 'No tool has a name that begins as' : 'There is no tool';
    const message = `${what} ${JSON.stringify(written)} in ${option}.`;
    return nearest === undefined
      ? { code: 'option-wrong', message, next: `Remove it, or use ${known.join(', ')}.` }
      : { code: 'option-wrong', message: `${message} Did you mean ${nearest}?`, next: 'Correct or remove it.' };
  }
  return undefined;
}

/** Longer names of servers' tools are cut and end in a digest. */
const mostPrefix = 51;

function nearestTool(written: string, known: readonly string[], prefixes: readonly string[]): string | undefined {
  const other = written.toLowerCase();
  if (Object.hasOwn(otherNames, other)) return otherNames[other];
  const [server, tool] = /^(mcp__.*?__)(.*)$/.exec(written)?.slice(1) ?? [];
  const prefix = server === undefined ? undefined : nearestKey(server, prefixes);
  return prefix === undefined ? nearestKey(written, known) : prefix + tool!;
}
