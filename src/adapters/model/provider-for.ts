import type { ProviderConfig, ProviderProblem } from '../../core/config/providers/provider-config.ts';
import { commonCapabilities } from '../../core/config/providers/server-capabilities.ts';
import type { Encoder, ModelProvider } from '../../ports/model.ts';
import type { HttpClientOptions } from './http/send-question.ts';
import { responsesFormat } from './responses/client.ts';
import type { WireFormat } from './http/http-client.ts';

type Asked = Pick<ProviderConfig, 'capabilities'>;

/** Rarely used formats are imported on demand. */
const builtIn: Readonly<Record<string, (provider: Asked) => WireFormat | Promise<WireFormat>>> = {
  responses: ({ capabilities }) => (capabilities.freeformTools ? responsesFormat : functionsOnly()),
  chat: async () => (await import('./chat/client.ts')).chatFormat,
  anthropic: async () => (await import('./anthropic/client.ts')).anthropicFormat,
};

const functionsOnly = async (): Promise<WireFormat> =>
  (await import('./responses/functions-only.ts')).functionsOnlyFormat;

/** Opens nothing before its first request. `formats`: those that a program added; they override built-in ones. */
export async function providerFor(
  options: HttpClientOptions,
  { gates, formats }: { readonly gates: Readonly<Record<string, boolean>>; readonly formats: readonly WireFormat[] },
): Promise<ModelProvider | ProviderProblem> {
  const { provider } = options;
  const { wireApi } = provider;
  const load = Object.hasOwn(builtIn, wireApi) ? builtIn[wireApi] : undefined;
  const found = formats.find(({ name }) => name === wireApi) ?? (await load?.(provider));
  if (found === undefined)
    return unknownFormat(provider.id, wireApi, [...Object.keys(builtIn), ...formats.map(({ name }) => name)]);
  const capabilities = found.capabilities(provider, gates);
  return {
    wire: found.name,
    encoder: found.encoder(provider),
    client: found.client({ ...options, capabilities }),
    capabilities,
  };
}

/** Encoders by version, to reproduce requests of the past, whose records name the version. */
export async function loadEncoders(): Promise<ReadonlyMap<string, Encoder>> {
  const loading = Object.values(builtIn).map((load) => load(anyProvider));
  const formats = await Promise.all([...loading, functionsOnly()]);
  const encoders = formats.flatMap((format) => format.everyEncoder?.() ?? [format.encoder(anyProvider)]);
  return new Map(encoders.map((encoder) => [encoder.version, encoder]));
}

const anyProvider = { id: '', baseUrl: '', capabilities: commonCapabilities };

function unknownFormat(id: string, wireApi: string, known: readonly string[]): ProviderProblem {
  const names = known.map((name) => `"${name}"`).join(', ');
  const message = `The provider "${id}" has wire_api "${wireApi}"; Capstan supports ${names}`;
  const next = `Set model_providers.${id}.wire_api to the format that the server speaks, or choose another provider.`;
  return { code: 'provider-wire-api', message, next };
}
