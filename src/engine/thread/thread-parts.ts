import type { Facts, StepFacts } from '../../core/envelope/facts.ts';
import type { Envelope } from '../../core/envelope/envelope.ts';
import type { Settings, TurnSettings } from '../../core/envelope/settings.ts';
import type { Grant } from '../../core/policy/grants/grants.ts';
import type { PrefixRule } from '../../core/policy/rules/rule-set.ts';
import type { Requirements } from '../../core/policy/requirements.ts';
import type { AgentsOfThread } from '../../ports/agents.ts';
import type { AskUser, RuleBook } from '../../ports/ask-user.ts';
import type { BackgroundWork, Threads } from '../../ports/threads.ts';
import type { CommandReader } from '../../core/policy/commands/analyse-command.ts';
import type { TamperWatch } from '../../core/policy/environment/tamper-state.ts';
import type { Clock, Ids, Processes } from '../../ports/system.ts';
import type { Digester, Provider } from '../../ports/model.ts';
import type { GitGuard, Snapshots } from '../../ports/workspace.ts';
import type { Hooks } from '../../ports/hooks.ts';
import type { RolloutStore, Seals } from '../../ports/thread-store.ts';
import type { ProcessEnd, Sessions } from '../../ports/commands.ts';
import type { Skills } from '../../ports/skills.ts';
import type { Tracer } from '../../ports/tracer.ts';
import type { CheckpointReport } from '../../protocol/thread-event.ts';
import type { AgentIdentity } from '../../protocol/agent.ts';
import type { ThreadId, TurnId } from '../../protocol/ids.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ApprovalPolicy } from '../../protocol/permissions.ts';
import type { ProviderName } from '../../protocol/provider-name.ts';
import type { Catalogue } from '../../core/envelope/model-record.ts';
import type { OpenTurn } from '../../core/state/thread-state.ts';
import type { Router } from '../../adapters/tools/router.ts';
import type { Inbox, SubmittedWords } from './inbox.ts';
import type { ThreadLog } from './log.ts';
import type { OpenQuestions } from './open-questions.ts';
import type { ThreadSessions } from './running-commands.ts';
import type { TurnEffects } from './turn-effects.ts';
import type { TurnMemory } from './turn-memory.ts';

/** What a thread works with: what is its own, and what it shares with the other threads of its engine. */
export interface ThreadParts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly store: RolloutStore;
  /** Proves what lines of the thread say about processes. The store seals by itself. */
  readonly seals: Seals;
  readonly provider: Provider;
  /** Another provider, if it is configured, at the same address where that is known. Nothing is sent yet. */
  providerOf?(name: ProviderName): Promise<Provider | undefined>;
  /** What is known of the models of another provider. Absent: no more than of this one's. */
  catalogueOf?(name: ProviderName): Catalogue;
  /** What a turn runs under when `model_fallback` takes over. Undefined: nothing changes. Absent: none is configured. */
  fallback?(
    settings: Settings,
  ): Promise<{ readonly settings: Settings; readonly parts: ThreadParts } | Outcome | undefined>;
  readonly digester: Digester;
  /** A number from 0 up to but not including 1: spreads retries. */
  random(): number;
  /** How often a broken answer is asked for again. */
  readonly streamMaxRetries: number;
  /** How many items one answer may bring. */
  readonly answerMaxItems: number;
  readonly router: Router;
  /** The threads of the engine, for tools that open one. */
  readonly threads: Threads;
  /** Threads that it starts to work for it. Absent: it starts none. */
  readonly agents?: AgentsOfThread;
  /** Who it is among agents. Absent: no other thread started it. */
  readonly agent?: AgentIdentity;
  /** `disabled`: no notes are to be written about it. Absent: they may be. */
  readonly memoryMode?: 'disabled';
  /** What it does beside its turns. Absent: nothing. */
  readonly background?: BackgroundWork;
  /** Absent: the user cannot be asked, and a call that would need it is refused. */
  readonly askUser?: AskUser;
  /** How long a reviewer may take for one question. Absent: 90 seconds. */
  readonly reviewTimeoutMs?: number;
  /** Absent: commands are not looked into. */
  readonly commands?: CommandReader;
  /** Absent: no rule lets a command out of the sandbox. */
  readonly ground?: TamperWatch;
  /** Absent: answers save no rules. */
  readonly ruleBook?: RuleBook;
  readonly processes: Processes;
  /** Absent: commands do not outlive their calls. */
  readonly sessions?: Sessions;
  /** Waited for before a turn is resolved: what must be there before the tools of the turn are known. Absent: nothing. */
  beforeTurn?(settings: Settings, watch: { readonly signal: AbortSignal; warn(outcome: Outcome): void }): Promise<void>;
  /** What the user should know of things that the thread does not wait for. Absent: there are none. */
  problemsNow?(): readonly Outcome[];
  /** Gives up what the thread holds outside its file. Absent: nothing. Never rejects. */
  release?(): Promise<void>;
  /** Reads the world at the start of a turn. */
  gatherFacts(settings: Settings): Promise<Facts>;
  /** Why a thread cannot work in a folder, or undefined when it is there. */
  folderProblem(path: string): Outcome | undefined;
  /** Why settings cannot have the tools that they name. Absent: nothing is looked at. */
  toolsProblem?(settings: Settings): Outcome | undefined;
  /** Saves a picture that the provider made. Never rejects. Absent: pictures are not saved. */
  saveImage?(image: {
    readonly threadId: ThreadId;
    readonly id: string;
    readonly base64: string;
  }): Promise<{ readonly path: string } | { readonly problem: string }>;
  /** Reads again what may have moved since. */
  gatherStep(envelope: Envelope): Promise<GatheredStep>;
  /** What no caller may change. */
  readonly requirements: Requirements;
  /** Where spans of steps go. */
  readonly tracer: Tracer;
  /** When an answer to a request for a checkpoint is given up. */
  readonly compactionLimits: { readonly maxBytes: number; readonly timeoutMs: number };
  /** Absent: no hook looks at checkpoints before they are made. */
  readonly checkpointHooks?: CheckpointHooks;
  /** Nothing of the thread is kept on the disk. */
  readonly isEphemeral?: true;
  /** Starts a program when a turn has ended, and waits for nothing. Gives why it could not. Absent: none is configured. */
  notify?(cwd: string, about: JsonObject): Outcome | undefined;
  /** Runs a command of the user's own, outside the sandbox. Absent: there is no shell. Never rejects. */
  userShell?(command: UserCommand): Promise<ProcessEnd>;
  /** Absent: no hook is configured that may run. */
  readonly hooks?: Hooks;
  /** Absent: there are no skills. */
  readonly skills?: Skills;
  /** Absent: what turns do to files cannot be undone. */
  readonly snapshots?: Snapshots;
  /** Absent: git folders below the roots are not searched for. */
  readonly gitGuard?: GitGuard;
}

