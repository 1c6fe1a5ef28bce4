import type { ProviderConfig } from '../../config/providers.ts';
import type { ProviderCapabilities } from '../../ports/provider.ts';

type Gates = Readonly<Record<string, boolean>>;

/** Parts of the addresses under which Azure offers models. */
const azureAddress =
  /openai\.azure\.|cognitiveservices\.azure\.|aoai\.azure\.|azure-api\.|azurefd\.|windows\.net\/openai/i;
const bedrockIds: ReadonlySet<string> = new Set(['amazon-bedrock', 'amazon-bedrock-runtime']);

/** What a server can do that speaks the Responses API: the one place that looks at who it is. */
export function responsesCapabilities(
  provider: Pick<ProviderConfig, 'id' | 'name' | 'baseUrl'>,
  gates: Gates,
): ProviderCapabilities {
  return {
    remoteCompaction: remoteCompaction(provider, gates),
    freeformTools: 'grammar',
    // Others do not know such programs, and may refuse a request that names one.
    accessPrograms: provider.id === 'openai' ? 'known' : 'unknown',
  };
}

/** The gate `remote_compaction_v2` decides between the two forms; it is open unless the configuration closes it. */
function remoteCompaction(
  { id, name, baseUrl }: Pick<ProviderConfig, 'id' | 'name' | 'baseUrl'>,
  gates: Gates,
): ProviderCapabilities['remoteCompaction'] {
  const isAzure = name.toLowerCase() === 'azure' || azureAddress.test(baseUrl);
  if (name !== 'OpenAI' && !isAzure && !bedrockIds.has(id)) return 'none';
  return gates['remote_compaction_v2'] === false ? 'unary' : 'stream';
}
