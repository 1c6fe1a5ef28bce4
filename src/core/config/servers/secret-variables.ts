import { equalJson, isJsonObject, type Json, type JsonObject, objectAt } from '../../../protocol/json.ts';
import { hideSecrets } from '../../policy/secrets.ts';
import { type ConfigLayer, type ConfigProblem, configKeyProblem } from '../layer-order.ts';
import type { CheckedConfigValues } from '../keys/check-values.ts';
import { withCamelCaseKeys, words } from '../keys/key-kinds.ts';
import { type ConfiguredMcpServer, type ConfiguredProvider, configSchema } from '../keys/key-table.ts';
import { mergeConfigLayers } from '../merge-values.ts';
import { type BuiltInProvider, builtInProviders } from '../providers/built-in-providers.ts';

export interface VariableNamingConfig {
  readonly modelProviders: Readonly<Record<string, ConfiguredProvider>>;
  readonly mcpServers?: Readonly<Record<string, ConfiguredMcpServer>>;
  readonly otherVariables?: readonly string[];
}

export function secretVariablesIn(layers: readonly Pick<ConfigLayer, 'values'>[]): readonly string[] {
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

/** Variables passed to MCP servers by `env_vars`. Commands may have them: some are no secrets. */
function passedVariablesIn(layers: readonly Pick<ConfigLayer, 'values'>[]): readonly string[] {
  return tablesIn(layers, 'mcp_servers')
    .flatMap(({ env_vars: passed }) => (Array.isArray(passed) ? passed : []))
    .map((each: Json) => (isJsonObject(each) ? each['name'] : each))
    .filter((name) => typeof name === 'string');
}

const tablesIn = (layers: readonly Pick<ConfigLayer, 'values'>[], key: string): readonly JsonObject[] =>
  layers.flatMap(({ values }) => Object.values(objectAt(values, key) ?? {})).filter(isJsonObject);
const headerVariables = (table: JsonObject): readonly unknown[] =>
  Object.values(objectAt(table, 'env_http_headers') ?? {});

/** Variables that any provider takes a key or a header from, chosen or not: a later thread may need them. */
function providerVariables({ modelProviders, otherVariables = [] }: VariableNamingConfig): readonly string[] {
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

/** Variables configured for a particular receiver; commands never get them. */
export function secretVariables(config: VariableNamingConfig): readonly string[] {
  const servers = Object.values(config.mcpServers ?? {}).flatMap(
    ({ bearerTokenEnvVar, envHttpHeaders = {}, oauth }) => [
      ...Object.values(envHttpHeaders),
      ...[bearerTokenEnvVar, oauth?.clientSecretEnvVar].filter((name) => name !== undefined),
    ],
  );
  return [...new Set([...providerVariables(config), ...servers])].toSorted();
}

type Path = readonly string[];
type Checked = CheckedConfigValues & { readonly layer: ConfigLayer };

/** Keys that decide what runs or where a server's values go. A variable can load code, too. */
const decisive = words(`
  url command args env env_vars cwd sandbox http_headers env_http_headers
  bearer_token bearer_token_env_var scopes oauth oauth_resource
`);

/**
 * Removes variables of providers and of the user's MCP servers from every server that a project can influence: the
 * project may direct it anywhere, and no project may decide where keys go. Each removal gives a warning.
 */
export function withoutProviderVariables(checked: readonly Checked[], otherVariables: readonly string[] = []) {
  const ofProjects = checked.filter(({ layer, values }) => layer.name === 'project' && 'mcp_servers' in values);
  if (ofProjects.length === 0) return checked;
  const own = checked.filter(({ layer }) => layer.name !== 'project');
  const before = objectAt(mergeConfigLayers(own.map(({ values }) => values)), 'mcp_servers');
  const decidedBy = new Map(
    Object.entries(objectAt(mergeConfigLayers(ofProjects.map(({ values }) => values)), 'mcp_servers') ?? {}).map(
      ([name, server]) => [name, decided(server, objectAt(before, name))] as const,
    ),
  );
  const { modelProviders = {} } = withCamelCaseKeys(
    configSchema,
    mergeConfigLayers(checked.map(({ values }) => values)),
  );
  const ofProviders = new Set(providerVariables({ modelProviders, otherVariables }));
  const ofServers = [...secretVariablesIn(own), ...passedVariablesIn(own)];
  const taken = { ofProviders, all: new Set([...ofProviders, ...ofServers]) };
  return checked.map((one) => withoutKeys(one, decidedBy, taken));
}

function decided(server: Json | undefined, own: JsonObject = {}): readonly string[] {
  if (!isJsonObject(server)) return [];
  const merged = mergeConfigLayers([own, server]);
  return decisive.filter((key) => server[key] !== undefined && !equalJson(merged[key], own[key]));
}

interface TakenVariables {
  readonly ofProviders: ReadonlySet<string>;
  /** Including those that the user gives to MCP servers. */
  readonly all: ReadonlySet<string>;
}

function withoutKeys(
  checked: Checked,
  decidedBy: ReadonlyMap<string, readonly string[]>,
  variables: TakenVariables,
): Checked {
  const servers = objectAt(checked.values, 'mcp_servers');
  if (servers === undefined) return checked;
  const removed: Path[] = [];
  const problems: ConfigProblem[] = [];
  const clean = (value: Json | undefined, path: Path): Json | undefined => {
    const variable = variableOf(value);
    if (variable !== undefined) {
      if (!variables.all.has(variable)) return value;
      removed.push(path);
      problems.push(configKeyProblem(checked.layer, path, leftOut(nameWords(variable, variables), checked)));
      return undefined;
    }
    if (Array.isArray(value)) return value.filter((each: Json) => clean(each, path) !== undefined);
    return isJsonObject(value) ? cleanTable(value, path) : value;
  };
  const cleanTable = (table: JsonObject, path: Path): JsonObject =>
    Object.fromEntries(
      Object.entries(table)
        .map(([key, value]) => [key, clean(value, [...path, key])] as const)
        .filter(([, value]) => value !== undefined),
    );
  const cleaned = Object.entries(servers).map(([name, server]) => {
    const keys = decidedBy.get(name) ?? [];
    const isProject = checked.layer.name === 'project';
    if ((keys.length === 0 && !isProject) || !isJsonObject(server)) return [name, server] as const;
    const path = ['mcp_servers', name];
    const dropped = isProject ? [] : valueKeys.filter((key) => server[key] !== undefined && mayHoldKeys(server, key));
    for (const key of dropped) {
      removed.push(...Object.keys(objectAt(server, key) ?? {}).map((each) => [...path, key, each]), [...path, key]);
      problems.push(configKeyProblem(checked.layer, [...path, key], leftOut('may hold keys', checked)));
    }
    const { oauth } = server;
    const kept = Object.entries({
      ...server,
      ...Object.fromEntries(dropped.map((key) => [key, undefined])),
      ...Object.fromEntries(variableKeys.map((key) => [key, clean(server[key], [...path, key])])),
      oauth: isJsonObject(oauth)
        ? { ...oauth, [secretKey]: clean(oauth[secretKey], [...path, 'oauth', secretKey]) }
        : oauth,
    });
    return [name, Object.fromEntries(kept.filter(([, value]) => value !== undefined))] as const;
  });
  if (removed.length === 0) return checked;
  const isRemoved = (key: Path): boolean =>
    removed.some((path) => path.length === key.length && path.every((part, at) => part === key[at]));
  return {
    ...checked,
    values: { ...checked.values, mcp_servers: Object.fromEntries(cleaned) },
    keys: checked.keys.filter((key) => !isRemoved(key)),
    problems: [...checked.problems, ...problems],
  };
}

const variableKeys = ['bearer_token_env_var', 'env_http_headers', 'env_vars'];
const secretKey = 'client_secret_env_var';
const valueKeys = ['http_headers', 'env', 'args'];

/** Any variable or header may hold a key. Arguments count only if they look like one: they define the server. */
function mayHoldKeys(server: JsonObject, key: string): boolean {
  const values = { [key]: server[key] };
  return key !== 'args' || !equalJson(hideSecrets(values), values);
}

function variableOf(value: Json | undefined): string | undefined {
  if (typeof value === 'string') return value;
  return isJsonObject(value) && typeof value['name'] === 'string' ? value['name'] : undefined;
}

function nameWords(variable: string, { ofProviders }: TakenVariables): string {
  const whose = ofProviders.has(variable) ? 'is for a provider of models' : 'your configuration gives to an MCP server';
  return `names ${variable}, which ${whose}`;
}

function leftOut(what: string, { layer }: Checked) {
  const why =
    layer.name === 'project'
      ? 'no project decides where it goes'
      : 'a project changes what this server runs or where it is';
  return {
    code: 'config-forbidden-key',
    severity: 'warning',
    what: `${what}, and ${why}: Capstan leaves it out`,
    next: 'Use another variable, or define the server under another name in your own config.toml.',
  } as const;
}
