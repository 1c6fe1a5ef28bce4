export function reachableSources(): readonly string[];
export function execSources(late: readonly string[]): {
  readonly first: ReadonlySet<string>;
  readonly later: ReadonlySet<string>;
};
