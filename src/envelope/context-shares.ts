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
export const mostOfSkill = 9000;

/** About what the instructions, the built-in tools, the permissions and the other texts that nothing cuts weigh together. */
export const uncutTokens = 4600;
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
  return Math.max(effective - uncutTokens, (effective * leastSpacePercent) / 100);
}

function shareOf({ tokens, percent }: ContextShare, whole: number): number {
  return Math.min(tokens, Math.floor((whole * percent) / 100));
}
