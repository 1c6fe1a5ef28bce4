import { type DefaultShares, defaultShares } from '../config/defaults.ts';
import type { ReportedWindow, TurnFacts } from './facts.ts';
import type { Identity } from './identity.ts';
import type { ModelRecord } from './model-record.ts';
import type { Settings, WindowSettings } from './settings.ts';

/** How much fits. `effective` is the parent of every other number; nothing else reads the raw window of a model. */
export interface Window {
  /** Tokens that a request and its answer may use. */
  readonly effective: number;
  /** The same without regard to a window that the server named in this thread. */
  readonly configured: number;
  /** A thread with more tokens than this is compacted. */
  readonly autoCompact: number;
  /** What that could be in this window if no number of tokens were configured for it. */
  readonly mostAutoCompact: number;
  /** `body`: what the first request since the newest checkpoint held does not count; the window itself still does. */
  readonly autoCompactScope: 'total' | 'body';
  /** Kept free for the request that makes a checkpoint. */
  readonly compactionReserve: number;
  /** What a checkpoint may hold: the user's texts and pictures, what the model writes, and what code adds. */
  readonly checkpoint: Readonly<Record<'words' | 'pictures' | 'answer' | 'records', number>>;
  /** For the catalogue of skills. */
  readonly skills: number;
  /** For what memory may take in at once. */
  readonly memory: number;
  /** Taken as given in every request when the rest is shown as a share. Part of `effective`. */
  readonly baseline: number;
  /** What one tool output may add to history. */
  readonly toolOutput: { readonly mode: 'bytes' | 'tokens'; readonly limit: number };
  /** What the budgets are made from: they are made again where a server names a narrower window. Not kept in lines. */
  readonly shares: WindowShares;
}

/** What was chosen of the window, and the defaults of the rest. */
export type WindowShares = WindowSettings & DefaultShares;

/** A tool output never takes more than this share of the window, however the limit was configured. */
const toolOutputPercent = 25;
/** Nor does what counts as given: in a small window nothing would be left to show as a share. */
const mostBaselinePercent = 25;
/** However large the window is, a summary and the records need no more. The user's own messages have their whole share. */
const mostOfCheckpoint = { answer: 4000, records: 4000 } as const;
/** What it takes to ask for one: the question, and the schema of the answer. */
const checkpointQuestion = 1500;
const leastCompactPercent = 70;
const checkpointPercent = { words: 20, pictures: 10, answer: 10, records: 5 } as const;

export function resolveWindow(
  { thread: { windows = [] } }: Pick<TurnFacts, 'thread'>,
  settings: Settings,
  { identity }: { readonly identity: Identity },
): Window {
  const shares = { ...defaultShares(settings.window), ...settings.window };
  return budgetsOf(identity, shares, windows);
}

/** The budgets of an envelope under the windows that servers have named by now, which may be more or fewer than then. */
export function windowUnder(
  { identity, window }: { readonly identity: Identity; readonly window: Pick<Window, 'shares'> },
  windows: readonly ReportedWindow[],
): Window {
  return budgetsOf(identity, window.shares, windows);
}

