import { isJsonObject, type Json, type JsonObject, objectAt } from '../protocol/json.ts';
import { camelCased } from './camel-case.ts';
import type { CheckedValues } from './check-values.ts';
import type { ConfigLayer } from './config-layer.ts';
import { type ConfigProblem, keyProblem } from './config-problem.ts';
import { keyTable } from './key-table.ts';
import { mergeLayers } from './merge-values.ts';
import { providerVariables } from './provider-variables.ts';

type Path = readonly string[];
type Checked = CheckedValues & { readonly layer: ConfigLayer };

/** Who sets one of these decides where the variables of a server go. */
const decisive = ['url', 'command', 'args', 'env', 'cwd'];

/**
 * The layers without variables of providers in MCP servers that a project has a say in: such a server may be any, and no
 * project decides where keys go. Each that is left out is a warning.
 */
export function withoutProviderKeys(
  checked: readonly Checked[],
  otherVariables: readonly string[] = [],
): readonly Checked[] {
  const ofProjects = checked.filter(({ layer, values }) => layer.name === 'project' && 'mcp_servers' in values);
  if (ofProjects.length === 0) return checked;
  const names = new Set(ofProjects.flatMap(serversOf));
  const { modelProviders = {} } = camelCased(keyTable, mergeLayers(checked.map(({ values }) => values)));
  const variables = new Set(providerVariables({ modelProviders, otherVariables }));
  return checked.map((one) => withoutKeys(one, names, variables));
}

function serversOf({ values }: Checked): readonly string[] {
  return Object.entries(objectAt(values, 'mcp_servers') ?? {}).flatMap(([name, server]) =>
    isJsonObject(server) && decisive.some((key) => server[key] !== undefined) ? [name] : [],
  );
}

function withoutKeys(checked: Checked, names: ReadonlySet<string>, variables: ReadonlySet<string>): Checked {
  const servers = objectAt(checked.values, 'mcp_servers');
  if (servers === undefined) return checked;
  const removed: Path[] = [];
  const problems: ConfigProblem[] = [];
  /** Undefined: nothing is left of it. */
  const clean = (value: Json | undefined, path: Path): Json | undefined => {
    const variable = variableOf(value);
    if (variable !== undefined) {
      if (!variables.has(variable)) return value;
      removed.push(path);
      problems.push(keyProblem(checked.layer, path, leftOut(variable, checked)));
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
    const isMeant = names.has(name) || checked.layer.name === 'project';
    if (!isMeant || !isJsonObject(server)) return [name, server] as const;
    const path = ['mcp_servers', name];
    const { oauth } = server;
    const kept = Object.entries({
      ...server,
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

/** A name, or a table with a name in the list `env_vars`. */
function variableOf(value: Json | undefined): string | undefined {
  if (typeof value === 'string') return value;
  return isJsonObject(value) && typeof value['name'] === 'string' ? value['name'] : undefined;
}

function leftOut(variable: string, { layer }: Checked) {
  const why = layer.name === 'project' ? 'no project decides where it goes' : 'a project says where this server is';
  return {
    code: 'config-forbidden-key',
    severity: 'warning',
    what: `names ${variable}, which is for a provider of models, and ${why}: Capstan leaves it out`,
    next: 'Use another variable, or define the server under another name in your own config.toml.',
  } as const;
}
