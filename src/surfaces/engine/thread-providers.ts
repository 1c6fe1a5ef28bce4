import type { Config } from '../../config/config.ts';
import { isGateOpen } from '../../config/feature-gates.ts';
import { atLocalAddress } from '../../config/local-providers.ts';
import { providerAddress, type ProviderConfig, providerOf, type ProviderProblem } from '../../config/providers.ts';
import type { Settings } from '../../envelope/settings.ts';
import { providerCredentials } from '../../model/http/auth/credentials.ts';
import { providerFor } from '../../model/provider-for.ts';
import type { Provider } from '../../ports/provider.ts';
import { isSameProvider, type ProviderName, providerName } from '../../protocol/provider-name.ts';
import type { Variables } from '../../protocol/variables.ts';
import type { EngineParts } from './engine-parts.ts';

/** A provider that is configured, at the address where the environment says that it is. */
export function locatedProvider(config: Config, id: string, env: Variables): ProviderConfig | ProviderProblem {
  const known = providerOf(config, id, env);
  return 'code' in known ? known : atLocalAddress(known, env);
}

/** As requests to it are recorded. */
export function nameOfProvider(provider: ProviderConfig): ProviderName {
  return providerName(provider.id, { address: providerAddress(provider), wire: provider.wireApi });
}

/** Makes the providers of one thread. Nothing is sent or opened by that. */
export function threadProviders(
  { options, clock, logins, requests, programs, programFolder, sendTo }: EngineParts,
  { config, settings }: { readonly config: Config; readonly settings: Pick<Settings, 'features'> },
) {
  const { env: environment, formats = [] } = options;
  const gates = settings.features ?? {};
  const make = (configured: ProviderConfig): Promise<Provider | ProviderProblem> => {
    const supportsWebsockets = configured.supportsWebsockets && isGateOpen('responses_websockets', gates);
    const provider = { ...configured, supportsWebsockets };
    const sources = { environment, logins, requests, programs, programFolder, now: () => clock.now() };
    const credentials = providerCredentials(provider, sources);
    const client = { provider, credentials, environment, limits: config.answer, clock, random: Math.random, sendTo };
    return providerFor(client, { gates, formats });
  };
  /** One that is configured, at the same address where that is known; undefined when there is none. */
  const find = async (wanted: ProviderName): Promise<Provider | undefined> => {
    const found = locatedProvider(config, wanted.id, environment);
    if ('code' in found || !isSameProvider(wanted, nameOfProvider(found))) return undefined;
    const made = await make(found);
    return 'code' in made ? undefined : made;
  };
  return { make, find };
}