function budgetsOf({ model, provider }: Identity, shares: WindowShares, windows: readonly ReportedWindow[]): Window {
  const configured = effectiveWindow(model, shares);
  const named = windows.find((window) => window.provider === provider && window.model === model.slug);
  const effective = isNarrower(named, configured)
    ? effectiveWindow(model, { ...shares, contextWindow: named.tokens })
    : configured;
  const share = (percent: number): number => Math.floor((effective * percent) / 100);
  const checkpoint = {
    words: share(checkpointPercent.words),
    pictures: share(checkpointPercent.pictures),
    answer: Math.min(mostOfCheckpoint.answer, share(checkpointPercent.answer)),
    records: Math.min(mostOfCheckpoint.records, share(checkpointPercent.records)),
  };
  // In a small window the share alone does not leave the space to ask for a checkpoint (I6); in a tiny one nothing
  // does.
  const askable = effective - checkpoint.answer - checkpointQuestion;
  const mostAutoCompact = Math.min(
    share(shares.autoCompactPercent),
    askable >= share(leastCompactPercent) ? askable : Infinity,
    model.autoCompactTokens ?? Infinity,
  );
  return {
    effective,
    configured,
    autoCompact: Math.min(mostAutoCompact, shares.autoCompactTokens ?? Infinity),
    mostAutoCompact,
    autoCompactScope: shares.autoCompactScope ?? 'total',
    compactionReserve: share(shares.reservePercent),
    checkpoint,
    skills: Math.max(1, skillsBudget(shares, effective)),
    memory: Math.max(1, share(shares.memoryPercent)),
    baseline: Math.min(shares.baselineTokens, share(mostBaselinePercent)),
    toolOutput: toolOutputBudget(model, shares, share(toolOutputPercent)),
    shares,
  };
}

function skillsBudget({ skillsTokens, skillsPercent }: WindowShares, effective: number): number {
  const wanted = skillsTokens ?? Math.floor((effective * skillsPercent) / 100);
  return Math.min(wanted, contextBudget('skillList', effective));
}

/** What the catalogue says of a model, for people. No budget is made from it. */
export function nominalWindow(model: Identity['model']): number {
  return model.contextWindow;
}

/** How much of that a thread may use where nothing else is configured. */
export function nominalPercent(model: Pick<Identity['model'], 'effectivePercent'>): number {
  return model.effectivePercent;
}

/** Whether general values stand for the window. The user may know more then. */
export function isWindowGuessed({ guessed, sources }: Identity['model']): boolean {
  return guessed && sources?.contextWindow === undefined;
}

/** The most that may be chosen for a model. */
export function largestWindow(model: Identity['model']): number {
  return isWindowGuessed(model) ? Infinity : Math.max(model.contextWindow, model.maxContextWindow ?? 0);
}

/** The window of the model before any share is taken of it. */
export function rawWindow(model: Identity['model'], { contextWindow, effectiveTokens }: WindowSettings): number {
  // Of a model that nothing is known about, a number of tokens is a window too.
  const own = isWindowGuessed(model) ? Math.max(model.contextWindow, effectiveTokens ?? 0) : model.contextWindow;
  return Math.min(contextWindow ?? own, largestWindow(model));
}

/** The record as a thread with these settings has it, with what is configured named as such. */
export function withConfiguredWindow(model: ModelRecord, chosen: WindowSettings, source: string): ModelRecord {
  const { effectivePercent = model.effectivePercent } = chosen;
  const contextWindow = rawWindow(model, chosen);
  if (contextWindow === model.contextWindow) return { ...model, effectivePercent };
  return { ...model, effectivePercent, contextWindow, sources: { ...model.sources, contextWindow: source } };
}

/** The `model_context_window` that gives such a limit; undefined where none does. */
export function contextWindowFor(
  window: Pick<Window, 'effective' | 'configured' | 'autoCompactScope' | 'mostAutoCompact'>,
  model: Identity['model'],
  limit: number,
): number | undefined {
  const { effective, configured, autoCompactScope, mostAutoCompact } = window;
  const own = autoCompactScope === 'body' ? effective : mostAutoCompact;
  // A window that the server named holds whatever is configured, and so does a limit of the catalogue.
  if (effective < configured || own === (model.autoCompactTokens ?? Infinity)) return undefined;
  const raw = (effective * 100) / model.effectivePercent;
  const wanted = Math.ceil((raw * limit) / own / 1000) * 1000;
  return wanted <= largestWindow(model) ? wanted : undefined;
}

function effectiveWindow(model: Identity['model'], chosen: WindowSettings): number {
  const raw = rawWindow(model, chosen);
  if (chosen.effectiveTokens !== undefined) return Math.min(chosen.effectiveTokens, raw);
  return Math.floor((raw * (chosen.effectivePercent ?? model.effectivePercent)) / 100);
}

