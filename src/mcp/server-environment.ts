import type { McpProgramConfig } from '../config/mcp-servers.ts';
import type { Variables } from '../protocol/variables.ts';

/** What any program needs to find its files, its language and the certificates of its network. */
const base = `
  HOME LANG LC_ALL LC_CTYPE LOGNAME PATH SHELL TERM TMPDIR TZ USER
  HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy
  NODE_EXTRA_CA_CERTS REQUESTS_CA_BUNDLE SSL_CERT_DIR SSL_CERT_FILE
  XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_RUNTIME_DIR
`
  .trim()
  .split(/\s+/);

/** A server gets this and no more: variables with keys go only to those whose configuration names them. */
export function serverEnvironment(
  { env, passed }: Pick<McpProgramConfig, 'env' | 'passed'>,
  ours: Variables,
): Readonly<Record<string, string>> {
  const given = [...base, ...passed].flatMap((name) => {
    const value = ours[name];
    return value === undefined || name.startsWith('CAPSTAN_') ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(given), ...env };
}
