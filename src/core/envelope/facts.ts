import type { Trust } from '../config/project-trust.ts';
import type { Places } from '../policy/paths/special-places.ts';
import type { ProviderSampling } from '../config/providers/provider-config.ts';
import type { ProviderCapabilities } from '../../ports/model.ts';
import type { StandingGrants } from '../policy/grants/granted-policy.ts';
import type { ThreadId, TurnId } from '../../protocol/ids.ts';
import type { Catalogue } from './model-record.ts';
import type { CollaborationMode, EditTools } from './settings.ts';
import type { PriceEntry } from './prices.ts';
import type { CallNeeds } from '../policy/decide/call-decision.ts';
import type { QuestionTopic } from '../policy/decide/approval-policy.ts';

/** What is true of the world at the start of a turn. Gathered once, by `gather/`; resolvers read nothing else. */
export interface Facts {
  readonly time: TimeFacts;
  readonly shell: { readonly name: string; readonly path: string };
  /** Where symbols of a permission profile point to. */
  readonly places: Places;
  /** What is decided about the project that holds the working folder. */
  readonly trust: Trust;
  readonly catalogue: Catalogue;
  /** Prices of models, those that the user set first. Absent: none is known. */
  readonly prices?: readonly PriceEntry[];
  readonly client: ClientFacts;
  /** Absent: not looked at. */
  readonly provider?: ProviderFacts;
  /** Optional capabilities that were found. Absent: not looked for, or there are none. */
  readonly found?: FoundCapabilities;
  /** Parts of the engine that may still be starting, by name. */
  readonly readiness?: Readonly<Record<string, 'ready' | 'starting'>>;
  /** The trace that the caller is in, as 32 hexadecimal digits. */
  readonly traceId?: string;
}

/** What is known of the provider besides its id. */
export interface ProviderFacts {
  /** Where it is reached, without anything secret. */
  readonly address?: string;
  /** The wire format that it speaks. */
  readonly wire?: string;
  readonly accessPrograms?: ProviderCapabilities['accessPrograms'];
  readonly sampling?: ProviderSampling;
}

/** The same with what the thread knows of itself. */
export interface TurnFacts extends Facts {
  readonly thread: ThreadFacts;
  /** The tools that exist. */
  readonly tools: readonly ToolTraits[];
  /** A surface puts questions to the user. Absent: none does. */
  readonly canAsk?: true;
  /** What answers there saves no rule. */
  readonly answersOnce?: true;
}

export interface ThreadFacts {
  readonly id: ThreadId;
  readonly turnId: TurnId;
  /** What requests of this thread begin with as the turn begins, once it has started. */
  readonly base?: BaseInstructions;
  /** Windows that servers named when they refused requests of this thread. */
  readonly windows?: readonly ReportedWindow[];
}

/** A claim of a server: it narrows what is configured, and never widens it. */
export interface ReportedWindow {
  readonly provider: string;
  readonly model: string;
  readonly tokens: number;
  /** What was configured then. A window that the user has configured since is newer than the claim. */
  readonly assumed: number;
}

export interface TimeFacts {
  readonly epochMs: number;
  /** Local date, `YYYY-MM-DD`. */
  readonly date: string;
  /** IANA name. */
  readonly timezone: string;
}

/** Who drives the engine. */
export interface ClientFacts {
  readonly name: string;
  readonly version: string;
  /** How the process came to be, in the words that rollouts use: `exec`, `cli`, `mcp`. */
  readonly source: string;
  /** For whom the thread was started; `user` when nothing is said. */
  readonly threadSource?: string;
}

export interface FoundCapabilities {
  readonly apps?: boolean;
  readonly plugins?: boolean;
}

