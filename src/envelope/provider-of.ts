import { defined } from '../protocol/defined.ts';
import { providerName, type ProviderName } from '../protocol/provider-name.ts';
import type { Envelope } from './envelope.ts';

/** Who gets the requests of a turn, and what it makes of them. */
export function providerOfTurn({ identity }: Envelope): ProviderName {
  const { address, modelClient, model } = identity;
  const { slug, compatibility } = model;
  return providerName(identity.provider, { ...defined({ address, compatibility }), wire: modelClient, model: slug });
}
