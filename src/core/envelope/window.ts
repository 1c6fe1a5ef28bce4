import { type DefaultWindowShares, defaultWindowShares } from '../config/defaults.ts';
import type { ReportedWindow, TurnFacts } from './facts.ts';
import type { TurnIdentity } from './identity.ts';
import type { ModelRecord } from './model-record.ts';
import type { Settings, WindowSettings } from './settings.ts';

/** All token budgets. Each other number derives from `effective`; nothing else reads a model's raw window. */
export interface ContextWindow {
  /** Tokens that a request and its answer may use. */
  readonly effective: number;
  /** `effective` without the limit of a window that the server named in this thread. */
  readonly configured: number;
  /** A thread with more tokens than this is compacted. */
  readonly autoCompact: number;
  /** The highest possible `autoCompact` in this window, without a configured number of tokens. */
  readonly mostAutoCompact: number;
  /** `body`: ignores what the first request since the newest checkpoint held; the window still applies. */
  readonly autoCompactScope: 'total' | 'body';
  readonly compactionReserve: number;
  /** Parts of a checkpoint: the user's texts and pictures, the model's text, and what code adds. */
  readonly checkpoint: Readonly<Record<'words' | 'pictures' | 'answer' | 'records', number>>;
  readonly skills: number;
  readonly memory: number;
  /** Assumed in every request when the rest is shown as a share. Part of `effective`. */
  readonly baseline: number;
  readonly toolOutput: { readonly mode: 'bytes' | 'tokens'; readonly limit: number };
  /** Used to compute the budgets again when a server names a narrower window. Not kept in lines. */
  readonly shares: WindowShares;
}

export type WindowShares = WindowSettings & DefaultWindowShares;
const toolOutputPercent = 25;
/** Upper bound for the baseline: in a small window nothing would be left to show as a share. */
const mostBaselinePercent = 25;
/** A summary and the records need no more, however large the window. The user's own messages have their whole share. */
const mostOfCheckpoint = { answer: 4000, records: 4000 } as const;
const checkpointQuestion = 1500;
const leastCompactPercent = 70;
const checkpointPercent = { words: 20, pictures: 10, answer: 10, records: 5 } as const;

export function resolveContextWindow(
  { thread: { windows = [] } }: Pick<TurnFacts, 'thread'>,
  settings: Settings,
  { identity }: { readonly identity: TurnIdentity },
): ContextWindow {
  return budgetsOf(identity, { ...defaultWindowShares(settings.window), ...settings.window }, windows);
}

/** The envelope's budgets under the windows that servers have named by now. */
export function applyReportedWindows(
  { identity, window }: { readonly identity: TurnIdentity; readonly window: Pick<ContextWindow, 'shares'> },
  windows: readonly ReportedWindow[],
): ContextWindow {
  return budgetsOf(identity, window.shares, windows);
}

function budgetsOf(
  { model, provider }: TurnIdentity,
  shares: WindowShares,
  windows: readonly ReportedWindow[],
): ContextWindow {
  const configured = effectiveWindow(model, shares);
  const named = windows.find((window) => window.provider === provider && window.model === model.slug);
  // A server's claim counts only if it is lower, and only until the configuration changes.
  const isNarrower = named !== undefined && named.assumed === configured && named.tokens < configured;
  const effective = isNarrower ? effectiveWindow(model, { ...shares, contextWindow: named.tokens }) : configured;
  const share = (percent: number): number => Math.floor((effective * percent) / 100);
  const checkpoint = {
    words: share(checkpointPercent.words),
    pictures: share(checkpointPercent.pictures),
    answer: Math.min(mostOfCheckpoint.answer, share(checkpointPercent.answer)),
    records: Math.min(mostOfCheckpoint.records, share(checkpointPercent.records)),
  };
  // In a small window the share leaves too little space to ask for a checkpoint (I6). A tiny one has too little anyway.
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
    skills: Math.max(
      1,
      Math.min(shares.skillsTokens ?? share(shares.skillsPercent), contextBudget('skillList', effective)),
    ),
    memory: Math.max(1, share(shares.memoryPercent)),
    baseline: Math.min(shares.baselineTokens, share(mostBaselinePercent)),
    toolOutput: toolOutputBudget(model, shares, share(toolOutputPercent)),
    shares,
  };
}

export const nominalWindow = (model: TurnIdentity['model']): number => model.contextWindow;
export const nominalPercent = (model: Pick<TurnIdentity['model'], 'effectivePercent'>): number =>
  model.effectivePercent;

/** True if the window is a general value, so the user may know better. */
export const isWindowGuessed = ({ guessed, sources }: TurnIdentity['model']): boolean =>
  guessed && sources?.contextWindow === undefined;

export const largestWindow = (model: TurnIdentity['model']): number =>
  isWindowGuessed(model) ? Infinity : Math.max(model.contextWindow, model.maxContextWindow ?? 0);

export function rawWindow(model: TurnIdentity['model'], { contextWindow, effectiveTokens }: WindowSettings): number {
  // For an unknown model, a configured number of tokens is a window too.
  const own = isWindowGuessed(model) ? Math.max(model.contextWindow, effectiveTokens ?? 0) : model.contextWindow;
  return Math.min(contextWindow ?? own, largestWindow(model));
}

