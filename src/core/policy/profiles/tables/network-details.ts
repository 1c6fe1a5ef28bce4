import { isJsonObject, type Json, type JsonObject, objectAt } from '../../../../protocol/json.ts';
import type { NetworkAccess, NetworkDetails, NetworkLists } from '../../../../protocol/permissions.ts';
import { normalisePath } from '../../paths/absolute-paths.ts';
import { expandHome, noteSpellings, type TableBase } from './file-entries.ts';
import { normalHostPattern } from '../../network/host-lists.ts';
import { type TableProblem, tableWarning, unknownTableKey, wrongType, wrongValue } from './profile-tables.ts';

type Path = readonly string[];

interface ProfileNetwork {
  readonly network: NetworkAccess;
  readonly details?: NetworkDetails;
  readonly problems: readonly TableProblem[];
}

/** Address and forwarding of another program's proxy. Ours chooses both itself. */
const unusedKeys = ['proxy_url', 'enable_socks5', 'socks_url', 'enable_socks5_udp', 'allow_upstream_proxy'];

/** They widen what commands reach in ways that are not offered here. */
const refusedFlags = ['dangerously_allow_non_loopback_proxy', 'dangerously_allow_all_unix_sockets'];

const usedKeys = ['enabled', 'domains', 'unix_sockets', 'mode', 'allow_local_binding'];

export function networkDetails(table: JsonObject, at: Path, base: TableBase): ProfileNetwork {
  const problems = Object.entries(table).flatMap(([key, value = null]) => keyProblems(key, value, [...at, key]));
  const isEnabled = table['enabled'] === true;
  const hosts = hostLists(objectAt(table, 'domains') ?? {}, [...at, 'domains']);
  const sockets = socketPaths(objectAt(table, 'unix_sockets') ?? {}, [...at, 'unix_sockets'], base);
  const isLimited = table['mode'] === 'limited';
  const lists: NetworkLists | undefined =
    isEnabled && (isJsonObject(table['domains']) || isLimited)
      ? {
          allow: isJsonObject(table['domains']) ? hosts.allow : ['*'],
          deny: hosts.deny,
          local: table['allow_local_binding'] === true,
          methods: isLimited ? 'reading' : 'any',
        }
      : undefined;
  const details: NetworkDetails = {
    ...(lists === undefined ? {} : { lists }),
    ...(sockets.paths.length === 0 ? {} : { sockets: sockets.paths }),
  };
  return {
    network: isEnabled ? 'enabled' : 'restricted',
    ...(Object.keys(details).length === 0 ? {} : { details }),
    problems: [...problems, ...hosts.problems, ...sockets.problems],
  };
}

function keyProblems(key: string, value: Json, at: Path): readonly TableProblem[] {
  switch (key) {
    case 'enabled':
    case 'allow_local_binding':
      return typeof value === 'boolean' ? [] : [wrongType(at, 'true or false', value)];
    case 'mode':
      return value === 'full' || value === 'limited' ? [] : [wrongType(at, '"full" or "limited"', value)];
    case 'domains':
    case 'unix_sockets':
      return isJsonObject(value) ? [] : [wrongType(at, 'a table of values that are "allow" or "deny"', value)];
    case 'mitm':
      return [wrongValue(at, 'is not supported: Capstan does not open encrypted connections', 'Remove it.')];
    default:
  }
  if (refusedFlags.includes(key)) {
    if (typeof value !== 'boolean') return [wrongType(at, 'true or false', value)];
    const next = 'Remove it, and list what commands need under domains or unix_sockets.';
    return value ? [wrongValue(at, 'is not supported', next)] : [];
  }
  if (!unusedKeys.includes(key)) return [unknownTableKey(at, usedKeys)];
  return [tableWarning(at, 'has no effect: Capstan chooses where its proxy listens', 'Remove it.')];
}

function hostLists(domains: JsonObject, at: Path) {
  const [allow, deny, problems] = [new Set<string>(), new Set<string>(), [] as TableProblem[]];
  const note = noteSpellings(at);
  for (const [pattern, action = null] of Object.entries(domains)) {
    const path = [...at, pattern];
    const host = normalHostPattern(pattern);
    if (action !== 'allow' && action !== 'deny') problems.push(wrongType(path, '"allow" or "deny"', action));
    else if (host === undefined) {
      const what = 'must be a host, "*.host" for all below it, "**.host" for it and all below it, or "*"';
      problems.push(wrongValue(path, what, 'Write the name without a scheme and a path.'));
    } else if (action === 'deny' && host.startsWith('*') && !host.includes('.')) {
      problems.push(wrongValue(path, 'cannot deny every host', 'Remove enabled = true instead.'));
    } else {
      (action === 'allow' ? allow : deny).add(host);
      problems.push(...note(host, path, action));
    }
  }
  return { allow: [...allow].filter((host) => !deny.has(host)).toSorted(), deny: [...deny].toSorted(), problems };
}

/** Spellings of one host become one key, so that a child's entry replaces its parent's. */
export function withNormalHosts(profile: JsonObject): JsonObject {
  const network = objectAt(profile, 'network');
  const domains = objectAt(network, 'domains');
  if (network === undefined || domains === undefined) return profile;
  const normal = new Map<string, Json | undefined>();
  for (const [pattern, action] of Object.entries(domains)) {
    const host = normalHostPattern(pattern) ?? pattern;
    if (normal.get(host) !== 'deny') normal.set(host, action);
  }
  return { ...profile, network: { ...network, domains: Object.fromEntries(normal) } };
}

function socketPaths(sockets: JsonObject, at: Path, { osHome }: TableBase) {
  const paths = new Set<string>();
  const denied = new Set<string>();
  const problems: TableProblem[] = [];
  const note = noteSpellings(at);
  for (const [text, action = null] of Object.entries(sockets)) {
    const path = normalisePath(expandHome(text, osHome) ?? '');
    const where = [...at, text];
    if (action !== 'allow' && action !== 'deny' && action !== 'none') {
      problems.push(wrongType(where, '"allow" or "deny"', action));
    } else if (path === undefined) {
      problems.push(tableWarning(where, 'is not an absolute path and grants nothing', 'Write the whole path.'));
    } else {
      (action === 'allow' ? paths : denied).add(path);
      problems.push(...note(path, where, action === 'allow' ? 'allow' : 'deny'));
    }
  }
  return { paths: [...paths].filter((path) => !denied.has(path)).toSorted(), problems };
}
