import type { Config } from '../../config/config.ts';
import type { ProviderConfig } from '../../config/providers.ts';
import type { Catalogue, CatalogueEntry, ProviderLimits } from '../../envelope/model-record.ts';
import { catalogueEntry } from './catalogue-file.ts';
import type { Variables } from '../../protocol/variables.ts';
import { type KeptModels, modelFiles } from './model-files.ts';
import { modelsOwner } from './models-owner.ts';

interface KnownOfProvider {
  readonly provider: Pick<ProviderConfig, 'id' | 'capabilities'>;
  /** What the server said. */
  readonly said?: KeptModels | undefined;
  /** What tests found. It stands over what the server said. */
  readonly tested?: KeptModels | undefined;
}

/** What the home holds of a provider's models. A file of the user's that describes all models counts alone. */
export function keptOfProvider(
  home: string,
  { provider, config, environment }: CatalogueOwner,
): Pick<KnownOfProvider, 'said' | 'tested'> {
  if (config.modelCatalogJson !== undefined) return {};
  const files = modelFiles(home);
  const owner = modelsOwner(provider, environment);
  return { said: files.read(owner, 'said'), tested: files.read(owner, 'tested') };
}

interface CatalogueOwner {
  readonly provider: ProviderConfig;
  readonly config: Pick<Config, 'modelCatalogJson'>;
  /** Says whether a key or the login counts. */
  readonly environment: Variables;
}

/** The catalogue of one provider, with what is kept of its models. No server is asked. */
export function loadCatalogueOfProvider(home: string, described: Catalogue, owner: CatalogueOwner): Catalogue {
  return catalogueOfProvider(described, { provider: owner.provider, ...keptOfProvider(home, owner) });
}

/** The catalogue with what is known of one provider and its models. */
export function catalogueOfProvider(base: Catalogue, { provider, said, tested }: KnownOfProvider): Catalogue {
  const records = (said?.models ?? []).flatMap(({ record }) => {
    const entry = record && catalogueEntry(record, base.fallback);
    return entry === undefined || 'expected' in entry ? [] : [entry];
  });
  const isNew = ({ slug }: CatalogueEntry): boolean => !records.some((record) => record.slug === slug);
  const [first, ...others] = base.models;
  const own = records.find(({ slug }) => slug === first.slug) ?? first;
  const plain = (said?.models ?? []).filter(({ record }) => record === undefined);
  return {
    ...base,
    models: [own, ...others.filter(isNew), ...records.filter(({ slug }) => slug !== first.slug)],
    known: [...plain, ...(tested?.models ?? [])],
    limits: limitsOf(provider),
  };
}

function limitsOf({ id, capabilities }: KnownOfProvider['provider']): ProviderLimits {
  return {
    source: `provider ${id}`,
    ...(capabilities.pictures ? {} : { pictures: false }),
    ...(capabilities.parallelCalls ? {} : { parallelCalls: false }),
  };
}
