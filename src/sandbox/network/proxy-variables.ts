import { readHostLists } from '../../policy/network/decide-host.ts';
import type { NetworkLists } from '../../protocol/network-lists.ts';

/** Where the proxy listens inside a sandbox, which has this port for itself. */
export const proxyPort = 3128;

/** Programs spell them in either case. */
const httpNames = ['HTTP_PROXY', 'HTTPS_PROXY', 'WS_PROXY', 'WSS_PROXY'];
const httpNamesOfTools = [
  'YARN_HTTP_PROXY',
  'YARN_HTTPS_PROXY',
  'BUNDLE_HTTP_PROXY',
  'BUNDLE_HTTPS_PROXY',
  'PIP_PROXY',
  'DOCKER_HTTP_PROXY',
  'DOCKER_HTTPS_PROXY',
  ...bothCases(['NPM_CONFIG_PROXY', 'NPM_CONFIG_HTTP_PROXY', 'NPM_CONFIG_HTTPS_PROXY']),
];
const socksNames = ['ALL_PROXY', 'FTP_PROXY'];
const exceptionNames = ['NO_PROXY', 'NPM_CONFIG_NOPROXY'];

/** The loopback of a command is its own: servers that it starts are there, and the proxy would look on this machine. */
const ownLoopback = ['localhost', '127.0.0.1', '::1'];

/** The variables that lead a command's programs to the proxy. They win over the user's, which lead elsewhere. */
export function proxyVariables(lists: NetworkLists): Readonly<Record<string, string>> {
  const named = readHostLists(lists).allow.filter(({ kind }) => kind === 'exact');
  // A name that is listed means the server on this machine, and only the proxy leads there.
  const direct = ownLoopback.filter((name) => named.every(({ host }) => host !== name)).join(',');
  const address = `127.0.0.1:${proxyPort}`;
  const all = (names: readonly string[], value: string) => Object.fromEntries(names.map((name) => [name, value]));
  return {
    ...all([...bothCases(httpNames), ...httpNamesOfTools], `http://${address}`),
    ...all(bothCases(socksNames), `socks5h://${address}`),
    ...all([...bothCases(exceptionNames), 'YARN_NO_PROXY', 'BUNDLE_NO_PROXY'], direct),
    CODEX_NETWORK_PROXY_ACTIVE: '1',
    CODEX_NETWORK_ALLOW_LOCAL_BINDING: lists.local ? '1' : '0',
    ELECTRON_GET_USE_PROXY: 'true',
    NODE_USE_ENV_PROXY: '1',
  };
}

function bothCases(names: readonly string[]): readonly string[] {
  return [...names, ...names.map((name) => name.toLowerCase())];
}
