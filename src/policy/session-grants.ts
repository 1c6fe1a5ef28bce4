import { keyedDigest } from '../protocol/keyed-digest.ts';
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

const noKey = new Uint8Array();

/** The same text for the same policy. */
export function policyMark({ approval, profile }: ChosenPolicy): string {
  const digest = keyedDigest(noKey, JSON.stringify([approval, profile], sorted));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
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

/** A profile that was read from a line may have its members in another order. */
function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
