import { isJsonObject, type Json, type JsonObject, objectAt } from '../protocol/json.ts';
import { type BuiltInProvider, builtInProviders } from './built-in-providers.ts';
import type { ConfigLayer } from './config-layer.ts';
import type { ConfiguredMcpServer, ConfiguredProvider } from './key-table.ts';

export interface NamedVariables {
  readonly modelProviders: Readonly<Record<string, ConfiguredProvider>>;
  readonly mcpServers?: Readonly<Record<string, ConfiguredMcpServer>>;
  /** Those that the files of other profiles name. */
  readonly otherVariables?: readonly string[];
}

/** The secret variables that layers name, each layer by itself. */
export function variablesIn(layers: readonly Pick<ConfigLayer, 'values'>[]): readonly string[] {
  const named = [
    ...tablesIn(layers, 'model_providers').flatMap((table) => [table['env_key'], ...headerVariables(table)]),
    ...tablesIn(layers, 'mcp_servers').flatMap((table) => [
      table['bearer_token_env_var'],
      objectAt(table, 'oauth')?.['client_secret_env_var'],
      ...headerVariables(table),
    ]),
  ];
  return [...new Set(named.filter((name) => typeof name === 'string'))];
}

/** The variables that layers pass on to MCP servers by `env_vars`. Commands may have them: some are no secrets. */
export function passedVariablesIn(layers: readonly Pick<ConfigLayer, 'values'>[]): readonly string[] {
  return tablesIn(layers, 'mcp_servers')
    .flatMap(({ env_vars: passed }) => (Array.isArray(passed) ? passed : []))
    .map((each: Json) => (isJsonObject(each) ? each['name'] : each))
    .filter((name) => typeof name === 'string');
}

function tablesIn(layers: readonly Pick<ConfigLayer, 'values'>[], key: string): readonly JsonObject[] {
  return layers.flatMap(({ values }) => Object.values(objectAt(values, key) ?? {})).filter(isJsonObject);
}

function headerVariables(table: JsonObject): readonly unknown[] {
  return Object.values(objectAt(table, 'env_http_headers') ?? {});
}

/**
 * The variables from which any provider takes a key or a header, chosen or not. A variable of OpenAI counts even where
 * another provider is used, since it may be set for a thread of tomorrow.
 */
export function providerVariables({ modelProviders, otherVariables = [] }: NamedVariables): readonly string[] {
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

/** The variables that are secret because the configuration says for whom they are: commands get none of them. */
export function secretVariables(config: NamedVariables): readonly string[] {
  const servers = Object.values(config.mcpServers ?? {}).flatMap(
    ({ bearerTokenEnvVar, envHttpHeaders = {}, oauth }) => [
      ...Object.values(envHttpHeaders),
      ...[bearerTokenEnvVar, oauth?.clientSecretEnvVar].filter((name) => name !== undefined),
    ],
  );
  return [...new Set([...providerVariables(config), ...servers])].toSorted();
}
