import type { ProviderConfig } from '../../config/providers.ts';
import type { Outcome } from '../../protocol/outcome.ts';

/** What is said once when requests go over HTTP instead. `why`: the rest of a sentence that begins with the provider. */
export function fallbackNotice(
  { id, name }: Pick<ProviderConfig, 'id' | 'name'>,
  why: string,
): Outcome<'websocket-unavailable'> {
  const setting = id === 'openai' ? 'features.responses_websockets' : `model_providers.${id}.supports_websockets`;
  return {
    code: 'websocket-unavailable',
    message: `Capstan sends requests over HTTP, because no WebSocket could be opened: ${name} ${why.replace(/\.$/, '')}.`,
    next: `Nothing is lost, and Capstan tries again later. To use HTTP only, set ${setting} = false.`,
  };
}
