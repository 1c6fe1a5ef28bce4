import type { ProviderName } from '../protocol/provider-name.ts';
import { noUsage, type Usage } from '../protocol/usage.ts';

/** What is known of the tokens in the window. Nothing says which of these it is but `kind`: a total alone may be any. */
export type NewestCount = ProviderCount | EstimatedCount | FullWindow;

interface Covering {
  /** How many entries history had when the line was written: what came later is not in the number. */
  readonly upTo: number;
  /** Who got the request; absent where the file does not say. */
  readonly by?: ProviderName;
}

/** The provider counted a request and its answer. Later answers without a count leave it the newest one. */
export interface ProviderCount extends Covering {
  readonly kind: 'counted';
  readonly usage: Usage;
}

/** No count of a provider fits: an estimate of what stood in history, with instructions and tools. */
interface EstimatedCount extends Covering {
  readonly kind: 'estimated';
  readonly tokens: number;
}

/** A request was refused as too long, and none has been answered since. `tokens` is the size of the window. */
interface FullWindow extends Covering {
  readonly kind: 'full';
  readonly tokens: number;
}

export const noCount: NewestCount = { kind: 'estimated', tokens: 0, upTo: 0 };

/** The same as the shared file format writes it: what no provider counted is a total alone. */
export function lastUsage(newest: NewestCount): Usage {
  return newest.kind === 'counted' ? newest.usage : { ...noUsage, total: newest.tokens };
}
