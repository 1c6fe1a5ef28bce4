import type { Policy } from './policy.ts';

/** Which tools the turn offers. Names only: the tools themselves are built by the router. */
export interface Capabilities {
  readonly tools: readonly string[];
}

export function resolveCapabilities(known: readonly string[], _before: { policy: Policy }): Capabilities {
  return { tools: known };
}
