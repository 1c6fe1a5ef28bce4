/** Things that are offered together or not at all, and what they weigh. */
export interface WeighedGroup<Name extends string = string> {
  readonly name: Name;
  readonly tokens: number;
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
