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

/**
 * Where the list of efforts opens: at the present effort if the model has it, or at the model's usual one. The row behind
 * the last leads to the top efforts.
 */
export function startingEffort(
  efforts: readonly string[],
  { present, usual }: { readonly present?: string; readonly usual?: string },
): number {
  const divided = dividedEfforts(efforts);
  for (const effort of [present ?? '', usual ?? '']) {
    if (divided.top.includes(effort)) return divided.usual.length;
    if (divided.usual.includes(effort)) return divided.usual.indexOf(effort);
  }
  return 0;
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