/** The record with the configured window, named as its source. */
export function withConfiguredWindow(model: ModelRecord, chosen: WindowSettings, source: string): ModelRecord {
  const { effectivePercent = model.effectivePercent } = chosen;
  const contextWindow = rawWindow(model, chosen);
  if (contextWindow === model.contextWindow) return { ...model, effectivePercent };
  return { ...model, effectivePercent, contextWindow, sources: { ...model.sources, contextWindow: source } };
}

/** The `model_context_window` that gives such a limit; undefined if none does. */
export function windowSettingForLimit(
  window: Pick<ContextWindow, 'effective' | 'configured' | 'autoCompactScope' | 'mostAutoCompact'>,
  model: TurnIdentity['model'],
  limit: number,
): number | undefined {
  const { effective, configured, autoCompactScope, mostAutoCompact } = window;
  const own = autoCompactScope === 'body' ? effective : mostAutoCompact;
  // A window named by the server and a limit of the catalogue hold whatever is configured.
  if (effective < configured || own === (model.autoCompactTokens ?? Infinity)) return undefined;
  const raw = (effective * 100) / model.effectivePercent;
  const wanted = Math.ceil((raw * limit) / own / 1000) * 1000;
  return wanted <= largestWindow(model) ? wanted : undefined;
}

function effectiveWindow(model: TurnIdentity['model'], chosen: WindowSettings): number {
  const raw = rawWindow(model, chosen);
  if (chosen.effectiveTokens !== undefined) return Math.min(chosen.effectiveTokens, raw);
  return Math.floor((raw * (chosen.effectivePercent ?? model.effectivePercent)) / 100);
}

function toolOutputBudget(model: TurnIdentity['model'], { toolOutputTokens }: WindowSettings, mostTokens: number) {
  const { mode, limit } = model.truncation;
  const perToken = mode === 'bytes' ? 4 : 1;
  const wanted = toolOutputTokens === undefined ? limit : toolOutputTokens * perToken;
  return { mode, limit: Math.min(wanted, mostTokens * perToken) };
}

/** A limit for one kind of context: a number of tokens, or a share of the space if that is less (I6). */
interface ContextShare {
  readonly tokens: number;
  /** Share of the window without the uncut parts. */
  readonly percent: number;
}

/** Limits for each kind of context in a first request that can be cut. A test bounds the sum. */
export const contextShares = {
  agentsMd: { tokens: 16_384, percent: 14 },
  memorySummary: { tokens: 2500, percent: 5 },
  /** Upper bound for the configured budget of the skill list. */
  skillList: { tokens: 10_000, percent: 10 },
  skillHints: { tokens: 800, percent: 2 },
  namedSkills: { tokens: 90_000, percent: 14 },
  agentRoles: { tokens: 2500, percent: 3 },
  optionalTools: { tokens: 20_000, percent: 10 },
  /** Texts about MCP servers and their deferred tools, and the servers' own texts. */
  serverTexts: { tokens: 3125, percent: 6 },
  sessionContext: { tokens: 4800, percent: 5 },
  /** All hook output at one moment; a single hook gets at most half of it. */
  hookWords: { tokens: 5000, percent: 6 },
} as const satisfies Readonly<Record<string, ContextShare>>;

/** Each kind is alone in its request, or enters a conversation that is compacted if full: no sum bounds them. */
const occasionalShares = {
  /** The diff of a code review, beside the context above. A larger one is better read file by file. */
  reviewedDiff: { tokens: 40_000, percent: 20, of: 'space' },
  /** One answer of an agent, as its thread reads it; its text has a cap of its own. */
  agentReport: { tokens: Infinity, percent: 5, of: 'window' },
  /** The part of the thread that a reviewer reads; the rest is for its instructions and its answer. */
  reviewedQuestion: { tokens: Infinity, percent: 70, of: 'window' },
} as const satisfies Readonly<Record<string, ContextShare & { readonly of: 'space' | 'window' }>>;

/** For each skill that a message names, however large the window is. */
export const mostSkillTokens = 9000;
/** Approximate size of everything that is never cut: instructions, built-in tools, permissions and other texts. */
export const uncutContextTokens = 4600;
/** Percent of the window that count as space if the window can hardly hold even the uncut parts. */
const leastSpacePercent = 25;

export const contextBudget = (kind: keyof typeof contextShares, effective: number): number =>
  shareOf(contextShares[kind], spaceIn(effective));

export function occasionalBudget(kind: keyof typeof occasionalShares, effective: number): number {
  const share = occasionalShares[kind];
  return shareOf(share, share.of === 'space' ? spaceIn(effective) : effective);
}

const spaceIn = (effective: number): number =>
  Math.max(effective - uncutContextTokens, (effective * leastSpacePercent) / 100);

const shareOf = ({ tokens, percent }: ContextShare, whole: number): number =>
  Math.min(tokens, Math.floor((whole * percent) / 100));
