import type { Envelope } from '../../envelope/envelope.ts';
import type { Provider } from '../../ports/provider.ts';
import type { Outcome } from '../../protocol/outcome.ts';

/**
 * How a turn gets a history that its provider can read, where history begins with a checkpoint that another provider
 * made and encrypted. `behind`: the history that stands behind it is used again. `ask`: its maker is asked for a
 * checkpoint that every provider can read; if that fails, `hasBehind` says whether there is the other way.
 */
export type WayToRead =
  | { readonly kind: 'behind' }
  | { readonly kind: 'ask'; readonly maker: MakerToAsk; readonly hasBehind: boolean; readonly otherwise: Outcome }
  | { readonly kind: 'refused'; readonly outcome: Outcome };

export interface MakerToAsk {
  readonly provider: Provider;
  readonly by: Envelope;
}
