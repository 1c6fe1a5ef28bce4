import { byteLength, firstBytes, sentTokens } from '../fragments/text/truncate.ts';

/** A role of agents, as the tool that starts them lists it. */
export interface ListedRole {
  readonly name: string;
  readonly description: string;
  /** What is fixed for its agents. It is never cut: a task that needs more than that would be lost. */
  readonly fixed?: string;
}

export interface FittingRoles {
  /** In the same order, some with descriptions that are visibly cut. */
  readonly listed: readonly ListedRole[];
  readonly cut: number;
  readonly leftOut: number;
}

/** A description with less says nothing. */
const leastBytes = 40;

/** Roles within so many tokens: descriptions are cut to one length first, then the last roles are left out. */
export function fittingRoles(roles: readonly ListedRole[], tokens: number): FittingRoles {
  if (rolesWeight(roles) <= tokens) return { listed: roles, cut: 0, leftOut: 0 };
  let kept = roles;
  while (kept.length > 0 && rolesWeight(shortened(kept, leastBytes)) > tokens) kept = kept.slice(0, -1);
  let [fits, tooLong] = [
    leastBytes,
    Math.max(leastBytes, ...kept.map(({ description }) => byteLength(description))) + 1,
  ];
  while (tooLong - fits > 1) {
    const middle = Math.floor((fits + tooLong) / 2);
    if (rolesWeight(shortened(kept, middle)) <= tokens) fits = middle;
    else tooLong = middle;
  }
  const listed = shortened(kept, fits);
  const cut = listed.filter((role, at) => role !== kept[at]).length;
  return { listed, cut, leftOut: roles.length - kept.length };
}

/** The name stands twice: among the values, and before its description. */
export function rolesWeight(roles: readonly ListedRole[]): number {
  return sentTokens(roles.map((role) => `"${role.name}",${role.name}: ${roleWords(role)} `).join(''));
}

/** What the model that starts agents reads of a role. */
export function roleWords({ description, fixed }: ListedRole): string {
  return fixed === undefined ? description : `${description} (fixed: ${fixed})`;
}

const mark = '…';

function shortened(roles: readonly ListedRole[], bytes: number): readonly ListedRole[] {
  return roles.map((role) => {
    if (byteLength(role.description) <= bytes) return role;
    return { ...role, description: `${firstBytes(role.description, bytes - byteLength(mark))}${mark}` };
  });
}
