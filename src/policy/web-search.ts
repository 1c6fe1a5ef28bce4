/** How the provider may search the web: what it keeps, what it indexed, or the web itself. */
export const webSearchModes = ['disabled', 'cached', 'indexed', 'live'] as const;

export type WebSearchMode = (typeof webSearchModes)[number];

/**
 * The mode of a turn. Where commands may do everything, a kept copy of the web protects nothing, so the web itself is
 * searched, if that is allowed. `indexed` is never chosen for a user who did not ask for it.
 */
export function webSearchMode({
  wanted,
  allowed = webSearchModes,
  isUnlimited,
}: {
  readonly wanted: WebSearchMode;
  readonly allowed?: readonly WebSearchMode[];
  readonly isUnlimited: boolean;
}): WebSearchMode {
  if (wanted === 'disabled') return wanted;
  const order: readonly WebSearchMode[] =
    isUnlimited && wanted !== 'indexed' ? ['live', 'cached'] : [wanted, 'cached', 'live'];
  return order.find((mode) => allowed.includes(mode)) ?? 'disabled';
}
