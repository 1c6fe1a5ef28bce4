import type { ModelFailure } from '../../ports/model.ts';
import type { ReviewHistory } from '../../core/policy/decide/reviewer-verdict.ts';
import type { NamedSkills } from '../../ports/skills.ts';
import type { RateLimits } from '../../protocol/rate-limits.ts';
import { PendingRequests } from '../../protocol/usage.ts';
import type { TurnItem } from '../../protocol/turn-item.ts';
import type { HookResults } from '../../core/state/questions/call-arguments.ts';

/** What a turn remembers while it runs: everything about it that changes, but for the thread's lines. */
export interface TurnMemory {
  /** `open`: it can be steered. `ending`: nothing more enters it. The thread asks. */
  phase: 'preparing' | 'open' | 'ending';
  /** Items that stand until the turn ends, by id. */
  readonly standing: Map<string, TurnItem>;
  /** The step whose request was refused for its length, or may have been, until one is not. */
  refusedStep: number | undefined;
  /** Whether it compacted after a refusal for length. It does so again only when enough is new. */
  overflow: 'none' | 'compacted';
  /** The refusal without a cause after which it compacted, which it does once. */
  unexplained: ModelFailure | undefined;
  /** The network was gone, or the quota, when history was to be compacted: only another turn tries again by itself. */
  outage: 'none' | 'seen';
  /** A call was running when the turn was interrupted. */
  cutShort: boolean;
  /** A subscriber was shown the beginning of a message that did not come to its end when the turn was interrupted. */
  shownPart: boolean;
  /** `too-little`: the turn is done, and leaves less space than the next one should find. */
  leaves: 'enough' | 'too-little';
  /** What hooks said for the model that has not entered history yet, and about which call. */
  readonly hookTexts: { readonly text: string; readonly callId?: string }[];
  /** What hooks said about calls, by their id. */
  readonly hookedCalls: Map<string, HookResults>;
  /** What messages name as skills, by their text. */
  readonly namedSkills: Map<string, NamedSkills>;
  /** The skills that the turn has brought into history, by path, and what each weighs. */
  readonly givenSkills: Map<string, number>;
  /** A hook wants the turn to end, or let none of its words in. */
  endedBy: 'hook' | undefined;
  /** How often hooks kept the turn from ending. */
  keptGoing: number;
  /**
   * Rounds towards a goal: those in a row without anything new, how much of history was looked at, and
   * what was seen. `alone`: no words of the user came since the turn began, or since it
   * continues by itself.
   */
  readonly rounds: { idle: number; read: number; readonly seen: Set<string>; alone: boolean };
  /** Whether the user was warned of media that the model does not get. */
  saysLeftOut: boolean;
  /** What the provider said of its limits with the newest answer, until a line has it. */
  rateLimits: RateLimits | undefined;
  /** Requests under way, where no agents share the limits. */
  readonly underWay: PendingRequests<'own'>;
  /** What a reviewer has decided, and until when one is at work. */
  readonly reviews: { history: ReviewHistory; running: Promise<void> };
}

export function newMemory(): TurnMemory {
  return {
    phase: 'preparing',
    standing: new Map(),
    refusedStep: undefined,
    overflow: 'none',
    unexplained: undefined,
    outage: 'none',
    cutShort: false,
    shownPart: false,
    leaves: 'enough',
    hookTexts: [],
    hookedCalls: new Map(),
    namedSkills: new Map(),
    givenSkills: new Map(),
    endedBy: undefined,
    keptGoing: 0,
    rounds: { idle: 0, read: 0, seen: new Set(), alone: true },
    saysLeftOut: false,
    rateLimits: undefined,
    underWay: new PendingRequests(),
    reviews: { history: [], running: Promise.resolve() },
  };
}
