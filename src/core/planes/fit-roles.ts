import { largestThatFits } from '../../base/largest-that-fits.ts';
import { countOmittedOutput } from '../../protocol/display-text.ts';
import { byteLength, firstBytes, sentTokens } from '../fragments/text/truncate.ts';

export interface ListedRole {
  readonly name: string;
  readonly description: string;
  /** Settings that the role fixes for its agents. Never cut: a task that they do not allow would be lost. */
  readonly fixed?: string;
}

export interface FittingRoles {
  /** In the same order, some with visibly cut descriptions. */
  readonly listed: readonly ListedRole[];
  readonly cut: number;
  readonly leftOut: number;
}

const leastBytes = 40;

/** Fits roles into a token limit: cuts descriptions to one length first, then drops the last roles. */
export function fitRoles(roles: readonly ListedRole[], tokens: number): FittingRoles {
  if (countRoleTokens(roles) <= tokens) return { listed: roles, cut: 0, leftOut: 0 };
  let kept = roles;
  while (kept.length > 0 && countRoleTokens(shortened(kept, leastBytes)) > tokens) kept = kept.slice(0, -1);
  const longest = Math.max(leastBytes, ...kept.map(({ description }) => byteLength(description)));
  const fits = (bytes: number): boolean => countRoleTokens(shortened(kept, bytes)) <= tokens;
  const listed = shortened(kept, largestThatFits(leastBytes, longest, fits));
  const cut = listed.filter((role, at) => role !== kept[at]).length;
  return { listed, cut, leftOut: roles.length - kept.length };
}

/** The name appears twice: among the values, and before its description. */
export const countRoleTokens = (roles: readonly ListedRole[]): number =>
  sentTokens(roles.map((role) => `"${role.name}",${role.name}: ${describeRole(role)} `).join(''));
export const describeRole = ({ description, fixed }: ListedRole): string =>
  fixed === undefined ? description : `${description} (fixed: ${fixed})`;
const mark = '…';

const shortened = (roles: readonly ListedRole[], bytes: number): readonly ListedRole[] =>
  roles.map((role) => {
    if (byteLength(role.description) <= bytes) return role;
    return { ...role, description: `${firstBytes(role.description, bytes - byteLength(mark))}${mark}` };
  });

export type WeighedGroup<Name extends string = string> = { readonly name: Name; readonly tokens: number };

/** Chooses groups within the budget, light ones first, so that one heavy group does not keep the others out. */
export function groupsWithinBudget<Name extends string>(groups: readonly WeighedGroup<Name>[], budget: number) {
  const direct = new Set<Name>();
  let left = budget;
  for (const { name, tokens } of groups.toSorted((a, b) => a.tokens - b.tokens || (a.name < b.name ? -1 : 1))) {
    if (tokens > left) break;
    direct.add(name);
    left -= tokens;
  }
  return direct;
}

/** Keeps whole files that fit: half a file would be judged as if complete. `isCut`: a file's middle is missing. */
export function fitDiff(diff: string, budget: number, weigh: (text: string) => number) {
  const files = diff.split(/^(?=diff --git )/m).filter((text) => text.trim() !== '');
  const kept: string[] = [];
  const leftOut: string[] = [];
  let left = budget;
  // No line of a diff begins like this: each has a sign before it.
  const isCut = (text: string): boolean => countOmittedOutput(text) !== undefined;
  for (const file of files) {
    const tokens = weigh(file);
    if (tokens <= left && !isCut(file)) {
      kept.push(file);
      left -= tokens;
    } else {
      leftOut.push(nameIn(file));
    }
  }
  return { text: kept.join('').trimEnd(), leftOut, isCut: isCut(diff) };
}

function nameIn(file: string): string {
  const [first = ''] = file.split('\n', 1);
  return /^diff --git (?:"?a\/.*?"?) "?b\/(?<name>.*?)"?$/.exec(first)?.groups?.['name'] ?? first;
}
