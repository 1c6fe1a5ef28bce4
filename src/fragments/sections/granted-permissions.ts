import type { StandingGrants } from '../../policy/standing-grants.ts';
import { defineFragment } from '../text/define.ts';
import { grantedLines } from './policy-lists.ts';
import { type NetworkTold, reachLines } from './reached-network.ts';

/** What answers of the user change of the permissions: each of it is told, or taken back, by itself. */
export const grantedParts = ['network', 'session', 'turn'] as const;
export type GrantedPart = (typeof grantedParts)[number];

export interface GrantsTold extends NetworkTold {
  readonly granted?: StandingGrants;
}

export interface ChangedGrants {
  readonly now: GrantsTold;
  /** What differs from what was told before. */
  readonly changed: readonly GrantedPart[];
}

/** Grants come and go without the rest; when anything else changes, the permissions are told anew. */
export const grantedPermissionsFragment = defineFragment<ChangedGrants>({
  id: 'granted-permissions',
  purpose: 'What the user granted beyond `permissions`, or what of it has ended, since that was sent.',
  role: 'developer',
  markers: ['<granted_permissions>', '</granted_permissions>'],
  capTokens: 3000,
  section: 'permissions',
  body: ({ now, changed }) =>
    `\n${[introduction, ...grantedParts.flatMap((part) => (changed.includes(part) ? linesOf(now, part) : []))].join('\n')}\n`,
});

const introduction = 'Of the permissions described earlier, this is different now. All else stays as it was.';

/** The lines of a part that stands. */
export function standingLines(now: GrantsTold, part: GrantedPart): readonly string[] {
  if (part === 'network') return now.opened === undefined ? [] : reachLines(now);
  const line = grantedLines(now.granted)[part];
  return line === undefined ? [] : [line];
}

function linesOf(now: GrantsTold, part: GrantedPart): readonly string[] {
  if (part === 'network') return reachLines(now);
  const standing = standingLines(now, part);
  return standing.length > 0
    ? standing
    : [`Granted for ${ended[part]}, beyond the limits of the sandbox: nothing any more.`];
}

const ended = { session: 'this session', turn: 'the rest of this turn' } as const;
