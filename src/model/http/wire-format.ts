import type { ProviderConfig } from '../../config/providers.ts';
import type { ModelClient } from '../../ports/model-client.ts';
import type { Encoder } from '../../ports/prompt.ts';
import type { ProviderCapabilities } from '../../ports/provider.ts';
import type { HttpClientOptions } from './ask.ts';

/** How requests and answers are written for a provider. Items are in the Responses dialect on our side of it. */
export interface WireFormat {
  /** As `wire_api` names it. */
  readonly name: string;
  /** A new one for each thread: it may keep the bytes of items. `provider`: who gets the requests. */
  encoder(provider: Pick<ProviderConfig, 'id' | 'baseUrl' | 'capabilities'>): Encoder;
  /** All that `encoder` may give, where providers of the format differ. Absent: it gives one and the same. */
  everyEncoder?(): readonly Encoder[];
  /** Opens nothing before the first request. */
  client(options: HttpClientOptions): ModelClient;
  /** Of this provider, which speaks the format. `gates`: features that are switched on or off. */
  capabilities(provider: ProviderConfig, gates: Readonly<Record<string, boolean>>): ProviderCapabilities;
}