export interface UserCommand {
  readonly command: string;
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly output?: (bytes: Uint8Array) => void;
}

export interface GatheredStep extends StepFacts {
  /** What the user should know about the files that were read. */
  readonly problems?: readonly Outcome[];
}

/**
 * Hooks asked before history is compacted, and notified afterwards. One that throws or takes a minute is skipped, with
 * a warning.
 */
export interface CheckpointHooks {
  /** A reason stops it. */
  before?(about: AboutCheckpoint): Promise<{ readonly reason: string } | undefined>;
  after?(report: CheckpointReport): Promise<void>;
}

export interface AboutCheckpoint {
  readonly threadId: ThreadId;
  readonly turnId: TurnId;
  readonly cwd: string;
  readonly trigger: 'manual' | 'auto';
  readonly reason: string;
  readonly phase: string;
  readonly focus?: string;
}

/** What a turn is asked to do. */
export interface TurnInput {
  readonly threadId: ThreadId;
  readonly settings: TurnSettings;
  /** Whether the thread's own settings were changed after the turn was submitted: they are what resume goes by. */
  isOutdated(): boolean;
  /** Of a turn that changes the thread's settings: it does so with its beginning, which `start` records. */
  begin?(start: () => void): Promise<void>;
  /** Absent for a turn that only compacts history. */
  readonly words?: SubmittedWords;
  readonly signal: AbortSignal;
  /** What arrives while the turn runs. */
  readonly inbox: Inbox;
  /** What the turn waits with. */
  readonly questions: OpenQuestions;
  /** Problems that the thread has reported already: one that lasts is reported once. */
  readonly warned: Set<string>;
  /** Rules that answers saved since the thread was opened: they count at once. */
  readonly savedRules: SavedRules;
  /** Commands that outlive their calls. */
  readonly sessions: ThreadSessions;
  /** The suspended turn that it continues, with the policy under which that was begun. */
  readonly continues?: SuspendedTurn;
  /** The turn fails: gives the model that continues in another turn. Undefined: none does. */
  passOn?(failure: Outcome): Promise<string | undefined>;
}

/** What answers allowed for good: under every policy that the thread changes to, as after a resume. */
export interface SavedRules {
  readonly prefixes: PrefixRule[];
  /** A rule about a host allows what a grant of it does. */
  readonly hosts: Grant[];
  /** The same of a tool of an MCP server. */
  readonly tools: Grant[];
}

export interface SuspendedTurn {
  readonly openTurn: OpenTurn;
  /** Decides about its calls: that of the turn, no wider than what holds now. */
  readonly approval: ApprovalPolicy;
}

/** A turn that runs. Nothing of it changes but its memory. */
export interface Turn extends Omit<TurnInput, 'settings'> {
  readonly parts: ThreadParts;
  readonly log: ThreadLog;
  /** Whose turn the lines belong to. */
  readonly turnId: TurnId;
  /** Resolved when the turn began, and what it is to the end. */
  readonly envelope: Envelope;
  /** The contract under which the model of the turn before would run, if this turn's or its provider is another. */
  readonly before?: Envelope;
  readonly effects: TurnEffects;
  /** Ends the turn as interrupted: the user wants it. */
  stop(): void;
  readonly memory: TurnMemory;
}

/** As much of a turn as it takes to record what belongs to it. */
export type RecordingTurn = Pick<Turn, 'parts' | 'log' | 'threadId' | 'turnId' | 'envelope'>;

/** How a turn comes to its end. */
export type TurnEnding =
  | { readonly kind: 'done' | 'aborted' | 'suspended' }
  | { readonly kind: 'failed'; readonly failure: Outcome };
