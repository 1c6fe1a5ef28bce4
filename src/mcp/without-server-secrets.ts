import type { McpServerConfig } from '../config/mcp-servers.ts';
import type { Variables } from '../protocol/variables.ts';

const hidden = '<hidden>';
/** A shorter text may be part of any word. In the address itself it is hidden, too. */
const leastCharacters = 6;

/** What went wrong with a server, without its keys: libraries repeat the address and the headers of a request. */
export function withoutServerSecrets(text: string, { transport }: McpServerConfig, env: Variables): string {
  if (transport.kind !== 'address' || !URL.canParse(transport.url)) return text;
  const { url, headers, headerVariables, bearerTokenVariable } = transport;
  const shown = shownAddress(url);
  const parsed = new URL(url);
  const sent = [
    ...Object.values(headers),
    ...[...Object.values(headerVariables), ...(bearerTokenVariable === undefined ? [] : [bearerTokenVariable])].map(
      (name) => env[name] ?? '',
    ),
  ].flatMap((value) => [value, value.trim().replace(/^\w+\s+/, '')]);
  const given = [parsed.username, parsed.password, ...rawValues(parsed.search)];
  const secrets = [...new Set([...given, ...given.map(decoded), ...sent])]
    .filter((secret) => secret.length >= leastCharacters)
    .toSorted((one, other) => other.length - one.length);
  const spelled = [url, parsed.href, parsed.href.replace(/\/$/, '')];
  const withoutAddress = spelled.reduce((words, each) => words.replaceAll(each, shown), text);
  return secrets.reduce((words, secret) => words.replaceAll(secret, hidden), withoutAddress);
}

/** Where it leads, without the user's part and what stands in its query. */
function shownAddress(url: string): string {
  const { protocol, host, pathname, search, username, password } = new URL(url);
  const user = username === '' && password === '' ? '' : `${hidden}@`;
  return `${protocol}//${user}${host}${pathname}${search === '' ? '' : `?${hidden}`}`;
}

function rawValues(search: string): readonly string[] {
  return search
    .slice(1)
    .split('&')
    .map((pair) => pair.slice(pair.indexOf('=') + 1));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
