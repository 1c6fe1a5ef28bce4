import type { ClientTool } from '../../protocol/client-tool.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ApprovalPolicy, PermissionProfile } from '../../protocol/permissions.ts';
import type { ApprovalsReviewer } from '../../protocol/question.ts';
import { nearestConfigKey } from '../config/keys/check-values.ts';
import { words } from '../config/keys/key-kinds.ts';
import type { ProjectTrust } from '../config/project-trust.ts';
import type { ShellEnvironmentPolicy } from '../policy/environment/shell-environment-policy.ts';
import type { NetworkRule, RuleSet } from '../policy/rules/rule-set.ts';

/** Choices for a thread. A turn never sees them change: it has the envelope resolved from them. */
export interface Settings extends ToolChoice {
  readonly model: string;
  readonly provider: string;
  /** Absent, like summary and verbosity: the model's default. */
  readonly effort?: string;
  /** For turns in plan mode. Absent: as in other turns. */
  readonly planEffort?: string;
  readonly summary?: string;
  readonly verbosity?: string;
  readonly serviceTier?: string;
  /** Absolute. */
  readonly cwd: string;
  readonly approvals: ApprovalPolicy;
  /** The thread's own choice, when the surface overrides it for its lifetime; resume uses this one. */
  readonly askedApproval?: ApprovalPolicy;
  /** Answers the policy's questions. Absent: the user. */
  readonly reviewer?: ApprovalsReviewer;
  readonly reviewPolicy?: string;
  readonly sandbox: PermissionProfile;
  readonly shellEnvironment: ShellEnvironmentPolicy;
  /** From the rules files. Absent: there are none. */
  readonly rules?: RuleSet;
  readonly approvedPrefixes?: readonly (readonly string[])[];
  readonly networkRules?: readonly NetworkRule[];
  /** Replaces the model's own instructions when a thread starts. */
  readonly baseInstructions?: string;
  readonly developerInstructions?: string;
  readonly managedInstructions?: string;
  readonly compactPrompt?: string;
  /** The way to request checkpoints; the configuration's `auto` leaves it out. */
  readonly compaction?: 'structured' | 'plain' | 'remote';
  readonly instructionRules?: Partial<Omit<InstructionRules, 'cwd' | 'trusted'>>;
  readonly collaboration?: CollaborationSetting;
  readonly personality?: Personality;
  readonly realtime?: RealtimeSetting;
  readonly leaveOut?: readonly OmittedContext[];
  readonly clientTools?: readonly ClientTool[];
  /** The thread was started read-only: commands write nowhere unless the user's answer lets one leave the sandbox. */
  readonly changesNothing?: true;
  /** Feature gates by name; an absent gate has its default. */
  readonly features?: Readonly<Record<string, boolean>>;
  readonly window?: WindowSettings;
  readonly editTools?: EditTools;
  readonly limits?: TurnLimits;
  /** Continues a turn whose failure another model may not have. Absent: no fallback. */
  readonly fallback?: { readonly model: string; readonly provider?: string };
  /** Sources of settings. Parts of `window`, `limits`, `instructionRules`, `realtime` have names of their own. */
  readonly origins?: Readonly<Record<string, string>>;
}

export interface TurnSettings extends Settings {
  readonly outputSchema?: JsonObject;
  /** OpenAI's program that permits security work in the turn. */
  readonly cyberAccessProgram?: string;
}

/** `patch`: by patches. `edit`: by replacing text, with tools that read and search files. */
export type EditTools = 'patch' | 'edit';
export type CollaborationMode = 'default' | 'plan';

export interface CollaborationSetting {
  readonly mode: CollaborationMode;
  /** A client's own guidance for the mode, instead of ours. */
  readonly instructions?: string;
}

export type Personality = 'none' | 'friendly' | 'pragmatic';
export type RealtimeSetting = { readonly active: boolean; readonly startInstructions?: string };
export type OmittedContext = 'permissions' | 'collaboration-mode' | 'environment' | 'apps' | 'skills';

/** Every number is optional; defaults come from the model or from `window.ts`. */
export interface WindowSettings {
  /** Tokens; at most the largest window that the catalogue knows of the model. */
  readonly contextWindow?: number;
  readonly effectivePercent?: number;
  /** The effective window in tokens; overrides the share. */
  readonly effectiveTokens?: number;
  readonly autoCompactPercent?: number;
  /** Can only lower what the share gives. */
  readonly autoCompactTokens?: number;
  /** `body`: the limit ignores what the first request since the newest checkpoint held. */
  readonly autoCompactScope?: 'total' | 'body';
  readonly skillsPercent?: number;
  readonly skillsTokens?: number;
  readonly memoryPercent?: number;
  readonly reservePercent?: number;
  /** Tokens that the display assumes in every request. */
  readonly baselineTokens?: number;
  readonly toolOutputTokens?: number;
}

/** Limits that include agents, compactions and reviews. Tokens: uncached input plus output. Costs: US dollars. */
export interface SpendingLimits {
  readonly turnTokens?: number;
  readonly threadTokens?: number;
  readonly turnCost?: number;
  readonly threadCost?: number;
}

