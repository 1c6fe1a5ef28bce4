import type { NetworkRule } from '../policy/network/network-rules.ts';
import type { RuleSet } from '../policy/rules/rule-set.ts';
import type { ShellEnvironmentPolicy } from '../policy/shell-environment-policy.ts';
import type { ClientTool } from '../protocol/client-tool.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { ApprovalPolicy, PermissionProfile } from '../protocol/permission-profile.ts';
import type { ApprovalsReviewer } from '../protocol/review-verdict.ts';
import type { Trust } from '../config/trust.ts';
import type { ToolChoice } from './tool-choice.ts';

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