/** What the server says counts as if it were configured, where it is less; until something else is configured. */
function isNarrower(named: ReportedWindow | undefined, configured: number): named is ReportedWindow {
  return named !== undefined && named.assumed === configured && named.tokens < configured;
}

function toolOutputBudget(
  model: Identity['model'],
  { toolOutputTokens }: WindowSettings,
  mostTokens: number,
): Window['toolOutput'] {
  const { mode, limit } = model.truncation;
  const perToken = mode === 'bytes' ? 4 : 1;
  const wanted = toolOutputTokens === undefined ? limit : toolOutputTokens * perToken;
  return { mode, limit: Math.min(wanted, mostTokens * perToken) };
}

/** What one kind of context may take: so many tokens, or the share of the space if that is less (I6). */
interface ContextShare {
  readonly tokens: number;
  /** Of what a window has beside the parts that nothing cuts. */
  readonly percent: number;
}

/** The context of a first request that can be cut, and what each kind may take of it. A test bounds the sum. */
export const contextShares = {
  /** All AGENTS.md files. */
  agentsMd: { tokens: 16_384, percent: 14 },
  memorySummary: { tokens: 2500, percent: 5 },
  /** What a configuration may give the list of skills. */
  skillList: { tokens: 10_000, percent: 10 },
  /** All hints that come with one message. */
  skillHints: { tokens: 800, percent: 2 },
  /** All skills that the messages of one turn name. */
  namedSkills: { tokens: 90_000, percent: 14 },
  /** Roles of agents beside those that are built in. */
  agentRoles: { tokens: 2500, percent: 3 },
  /** Descriptions of tools of servers and clients in the list of tools. */
  optionalTools: { tokens: 20_000, percent: 10 },
  /** What is said of MCP servers and of their deferred tools, and what they say of themselves. */
  serverTexts: { tokens: 3125, percent: 6 },
  /** What hooks said when the thread was opened. */
  sessionContext: { tokens: 4800, percent: 5 },
  /** What hooks say at one moment; one of them says at most half of it. */
  hookWords: { tokens: 5000, percent: 6 },
} as const satisfies Readonly<Record<string, ContextShare>>;

/**
 * What comes with some requests only. Each of them is alone in its request or enters a conversation that is compacted
 * where it does not fit, so that no sum bounds them.
 */
const occasionalShares = {
  /** The diff that a code review begins with, beside the context above: of the space. More is read better file by file. */
  reviewedDiff: { tokens: 40_000, percent: 20, of: 'space' },
  /** One answer of an agent, as its thread reads it; its text has a cap of its own. */
  agentReport: { tokens: Infinity, percent: 5, of: 'window' },
  /** What a reviewer reads of the thread: the rest is for its instructions and its answer. */
  reviewedQuestion: { tokens: Infinity, percent: 70, of: 'window' },
} as const satisfies Readonly<Record<string, ContextShare & { readonly of: 'space' | 'window' }>>;

/** One skill that a message names has at most so many tokens, however large the window is. */
export const mostSkillTokens = 9000;

/** About what the instructions, the built-in tools, the permissions and the other texts that nothing cuts weigh together. */
export const uncutContextTokens = 4600;
/** In a window that hardly holds even those, this share of it. */
const leastSpacePercent = 25;

/** The tokens that a kind of context may take in an effective window of this size. */
export function contextBudget(kind: keyof typeof contextShares, effective: number): number {
  return shareOf(contextShares[kind], spaceIn(effective));
}

/** The same of what comes with some requests only. */
export function occasionalBudget(kind: keyof typeof occasionalShares, effective: number): number {
  const share = occasionalShares[kind];
  return shareOf(share, share.of === 'space' ? spaceIn(effective) : effective);
}

function spaceIn(effective: number): number {
  return Math.max(effective - uncutContextTokens, (effective * leastSpacePercent) / 100);
}

function shareOf({ tokens, percent }: ContextShare, whole: number): number {
  return Math.min(tokens, Math.floor((whole * percent) / 100));
}
