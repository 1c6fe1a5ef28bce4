import { atLocalAddress } from '../../config/local-providers.ts';
import { providerAddress, type ProviderConfig, providerOf, type ProviderProblem } from '../../config/providers.ts';
import { providerCredentials } from '../../model/http/auth/credentials.ts';
import { providerFor } from '../../model/provider-for.ts';
import type { Provider } from '../../ports/provider.ts';
import { isSameProvider, type ProviderName, providerName } from '../../protocol/provider-name.ts';
import type { ConfiguredThread } from './configure-thread.ts';
import type { EngineParts } from './engine-parts.ts';

/** Makes the providers of one thread. Nothing is sent or opened by that. */
export interface ThreadProviders {
  make(provider: ProviderConfig): Promise<Provider | ProviderProblem>;
  /** One that is configured, at the same address where that is known; undefined when there is none. */
  find(wanted: ProviderName): Promise<Provider | undefined>;
}

export function threadProviders(
  { options, clock, logins, post, programs, sendTo }: EngineParts,
  { config, settings }: Pick<ConfiguredThread, 'config' | 'settings'>,
): ThreadProviders {
  const { env, formats = [] } = options;
  const { features = {} } = settings;
  const make = (provider: ProviderConfig): Promise<Provider | ProviderProblem> =>
    providerFor(
      {
        provider,
        credentials: providerCredentials(provider, {
          environment: env,
          logins,
          post,
          programs,
          now: () => clock.now(),
        }),
        environment: env,
        limits: config.answer,
        clock,
        random: Math.random,
        sendTo,
      },
      { gates: features, formats },
    );
  return {
    make,
    async find(wanted) {
      const known = providerOf(config, wanted.id);
      const found = 'code' in known ? known : atLocalAddress(known, env);
      if ('code' in found || !isSameProvider(wanted, providerName(found.id, providerAddress(found)))) return undefined;
      const made = await make(found);
      return 'code' in made ? undefined : made;
    },
  };
}
