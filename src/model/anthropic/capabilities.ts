import type { ProviderCapabilities } from '../../ports/provider.ts';

/** Every server that speaks the Messages API has these and no more. */
export function anthropicCapabilities(): ProviderCapabilities {
  return { remoteCompaction: 'none', freeformTools: 'none', accessPrograms: 'unknown', outputLimit: 'always' };
}
