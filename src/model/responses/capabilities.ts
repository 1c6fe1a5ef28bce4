import { isGateOpen } from '../../config/feature-gates.ts';
import type { ProviderConfig } from '../../config/providers.ts';
import type { ProviderCapabilities } from '../../ports/provider.ts';

/** Parts of the addresses under which Azure offers models. */
const azureAddress =
  /openai\.azure\.|cognitiveservices\.azure\.|aoai\.azure\.|azure-api\.|azurefd\.|windows\.net\/openai/i;
const bedrockIds: ReadonlySet<string> = new Set(['amazon-bedrock', 'amazon-bedrock-runtime']);

/** What a server can do that speaks the Responses API: the one place that looks at who it is. */
export function responsesCapabilities(
  { id, name, baseUrl }: Pick<ProviderConfig, 'id' | 'name' | 'baseUrl'>,
  gates: Readonly<Record<string, boolean>>,
): ProviderCapabilities {
  const isAzure = name.toLowerCase() === 'azure' || azureAddress.test(baseUrl);
  const canCompact = name === 'OpenAI' || isAzure || bedrockIds.has(id);
  const form = isGateOpen('remote_compaction_v2', gates) ? 'stream' : 'unary';
  return {
    remoteCompaction: canCompact ? form : 'none',
    freeformTools: 'grammar',
    // Others do not know such programs, and may refuse a request that names one.
    accessPrograms: id === 'openai' ? 'known' : 'unknown',
  };
}
