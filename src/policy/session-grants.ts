import { sortedJson } from '../protocol/json.ts';
import { plainDigest } from '../base/digest.ts';
import type { ApprovalPolicy, PermissionProfile } from '../protocol/permission-profile.ts';
import type { Grant } from './grants.ts';

/** What the user chose for a turn, and what an answer for the session depends on. */
export interface ChosenPolicy {
  readonly approval: ApprovalPolicy;
  readonly profile: PermissionProfile;
}

/** An answer for the session. */
export interface SessionGrant {
  readonly keys: readonly string[];
  /** The mark of the policy that it was given under. Absent: the line does not say, and it counts nowhere. */
  readonly under?: string;
}

/** One text per policy: a profile that was read from a line may have its members in another order. */
export function policyMark({ approval, profile }: ChosenPolicy): string {
  return plainDigest(sortedJson([approval, profile]));
}

/**
 * Those that count under a policy. An answer is given by someone who knows what the sandbox keeps and when questions are
 * asked: under another policy, be it a narrower one, it says nothing.
 */
export function grantsUnder(given: readonly SessionGrant[], policy: ChosenPolicy): readonly Grant[] {
  if (given.length === 0) return [];
  const mark = policyMark(policy);
  return given.filter(({ under }) => under === mark).flatMap(({ keys }) => keys.map((key) => ({ key })));
}
