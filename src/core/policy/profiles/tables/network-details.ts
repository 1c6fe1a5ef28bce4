import { isJsonObject, type Json, type JsonObject, objectAt } from '../../../../protocol/json.ts';
import type { NetworkDetails, NetworkLists } from '../../../../protocol/permissions.ts';
import { normalisePath } from '../../paths/absolute-paths.ts';
import { expandHome, createContradictionCheck, type TableBase } from './file-entries.ts';
import { normalHostPattern } from '../../network/host-lists.ts';
import { profileTableWarning, unknownTableKey, wrongProfileType, wrongValueInProfile } from './profile-tables.ts';
import type { ProfileTableProblem } from './profile-tables.ts';

type Path = readonly string[];
/** Keys for the address and forwarding of another program's proxy. Capstan's own proxy chooses both itself. */
const unusedKeys = ['proxy_url', 'enable_socks5', 'socks_url', 'enable_socks5_udp', 'allow_upstream_proxy'];
/** Flags that widen access for commands in ways that Capstan does not offer. */
const refusedFlags = ['dangerously_allow_non_loopback_proxy', 'dangerously_allow_all_unix_sockets'];
const usedKeys = ['enabled', 'domains', 'unix_sockets', 'mode', 'allow_local_binding'];

export function networkDetails(table: JsonObject, at: Path, base: TableBase) {
  const problems = Object.entries(table).flatMap(([key, value = null]) => keyProblems(key, value, [...at, key]));
  const isEnabled = table['enabled'] === true;
  const hosts = hostLists(objectAt(table, 'domains') ?? {}, [...at, 'domains']);
  const sockets = socketPaths(objectAt(table, 'unix_sockets') ?? {}, [...at, 'unix_sockets'], base);
  const isLimited = table['mode'] === 'limited';
  const hasDomains = isJsonObject(table['domains']);
  const lists: NetworkLists = {
    allow: hasDomains ? hosts.allow : ['*'],
    deny: hosts.deny,
    local: table['allow_local_binding'] === true,
    methods: isLimited ? 'reading' : 'any',
  };
  const details: NetworkDetails = {
    ...(isEnabled && (hasDomains || isLimited) ? { lists } : {}),
    ...(sockets.allow.length === 0 ? {} : { sockets: sockets.allow }),
  };
  return {
    network: isEnabled ? ('enabled' as const) : ('restricted' as const),
    details: Object.keys(details).length === 0 ? undefined : details,
    problems: [...problems, ...hosts.problems, ...sockets.problems],
  };
}

function keyProblems(key: string, value: Json, at: Path): readonly ProfileTableProblem[] {
  const isRefused = refusedFlags.includes(key);
  if (key === 'enabled' || key === 'allow_local_binding' || isRefused) {
    if (typeof value !== 'boolean') return [wrongProfileType(at, 'true or false', value)];
    const next = 'Remove it, and list what commands need under domains or unix_sockets.';
    return isRefused && value ? [wrongValueInProfile(at, 'is not supported', next)] : [];
  }
  if (key === 'mode')
    return value === 'full' || value === 'limited' ? [] : [wrongProfileType(at, '"full" or "limited"', value)];
  if (key === 'domains' || key === 'unix_sockets')
    return isJsonObject(value) ? [] : [wrongProfileType(at, 'a table of values that are "allow" or "deny"', value)];
  if (key === 'mitm')
    return [wrongValueInProfile(at, 'is not supported: Capstan does not open encrypted connections', 'Remove it.')];
  if (!unusedKeys.includes(key)) return [unknownTableKey(at, usedKeys)];
  return [profileTableWarning(at, 'has no effect: Capstan chooses where its proxy listens', 'Remove it.')];
}

type ReadKey = (key: string, path: Path, action: 'allow' | 'deny') => string | ProfileTableProblem;

/** Sorts keys by "allow" and "deny". `read`: a key's canonical form, or its problem. */
function sortKeys(table: JsonObject, at: Path, read: ReadKey) {
  const [allow, deny, problems] = [new Set<string>(), new Set<string>(), [] as ProfileTableProblem[]];
  const note = createContradictionCheck(at);
  for (const [key, action = null] of Object.entries(table)) {
    const path = [...at, key];
    if (action !== 'allow' && action !== 'deny') {
      problems.push(wrongProfileType(path, '"allow" or "deny"', action));
      continue;
    }
    const found = read(key, path, action);
    if (typeof found !== 'string') problems.push(found);
    else {
      (action === 'allow' ? allow : deny).add(found);
      problems.push(...note(found, path, action));
    }
  }
  return { allow: [...allow].filter((each) => !deny.has(each)).toSorted(), deny: [...deny].toSorted(), problems };
}

function hostLists(domains: JsonObject, at: Path) {
  return sortKeys(domains, at, (pattern, path, action) => {
    const host = normalHostPattern(pattern);
    if (host === undefined) {
      const what = 'must be a host, "*.host" for all below it, "**.host" for it and all below it, or "*"';
      return wrongValueInProfile(path, what, 'Write the name without a scheme and a path.');
    }
    const isEvery = host.startsWith('*') && !host.includes('.');
    if (action === 'allow' || !isEvery) return host;
    return wrongValueInProfile(path, 'cannot deny every host', 'Remove enabled = true instead.');
  });
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
  const table = Object.entries(sockets).map(([text, action]) => [text, action === 'none' ? 'deny' : action]);
  return sortKeys(Object.fromEntries(table) as JsonObject, at, (text, path) => {
    const socket = normalisePath(expandHome(text, osHome) ?? '');
    return socket ?? profileTableWarning(path, 'is not an absolute path and grants nothing', 'Write the whole path.');
  });
}
