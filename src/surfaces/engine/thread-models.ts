import type { Config } from '../../config/config.ts';
import type { ProviderProblem } from '../../config/providers.ts';
import type { Catalogue } from '../../envelope/model-record.ts';
import type { Settings } from '../../envelope/settings.ts';
import type { EngineParts } from './engine-parts.ts';
import { type ProviderModels, providerModels } from './provider-models.ts';
import { isSameProvider, type ProviderName } from '../../protocol/provider-name.ts';
import { locatedProvider, nameOfProvider } from './thread-providers.ts';

/** What a thread knows of models, by the provider that a turn asks: no provider's facts count at another. */
export interface ThreadModels {
  of(provider: string): ProviderModels | ProviderProblem;
  /** With what is known by now of the provider in these settings. */
  catalogue(settings: Pick<Settings, 'provider'>): Catalogue;
  /** Of a provider that answered before. One that is no longer there is known by the catalogue alone. */
  catalogueOf(name: ProviderName): Catalogue;
  /** Nothing is asked any more. */
  release(): Promise<void>;
}

/** `described`: what is known without any provider. */
export function threadModels(
  engine: EngineParts,
  { config, described }: { readonly config: Config; readonly described: Catalogue },
): ThreadModels {
  const made = new Map<string, ProviderModels>();
  const of = (id: string): ProviderModels | ProviderProblem => {
    const known = made.get(id);
    if (known !== undefined) return known;
    const provider = locatedProvider(config, id, engine.options.env);
    if ('code' in provider) return provider;
    const models = providerModels(engine, { provider, described, config });
    made.set(id, models);
    return models;
  };
  return {
    of,
    catalogue({ provider }) {
      const models = of(provider);
      return 'code' in models ? described : models.catalogue();
    },
    catalogueOf(name) {
      const found = locatedProvider(config, name.id, engine.options.env);
      return 'code' in found || !isSameProvider(name, nameOfProvider(found))
        ? described
        : this.catalogue({ provider: name.id });
    },
    async release() {
      await Promise.all([...made.values()].map((models) => models.release()));
    },
  };
}
