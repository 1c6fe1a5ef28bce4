import type { ModelFailure } from '../../ports/model.ts';
import type { ReviewHistory } from '../../core/policy/decide/reviewer-verdict.ts';
import type { NamedSkills } from '../../ports/skills.ts';
import type { RateLimits } from '../../protocol/rate-limits.ts';
import { PendingRequests } from '../../protocol/usage.ts';
import type { TurnItem } from '../../protocol/turn-item.ts';
import type { HookResults } from '../../core/state/questions/call-arguments.ts';

/** The mutable state of a running turn, except the thread's lines. */
export interface MutableTurnState {
  /** `open`: it can be steered. `ending`: nothing more enters it. */
  phase: 'preparing' | 'open' | 'ending';
  /** Items that last until the turn ends, by id. */
  readonly standing: Map<string, TurnItem>;
  /** The step whose request was (perhaps) refused for its length, until a request succeeds. */
  refusedStep: number | undefined;
  /** `compacted`: after a refusal for length. It compacts again only when enough is new. */
  overflow: 'none' | 'compacted';
  /** The unexplained refusal after which the turn compacted history. It does so once. */
  unexplained: ModelFailure | undefined;
  /** The network or quota failed during a compaction: only another turn tries again by itself. */
  outage: 'none' | 'seen';
  cutShort: boolean;
  /** A subscriber was shown the beginning of a message that was incomplete when the turn was interrupted. */
  shownPart: boolean;
  /** `too-little`: the turn is done, and leaves less space than the next one should find. */
  leaves: 'enough' | 'too-little';
  /** Texts from hooks that have not entered history, with their calls. */
  readonly hookTexts: { readonly text: string; readonly callId?: string }[];
  readonly hookedCalls: Map<string, HookResults>;
  readonly namedSkills: Map<string, NamedSkills>;
  /** Tokens of the skills that the turn brought into history, by path. */
  readonly givenSkills: Map<string, number>;
  /** A hook ended the turn, or let none of its words in. */
  endedBy: 'hook' | undefined;
  keptGoing: number;
  /**
   * Rounds towards a goal: `idle` ones in a row without anything new, how much of history was read, and what was seen.
   * `alone`: no words of the user came since the turn began, or since it continues by itself.
   */
  readonly rounds: { idle: number; read: number; readonly seen: Set<string>; alone: boolean };
  saysLeftOut: boolean;
  /** Rate limits with the newest answer, until a line records them. */
  rateLimits: RateLimits | undefined;
  /** Requests under way, where no agents share the limits. */
  readonly underWay: PendingRequests<'own'>;
  /** The reviewer's decisions, and the end of a running review. */
  readonly reviews: { history: ReviewHistory; running: Promise<void> };
}

export function newTurnState(): MutableTurnState {
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
