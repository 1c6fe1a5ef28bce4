import type { ProviderConfig } from '../../config/providers.ts';
import type { Catalogue, CatalogueEntry, ProviderLimits } from '../../envelope/model-record.ts';
import { catalogueEntry } from './catalogue-file.ts';
import type { KeptModels } from './model-files.ts';

interface KnownOfProvider {
  readonly provider: Pick<ProviderConfig, 'id' | 'capabilities'>;
  /** What the server said. */
  readonly said?: KeptModels | undefined;
  /** What tests found. It stands over what the server said. */
  readonly tested?: KeptModels | undefined;
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
