/** Things that are offered together or not at all, and what they weigh. */
export interface WeighedGroup<Name extends string = string> {
  readonly name: Name;
  readonly tokens: number;
}

/** However large the window is, descriptions of optional tools are not worth more. */
const mostTokens = 20_000;
const percent = 10;

/** What optional tools may weigh in a window of this size. */
export function optionalToolsBudget(windowTokens: number): number {
  return Math.min(mostTokens, Math.floor((windowTokens * percent) / 100));
}

/** The groups that fit the budget: the light ones first, so that one heavy group does not keep the others out. */
export function directGroups<Name extends string>(
  groups: readonly WeighedGroup<Name>[],
  budget: number,
): ReadonlySet<Name> {
  const direct = new Set<Name>();
  let left = budget;
  for (const { name, tokens } of groups.toSorted((a, b) => a.tokens - b.tokens || (a.name < b.name ? -1 : 1))) {
    if (tokens > left) break;
    direct.add(name);
    left -= tokens;
  }
  return direct;
}
