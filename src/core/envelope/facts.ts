import type { ProjectTrust } from '../config/project-trust.ts';
import type { PermissionPlaces } from '../policy/paths/special-places.ts';
import type { ProviderSampling } from '../config/providers/provider-config.ts';
import type { ProviderCapabilities } from '../../ports/model.ts';
import type { StandingGrants } from '../policy/grants/granted-policy.ts';
import type { ThreadId, TurnId } from '../../protocol/ids.ts';
import type { Catalogue } from './model-record.ts';
import type { CollaborationMode, EditTools } from './settings.ts';
import type { PriceEntry } from './prices.ts';
import type { CallNeeds } from '../policy/decide/call-decision.ts';
import type { QuestionTopic } from '../policy/decide/approval-policy.ts';

/** The state of the world at the start of a turn. Gathered once, by `gather/`; resolvers read nothing else. */
export interface GatheredFacts {
  readonly time: TimeFacts;
  readonly shell: { readonly name: string; readonly path: string };
  /** Targets of a permission profile's symbols. */
  readonly places: PermissionPlaces;
  /** The decision about the project that holds the working folder. */
  readonly trust: ProjectTrust;
  readonly catalogue: Catalogue;
  /** Prices of models, the user's first. Absent: none known. */
  readonly prices?: readonly PriceEntry[];
  readonly client: ClientFacts;
  readonly provider?: ProviderFacts;
  /** Optional capabilities that were found. Absent: not looked for, or there are none. */
  readonly found?: FoundCapabilities;
  readonly readiness?: Readonly<Record<string, 'ready' | 'starting'>>;
  /** The caller's trace, as 32 hexadecimal digits. */
  readonly traceId?: string;
}

export interface ProviderFacts {
  /** Contains no secrets. */
  readonly address?: string;
  readonly wire?: string;
  readonly accessPrograms?: ProviderCapabilities['accessPrograms'];
  readonly sampling?: ProviderSampling;
}

export interface TurnFacts extends GatheredFacts {
  readonly thread: ThreadFacts;
  readonly tools: readonly ToolTraits[];
  readonly canAsk?: true;
  /** Answers on that surface save no rule. */
  readonly answersOnce?: true;
}

export interface ThreadFacts {
  readonly id: ThreadId;
  readonly turnId: TurnId;
  /** The beginning of this thread's requests at the start of the turn, once the thread has started. */
  readonly base?: BaseInstructions;
  /** Windows that servers named when they refused requests of this thread. */
  readonly windows?: readonly ReportedWindow[];
}

/** A server's claim: it may narrow what is configured, never widen it. */
export interface ReportedWindow {
  readonly provider: string;
  readonly model: string;
  readonly tokens: number;
  /** The window configured at that time. One that the user has configured since is newer than the claim. */
  readonly assumed: number;
}

export interface TimeFacts {
  readonly epochMs: number;
  /** Local date, `YYYY-MM-DD`. */
  readonly date: string;
  readonly timezone: string;
}

export interface ClientFacts {
  readonly name: string;
  readonly version: string;
  /** The process's origin in the words that rollouts use: `exec`, `cli`, `mcp`. */
  readonly source: string;
  /** For whom the thread was started; defaults to `user`. */
  readonly threadSource?: string;
}

export type FoundCapabilities = { readonly apps?: boolean; readonly plugins?: boolean };

export interface StepFacts {
  readonly instructionDocument: InstructionDocument;
  readonly date: string;
  /** The current beginning of requests. Absent: unchanged since the turn began. */
  readonly base?: BaseInstructions;
  /** The user's grants beyond the policy of the turn. Absent: none. */
  readonly granted?: StandingGrants;
  /** Command prefixes that are approved for good by now. Absent: those of the turn's policy. */
  readonly approvedPrefixes?: readonly (readonly string[])[];
  /** Output of hooks when the thread was opened, in their order. Absent: none. */
  readonly sessionContext?: readonly string[];
  /** Groups of tools that are found by searching. Absent: none. */
  readonly deferredTools?: readonly { readonly name: string; readonly description: string }[];
  readonly mcpServers?: Omit<McpNews, 'deferred'>;
  readonly skills?: SkillCatalogue;
  /** Memories of earlier threads. Absent: none, or not wanted. */
  readonly memory?: { readonly summary: string; readonly folder: string };
  readonly pins?: readonly { readonly id: string; readonly text: string }[];
  /** Commands that ran as sessions when history was compacted, oldest first. `since`: UTC, to the minute. */
  readonly sessions?: readonly { readonly id: number; readonly command: string; readonly since: string }[];
  /** The thread's agents when history was compacted, oldest first. `stands`: `working`, or how the last work ended. */
  readonly agents?: readonly { readonly path: string; readonly role: string; readonly stands: string }[];
}

/** News of MCP servers for the model, besides the listed tools. Every text is bounded. */
export interface McpNews {
  readonly deferred: NonNullable<StepFacts['deferredTools']>;
  readonly notes: readonly McpServerNote[];
  readonly instructions: readonly { readonly server: string; readonly text: string }[];
}

/** Texts are empty where there is nothing to say. */
interface McpServerNote {
  readonly server: string;
  readonly problem: string;
  /** Listed tools whose description has changed, with their parameters. */
  readonly changed: string;
  readonly gone: string;
  /** Tools that no call can use: each needs an approval, and there is no one to ask. */
  readonly unasked: string;
}

export interface SkillCatalogue {
  /** Aliases for the folders that the paths below begin with. */
  readonly roots: readonly { readonly alias: string; readonly path: string }[];
  readonly skills: readonly ListedSkill[];
  readonly left: number;
}

export interface ListedSkill {
  readonly name: string;
  /** Empty if there is no space for it. */
  readonly description: string;
  /** The SKILL.md: absolute, or beginning with a root's alias. */
  readonly path: string;
}

/** The text of all applicable AGENTS.md files, joined and cut to size. */
export interface InstructionDocument {
  /** The folder whose project files are included; absent when only the personal file is. */
  readonly directory?: string;
  readonly text?: string;
}

/** `model`: the catalogue's text for that model. `custom`: chosen by the user or a program. */
export interface BaseInstructions {
  readonly text: string;
  readonly provenance: { readonly type: 'model'; readonly model: string } | { readonly type: 'custom' };
}

export interface ToolTraits {
  readonly name: string;
  /** The least effect of every call. Absent: nothing that the policy governs. */
  readonly effect?: NonNullable<CallNeeds['effect']>;
  /** Not offered where the user cannot be asked about this topic. */
  readonly asksAbout?: QuestionTopic;
  /** Found by searching instead of being listed. */
  readonly deferred?: true;
  readonly mcp?: NonNullable<CallNeeds['mcp']>;
  readonly givesPictures?: true;
  /** Absent: offered in every turn. */
  readonly offeredIn?: (turn: TurnOffering) => boolean;
}

export interface TurnOffering {
  readonly mode: CollaborationMode;
  readonly features: readonly string[];
  readonly editTools: EditTools;
  readonly isUnlimited: boolean;
  readonly hasUser: boolean;
}
