import { defined } from '../protocol/defined.ts';
import { providerName, type ProviderName } from '../protocol/provider-name.ts';
import type { Envelope } from './envelope.ts';

/** Who gets the requests of a turn. */
export function providerOfTurn({ identity }: Envelope): ProviderName {
  return providerName(identity.provider, { ...defined({ address: identity.address }), wire: identity.modelClient });
}
