import type { ClientTool } from '../../protocol/client-tool.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ApprovalPolicy, PermissionProfile } from '../../protocol/permissions.ts';
import type { ApprovalsReviewer } from '../../protocol/question.ts';
import { nearestKey } from '../config/keys/check-values.ts';
import type { Trust } from '../config/project-trust.ts';
import type { ShellEnvironmentPolicy } from '../policy/environment/shell-environment-policy.ts';
import type { NetworkRule, RuleSet } from '../policy/rules/rule-set.ts';

/** What was chosen for a thread. A turn never sees a change of these: it has the envelope resolved from them. */
export interface Settings extends ToolChoice {
  readonly model: string;
  readonly provider: string;
  /** Absent, like summary and verbosity: the default of the model. */
  readonly effort?: string;
  /** Of turns in plan mode. Absent: as in other turns. */
  readonly planEffort?: string;
  readonly summary?: string;
  readonly verbosity?: string;
  readonly serviceTier?: string;
  /** Absolute. */
  readonly cwd: string;
  readonly approvals: ApprovalPolicy;
  /** What the thread chose, where the surface holds another policy for as long as it runs: resume goes by this one. */
  readonly askedApproval?: ApprovalPolicy;
  /** Who answers what the policy asks. Absent: the user. */
  readonly reviewer?: ApprovalsReviewer;
  /** What a reviewer also reads. */
  readonly reviewPolicy?: string;
  /** Symbolic: workspace roots and temporary folders are filled in when a turn is resolved. */
  readonly sandbox: PermissionProfile;
  readonly shellEnvironment: ShellEnvironmentPolicy;
  /** Of the rules files. Absent: there are none. */
  readonly rules?: RuleSet;
  /** Beginnings of commands that the rules allow. */
  readonly approvedPrefixes?: readonly (readonly string[])[];
  readonly networkRules?: readonly NetworkRule[];
  /** Replaces the model's own instructions when a thread starts. */
  readonly baseInstructions?: string;
  readonly developerInstructions?: string;
  /** From the administrator of the machine. */
  readonly managedInstructions?: string;
  readonly compactPrompt?: string;
  /** How checkpoints are asked for; `auto` of the configuration is no choice and leaves it out. */
  readonly compaction?: 'structured' | 'plain' | 'remote';
  readonly instructionRules?: Partial<Omit<InstructionRules, 'cwd' | 'trusted'>>;
  readonly collaboration?: CollaborationSetting;
  readonly personality?: Personality;
  readonly realtime?: RealtimeSetting;
  /** Parts of the context that the configuration turned off. */
  readonly leaveOut?: readonly OmittedContext[];
  /** Tools that the client defined and answers. */
  readonly clientTools?: readonly ClientTool[];
  /** The thread was started to change nothing: its commands write nowhere, and only an answer of the user lets one out. */
  readonly changesNothing?: true;
  /** Feature gates by name; a name that is absent is off. */
  readonly features?: Readonly<Record<string, boolean>>;
  readonly window?: WindowSettings;
  /** How the model edits files. Absent: as it does best. */
  readonly editTools?: EditTools;
  /** Absent: no limit. */
  readonly limits?: TurnLimits;
  /** What continues a turn that fails for a cause that another model may not have. Absent: nothing does. */
  readonly fallback?: { readonly model: string; readonly provider?: string };
  /**
   * Who decided each of these, by name: a layer of the configuration, a flag, the thread's own past, an override. The
   * parts of `window`, `limits`, `instructionRules` and `realtime` have names of their own, such as `window.skillsPercent`.
   */
  readonly origins?: Readonly<Record<string, string>>;
}

/** What holds for one turn and is forgotten with it. */
export interface TurnSettings extends Settings {
  /** The answer must be JSON of this shape. */
  readonly outputSchema?: JsonObject;
  /** The program of OpenAI under which the turn is let work on security. */
  readonly cyberAccessProgram?: string;
}

/** `patch`: by patches. `edit`: by replacing text, with tools that read and search files. */
export type EditTools = 'patch' | 'edit';

export type CollaborationMode = 'default' | 'plan';

export interface CollaborationSetting {
  readonly mode: CollaborationMode;
  /** A client's own guidance for the mode, in place of ours. */
  readonly instructions?: string;
}

export type Personality = 'none' | 'friendly' | 'pragmatic';

export interface RealtimeSetting {
  readonly active: boolean;
  /** Sent when it begins, in place of our text. */
  readonly startInstructions?: string;
}

export type OmittedContext = 'permissions' | 'collaboration-mode' | 'environment' | 'apps' | 'skills';

/** Every number is optional: what is absent comes from the model or from `window.ts`. */
export interface WindowSettings {
  /** Tokens; at most the largest window that the catalogue knows of the model. */
  readonly contextWindow?: number;
  /** Share of the model's window that is used. */
  readonly effectivePercent?: number;
  /** The effective window itself, in tokens; beats the share. */
  readonly effectiveTokens?: number;
  readonly autoCompactPercent?: number;
  /** Only lowers what the share gives. */
  readonly autoCompactTokens?: number;
  /** `body`: only what came after the first request since the newest checkpoint is held against the limit. */
  readonly autoCompactScope?: 'total' | 'body';
  readonly skillsPercent?: number;
  /** Tokens of the list of skills, in place of its share. */
  readonly skillsTokens?: number;
  readonly memoryPercent?: number;
  readonly reservePercent?: number;
  /** Tokens that the display takes as given in every request. */
  readonly baselineTokens?: number;
  /** Tokens of one tool output that may enter history. */
  readonly toolOutputTokens?: number;
}

/**
 * What a turn and a thread may spend, agents, compactions and reviews included. Tokens: input that was not in the cache
 * of the provider, and output. Costs: US dollars. What is absent has no limit.
 */
export interface SpendingLimits {
  readonly turnTokens?: number;
  readonly threadTokens?: number;
  readonly turnCost?: number;
  readonly threadCost?: number;
}

/** The limits of one turn. */
export interface TurnLimits extends SpendingLimits {
  /** What the turn used that this one continues: limits on a turn count both. Absent: it continues none. */
  readonly continued?: { readonly tokens: number; readonly nanoUsd: number; readonly unpriced: number };
}

/** Which AGENTS.md files apply to a turn, and how much of them. */
export interface InstructionRules {
  /** Absolute, as it was written: links in it are kept, and its parents are the ones in its spelling. */
  readonly cwd: string;
  /** A project that was called untrusted gives no instructions. One without a decision does. */
  readonly trusted: Trust;
  /** For all files of the project together; 0 leaves them out. The personal file has a limit of its own. */
  readonly maxBytes: number;
  /** Names that serve in a folder without AGENTS.md, in order of preference. */
  readonly fallbackFilenames: readonly string[];
  /** What stands in the root of a project. Without any, the working folder is the project. */
  readonly rootMarkers: readonly string[];
}

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
export function selectTools<Known extends ChosenBy>(all: readonly Known[], choice: ToolChoice): readonly Known[] {
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
export function couldBeChosen(prefix: string, { onlyTools, withoutTools = [] }: ToolChoice): boolean {
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
export function allowsNoTools({ onlyTools }: ToolChoice): boolean {
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