export interface TurnLimits extends SpendingLimits {
  /** Usage of the turn that this one continues; limits on a turn count both. Absent: it continues none. */
  readonly continued?: { readonly tokens: number; readonly nanoUsd: number; readonly unpriced: number };
}

export interface InstructionRules {
  /** Absolute, as written: links are not resolved, and parents are those of its spelling. */
  readonly cwd: string;
  /** A project marked untrusted gives no instructions; an undecided one does. */
  readonly trusted: ProjectTrust;
  /** For all files of the project together; 0 leaves them out. The personal file has a limit of its own. */
  readonly maxBytes: number;
  /** Alternatives in a folder without AGENTS.md, in order of preference. */
  readonly fallbackFilenames: readonly string[];
  /** Entries that mark a project's root. Without any, the working folder is the project. */
  readonly rootMarkers: readonly string[];
}

/** The choice among all tools. A name that ends with `*` is a prefix, such as `mcp__*`. */
export interface ToolChoice {
  /** Excludes all others, including tools of later versions. Empty: no tools at all. Absent: all. */
  readonly onlyTools?: readonly string[];
  readonly withoutTools?: readonly string[];
}

/** Tools that follow the choice of another tool: they are useless without it, or are another form of it. */
const companionOf: Readonly<Record<string, string>> = {
  write_stdin: 'exec_command',
  web_search_unlimited: 'web_search',
};

/** These come with every chosen deferred tool: otherwise the choice would fail in windows too small to list it. */
const reachingTools: readonly string[] = ['tool_search', 'call_tool'];

export function selectTools<Known extends ChosenBy>(all: readonly Known[], choice: ToolChoice): readonly Known[] {
  const isDeferred = all.some((tool) => tool.deferred === true && isToolChosen(tool, choice));
  const reaches = ({ name }: Known): boolean =>
    isDeferred && reachingTools.includes(name) && !isNamed(name, choice.withoutTools ?? []);
  return all.filter((tool) => isToolChosen(tool, choice) || reaches(tool));
}

export const reachesDeferred = ({ withoutTools = [] }: ToolChoice): boolean =>
  !reachingTools.some((name) => isNamed(name, withoutTools));

type ChosenBy = { readonly name: string; readonly isOwn?: true; readonly deferred?: boolean };

/** `isOwn`: the tool comes from the one who made the choice, so the choice does not apply to it. */
export function isToolChosen(
  { name, isOwn }: { readonly name: string; readonly isOwn?: true },
  { onlyTools, withoutTools = [] }: ToolChoice,
): boolean {
  if (isOwn === true) return true;
  const names = [name, ...(companionOf[name] === undefined ? [] : [companionOf[name]])];
  if (names.some((each) => isNamed(each, withoutTools))) return false;
  return onlyTools === undefined || names.some((each) => isNamed(each, onlyTools));
}

/** True if some chosen tool could have a name with this prefix. */
export function couldPrefixBeChosen(prefix: string, { onlyTools, withoutTools = [] }: ToolChoice): boolean {
  const starts = (each: string): string => (each.endsWith('*') ? each.slice(0, -1) : each);
  if (withoutTools.some((each) => each.endsWith('*') && prefix.startsWith(starts(each)))) return false;
  const fits = (each: string): boolean =>
    starts(each).startsWith(prefix) || (each.endsWith('*') && prefix.startsWith(starts(each)));
  return onlyTools === undefined || onlyTools.some(fits);
}

const isNamed = (name: string, patterns: readonly string[]): boolean =>
  patterns.some((each) => (each.endsWith('*') ? name.startsWith(each.slice(0, -1)) : each === name));

/** If true, nothing that only provides tools needs to be started. */
export const allowsNoTools = ({ onlyTools }: ToolChoice): boolean => onlyTools?.length === 0;

const builtInNames = words(`
  apply_patch call_tool close_agent create_goal current_time edit_file exec_command get_context_remaining get_goal
  image_generation list_agents list_mcp_resource_templates list_mcp_resources new_context read_file read_mcp_resource
  request_permissions request_user_input search send_input sleep spawn_agent tool_search update_goal update_plan
  view_image wait_agent web_search write_stdin
`);

const shellNames: readonly string[] = ['bash', 'local_shell', 'shell'];

interface KnownTools {
  readonly names: readonly string[];
  /** Prefixes for configured MCP servers, whose tools are unknown until they run. */
  readonly prefixes: readonly string[];
}

/** Finds a name that no tool can have: a misspelling would leave a tool in or out. */
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

/** Longer server tool names are cut and end in a digest. */
const mostPrefix = 51;

function nearestTool(written: string, known: readonly string[], prefixes: readonly string[]): string | undefined {
  if (shellNames.includes(written.toLowerCase())) return 'exec_command';
  const [server, tool] = /^(mcp__.*?__)(.*)$/.exec(written)?.slice(1) ?? [];
  const prefix = server === undefined ? undefined : nearestConfigKey(server, prefixes);
  return prefix === undefined ? nearestConfigKey(written, known) : prefix + tool!;
}
