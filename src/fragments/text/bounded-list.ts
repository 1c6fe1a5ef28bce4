export interface BoundedList {
  readonly kept: readonly string[];
  /** How many entries found no space. */
  readonly left: number;
}

/** As many entries from the front as fit. The caller says how many are missing. */
export function boundedList(
  entries: readonly string[],
  { count, characters }: { readonly count: number; readonly characters: number },
): BoundedList {
  let used = 0;
  const kept: string[] = [];
  for (const entry of entries) {
    used += entry.length + 1;
    if (kept.length === count || used > characters) break;
    kept.push(entry);
  }
  return { kept, left: entries.length - kept.length };
}

/** The entries as lines that begin with a dash, and a last line that counts what is missing. */
export function dashedLines({ kept, left }: BoundedList): readonly string[] {
  return [...kept.map((entry) => `- ${entry}`), ...(left === 0 ? [] : [`… and ${left} more that are not listed here`])];
}