/** What may move between two requests of one turn. */
export interface StepFacts {
  readonly instructionDocument: InstructionDocument;
  readonly date: string;
  /** What requests begin with now. Absent: what they began with when the turn began. */
  readonly base?: BaseInstructions;
  /** What the user granted beyond the policy of the turn. Absent: nothing. */
  readonly granted?: StandingGrants;
  /** Beginnings of commands that are approved for good by now. Absent: those of the policy of the turn. */
  readonly approvedPrefixes?: readonly (readonly string[])[];
  /** What hooks said when the thread was opened, in their order. Absent: nothing. */
  readonly sessionContext?: readonly string[];
  /** Groups of tools that are found by searching. Absent: there are none. */
  readonly deferredTools?: readonly { readonly name: string; readonly description: string }[];
  /** What there is to know of MCP servers. Absent: there are none. */
  readonly mcpServers?: Omit<McpNews, 'deferred'>;
  /** Which skills there are, within their budget. Absent: there are none, or they are not listed. */
  readonly skills?: SkillCatalogue;
  /** What is remembered of earlier threads. Absent: nothing, or it is not asked for. */
  readonly memory?: { readonly summary: string; readonly folder: string };
  /** Notes that the user pinned to the thread, oldest first. */
  readonly pins?: readonly { readonly id: string; readonly text: string }[];
  /** Commands that ran as sessions when history was compacted, oldest first. `since`: UTC, to the minute. */
  readonly sessions?: readonly { readonly id: number; readonly command: string; readonly since: string }[];
  /** Agents that the thread had when history was compacted, oldest first. `stands`: how, in a word. */
  readonly agents?: readonly { readonly path: string; readonly role: string; readonly stands: string }[];
}

/** What the model should know of MCP servers besides the tools in its list. Every text has its bound. */
export interface McpNews {
  /** Groups of deferred tools. */
  readonly deferred: NonNullable<StepFacts['deferredTools']>;
  readonly notes: readonly McpServerNote[];
  /** What servers say of themselves. */
  readonly instructions: readonly { readonly server: string; readonly text: string }[];
}

/** Each text is empty where there is nothing to say. */
interface McpServerNote {
  readonly server: string;
  /** Why it does not run, as a sentence. */
  readonly problem: string;
  /** Listed tools that it describes anew, with their parameters. */
  readonly changed: string;
  /** Listed tools that it has no more. */
  readonly gone: string;
  /** Tools that no call can use: each needs an approval for which no one can be asked. */
  readonly unasked: string;
}

/** The list of skills as the model reads it. */
export interface SkillCatalogue {
  /** Short names for the folders that paths below begin with. */
  readonly roots: readonly { readonly alias: string; readonly path: string }[];
  readonly skills: readonly ListedSkill[];
  /** How many there are besides. */
  readonly left: number;
}

export interface ListedSkill {
  readonly name: string;
  /** Empty where there is no space for one. */
  readonly description: string;
  /** Of its SKILL.md: absolute, or beginning with the alias of a root. */
  readonly path: string;
}

/** The text of all AGENTS.md files that apply, already joined and cut to size. */
export interface InstructionDocument {
  /** The folder whose project files are in it; absent when only the personal file is. */
  readonly directory?: string;
  /** Absent when no file applies. */
  readonly text?: string;
}

/** `model`: the text is the catalogue's for that model. `custom`: the user or a program chose it. */
export interface BaseInstructions {
  readonly text: string;
  readonly provenance: { readonly type: 'model'; readonly model: string } | { readonly type: 'custom' };
}

/** What decides whether a tool is offered to the model. */
export interface ToolTraits {
  readonly name: string;
  /** What every call of it does at least. Absent: nothing that the policy governs. */
  readonly effect?: NonNullable<CallNeeds['effect']>;
  /** Of no use where the user cannot be asked about it. */
  readonly asksAbout?: QuestionTopic;
  /** It is found by searching, and is not in the list of tools. */
  readonly deferred?: true;
  /** A tool of an MCP server, and what a call of it asks of the policy. */
  readonly mcp?: NonNullable<CallNeeds['mcp']>;
  /** Of no use to a model that takes no pictures. */
  readonly givesPictures?: true;
  /** Whether it is offered in such a turn. Absent: in every one. */
  readonly offeredIn?: (turn: TurnOffering) => boolean;
}

/** What a tool may go by to be offered. */
export interface TurnOffering {
  readonly mode: CollaborationMode;
  /** Gates that are open. */
  readonly features: readonly string[];
  /** How the model edits files. */
  readonly editTools: EditTools;
  /** No sandbox of ours holds commands. */
  readonly isUnlimited: boolean;
  /** The user answers questions. */
  readonly hasUser: boolean;
}
