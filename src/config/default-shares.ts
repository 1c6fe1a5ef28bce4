/** The shares of the window that are used where no layer says otherwise. */
const builtIn = {
  autoCompactPercent: 90,
  reservePercent: 10,
  skillsPercent: 2,
  memoryPercent: 70,
  baselineTokens: 12_000,
} as const;

export type DefaultShares = { readonly [Key in keyof typeof builtIn]: number };

/** Where only one of compaction and reserve is chosen, the other makes way for it. */
export function defaultShares({
  autoCompactPercent: compact,
  reservePercent: reserve,
}: Partial<DefaultShares> = {}): DefaultShares {
  return {
    ...builtIn,
    ...(compact === undefined ? {} : { reservePercent: Math.min(builtIn.reservePercent, 100 - compact) }),
    ...(reserve === undefined ? {} : { autoCompactPercent: Math.min(builtIn.autoCompactPercent, 100 - reserve) }),
  };
}
