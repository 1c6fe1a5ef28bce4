import type { ProviderConfig } from './providers.ts';

/** Parts of the addresses under which Azure offers models. */
const azureAddress =
  /openai\.azure\.|cognitiveservices\.azure\.|aoai\.azure\.|azure-api\.|azurefd\.|windows\.net\/openai/i;
const bedrockIds: ReadonlySet<string> = new Set(['amazon-bedrock', 'amazon-bedrock-runtime']);

/**
 * How a provider makes checkpoints itself: not at all, as a step that ends in a trigger (`stream`), or at an endpoint of
 * its own (`unary`). The gate `remote_compaction_v2` decides between the two; it is open unless somebody closed it.
 */
export function remoteCompaction(
  { id, name, baseUrl }: Pick<ProviderConfig, 'id' | 'name' | 'baseUrl'>,
  gates: Readonly<Record<string, boolean>>,
): 'none' | 'stream' | 'unary' {
  const isAzure = name.toLowerCase() === 'azure' || azureAddress.test(baseUrl);
  if (name !== 'OpenAI' && !isAzure && !bedrockIds.has(id)) return 'none';
  return gates['remote_compaction_v2'] === false ? 'unary' : 'stream';
}
