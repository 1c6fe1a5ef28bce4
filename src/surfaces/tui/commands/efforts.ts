/** They cost a multiple of the others: no key and no first list leads to one of them. */
const topEfforts: ReadonlySet<string> = new Set(['xhigh', 'max', 'ultra']);

/** The efforts of a model as lists divide them, each in its order. */
export function dividedEfforts(efforts: readonly string[]): {
  readonly usual: readonly string[];
  readonly top: readonly string[];
} {
  const usual = efforts.filter((effort) => !topEfforts.has(effort));
  // A model that has no others has no first list to hide them behind.
  return usual.length === 0
    ? { usual: efforts, top: [] }
    : { usual, top: efforts.filter((effort) => topEfforts.has(effort)) };
}

/** The next effort up or down, never one of the top. Undefined: there is none. */
export function nextEffort(
  efforts: readonly string[],
  { current, fallback, by }: { readonly current?: string; readonly fallback?: string; readonly by: 1 | -1 },
): string | undefined {
  const { usual, top } = dividedEfforts(efforts);
  const now = current ?? fallback ?? '';
  // Down from the top leads to the highest of the usual ones.
  const at = top.includes(now) ? usual.length : usual.indexOf(now);
  return at === -1 ? undefined : usual[at + by];
}
