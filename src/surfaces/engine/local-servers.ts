import { localProviders } from '../../config/local-providers.ts';
import { askLocalServer } from '../../model/local-server.ts';
import type { EngineParts } from './engine-parts.ts';
import { locatedProvider } from './thread-providers.ts';

/** A server with models on the user's own machine. */
export interface LocalServerFound {
  /** Of its provider. */
  readonly id: string;
  readonly name: string;
  readonly address: string;
  readonly models: readonly string[];
}

/** Those that answer with a list of models within the time. */
export async function findLocalServers(
  { base, options }: Pick<EngineParts, 'base' | 'options'>,
  patienceMs: number,
): Promise<readonly LocalServerFound[]> {
  const found = await Promise.all(
    localProviders.map(async ({ id }): Promise<readonly LocalServerFound[]> => {
      const provider = locatedProvider(base.config, id, options.env);
      // An address that cannot be used is reported by the one who chooses it.
      if ('code' in provider) return [];
      const server = await askLocalServer(provider.baseUrl, patienceMs);
      if (server.kind !== 'answers') return [];
      const { origin, pathname } = new URL(provider.baseUrl);
      return [{ id, name: provider.name, address: `${origin}${pathname}`, models: server.models }];
    }),
  );
  return found.flat();
}
