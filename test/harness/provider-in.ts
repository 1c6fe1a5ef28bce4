import type { HttpClientOptions } from '../../src/adapters/model/http/send-question.ts';
import type { WireFormat } from '../../src/adapters/model/http/http-client.ts';
import type { ModelProvider, ProviderCapabilities } from '../../src/ports/model.ts';

/** A provider that speaks the format. Unless its options name one that can, it does not compact by itself. */
export function providerIn(format: WireFormat, options: HttpClientOptions): ModelProvider {
  return {
    wire: format.name,
    encoder: format.encoder(options.provider),
    client: format.client(options),
    capabilities: format.capabilities(options.provider, {}),
  };
}

/** The provider with other capabilities. */
export function withCapabilities(provider: ModelProvider, capabilities: Partial<ProviderCapabilities>): ModelProvider {
  return { ...provider, capabilities: { ...provider.capabilities, ...capabilities } };
}
