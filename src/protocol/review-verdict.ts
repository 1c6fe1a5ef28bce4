/** Who answers the questions of a thread: the user, or a model in the user's place. */
export type ApprovalsReviewer = 'user' | 'auto_review';

export const riskLevels = ['low', 'medium', 'high', 'critical'] as const;
/** What the action may cost, as the reviewer sees it. */
export type RiskLevel = (typeof riskLevels)[number];

export const authorizationLevels = ['unknown', 'low', 'medium', 'high'] as const;
/** How far the user's own words ask for the action, as the reviewer sees it. */
export type UserAuthorization = (typeof authorizationLevels)[number];

/** What a reviewer said. It is a claim: `policy/review/decide-review.ts` decides what follows from it. */
export interface ReviewVerdict {
  readonly outcome: 'allow' | 'deny';
  readonly risk: RiskLevel;
  readonly authorization: UserAuthorization;
  readonly rationale?: string;
}
