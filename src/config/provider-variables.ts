import { type BuiltInProvider, builtInProviders } from './built-in-providers.ts';
import { isJsonObject, objectAt } from '../protocol/json.ts';
import type { ConfigLayer } from './config-layer.ts';
import type { ConfiguredProvider } from './key-table.ts';

export interface NamedProviders {
  readonly modelProviders: Readonly<Record<string, ConfiguredProvider>>;
  /** What providers in the files of other profiles name. */
  readonly otherVariables?: readonly string[];
}

/** What the providers of layers name, each layer by itself. */
export function variablesIn(layers: readonly Pick<ConfigLayer, 'values'>[]): readonly string[] {
  const tables = layers.flatMap(({ values }) => Object.values(objectAt(values, 'model_providers') ?? {}));
  const named = tables
    .filter(isJsonObject)
    .flatMap((table) => [table['env_key'], ...Object.values(objectAt(table, 'env_http_headers') ?? {})]);
  return [...new Set(named.filter((name) => typeof name === 'string'))];
}

/**
 * The variables from which any provider takes a key or a header, chosen or not: commands get none of them. A variable
 * of OpenAI counts even where another provider is used, since it may be set for a thread of tomorrow.
 */
export function providerVariables({ modelProviders, otherVariables = [] }: NamedProviders): readonly string[] {
  const builtIn: readonly BuiltInProvider[] = Object.values(builtInProviders);
  const configured = Object.values(modelProviders);
  const keys = [
    'CODEX_ACCESS_TOKEN',
    ...builtIn.flatMap(({ envKeys = [] }) => envKeys),
    ...configured.flatMap(({ envKey }) => envKey ?? []),
  ];
  const headers = [...builtIn, ...configured].flatMap(({ envHttpHeaders = {} }) => Object.values(envHttpHeaders));
  return [...new Set([...keys, ...headers, ...otherVariables])].toSorted();
}
