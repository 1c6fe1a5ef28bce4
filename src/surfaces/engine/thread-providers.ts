import type { Config } from '../../config/config.ts';
import { atLocalAddress } from '../../config/local-providers.ts';
import { providerAddress, type ProviderConfig, providerOf, type ProviderProblem } from '../../config/providers.ts';
import type { Settings } from '../../envelope/settings.ts';
import { callerPrograms, systemPrograms } from '../../exec/programs.ts';
import { loginStore } from '../../gather/login-store.ts';
import { providerCredentials } from '../../model/http/auth/credentials.ts';
import { postJson } from '../../model/http/auth/post-json.ts';
import { sender } from '../../model/http/network/exchange.ts';
import { providerFor } from '../../model/provider-for.ts';
import type { WireFormat } from '../../model/wire-format.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Provider } from '../../ports/provider.ts';
import { isSameProvider, type ProviderName, providerName } from '../../protocol/provider-name.ts';
import { createFlock } from '../../rollout/flock.ts';
import type { Environment } from '../environment.ts';

export interface ThreadProvidersInput {
  readonly env: Environment;
  readonly home: string;
  readonly clock: Clock;
  readonly config: Config;
  readonly settings: Settings;
  readonly formats: readonly WireFormat[];
  /** Where commands may write: a program for a key does not come from there. */
  writable(): readonly string[];
}

/** Makes the providers of one thread. Nothing is sent or opened by that. */
export interface ThreadProviders {
  make(provider: ProviderConfig): Promise<Provider | ProviderProblem>;
  /** One that is configured, at the same address where that is known; undefined when there is none. */
  find(wanted: ProviderName): Promise<Provider | undefined>;
}

export function threadProviders(input: ThreadProvidersInput): ThreadProviders {
  const { env, home, clock, config, settings, formats } = input;
  const { cwd, features = {} } = settings;
  const make = (provider: ProviderConfig): Promise<Provider | ProviderProblem> =>
    providerFor(
      {
        provider,
        credentials: providerCredentials(provider, {
          environment: env,
          logins: loginStore({ home, locks: createFlock({ clock, programs: systemPrograms }), clock }),
          post: postJson(sender({ environment: env })),
          programs: callerPrograms({
            path: env['PATH'] ?? '',
            writable: () => [cwd, '/tmp', env['TMPDIR'] ?? '', ...input.writable()],
          }),
          now: () => clock.now(),
        }),
        environment: env,
        limits: config.answer,
        clock,
        random: Math.random,
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
