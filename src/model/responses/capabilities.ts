import { isGateOpen } from '../../config/feature-gates.ts';
import type { ProviderConfig } from '../../config/providers.ts';
import type { ProviderCapabilities } from '../../ports/provider.ts';

/** What a server can do that speaks the Responses API. */
export function responsesCapabilities(
  { capabilities }: Pick<ProviderConfig, 'capabilities'>,
  gates: Readonly<Record<string, boolean>>,
): ProviderCapabilities {
  const form = isGateOpen('remote_compaction_v2', gates) ? 'stream' : 'unary';
  return {
    remoteCompaction: capabilities.remoteCompaction ? form : 'none',
    freeformTools: capabilities.freeformTools ? 'grammar' : 'none',
    ...(capabilities.requestCompression && isGateOpen('enable_request_compression', gates)
      ? { requestCompression: 'zstd' as const }
      : {}),
    // The server of accounts refuses it.
    outputLimit: 'with-key',
    // Others do not know such programs, and may refuse a request that names one.
    accessPrograms: capabilities.accessPrograms ? 'known' : 'unknown',
  };
}
