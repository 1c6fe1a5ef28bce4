import type { McpServerConfig } from '../config/mcp-servers.ts';
import { addressSecrets, hideValues, repeatable, secretsAmong, shownAddress } from '../policy/secrets.ts';
import type { Variables } from '../protocol/variables.ts';
import type { McpCredentials } from './oauth/credential-store.ts';

export interface ServerSecrets {
  readonly env: Variables;
  /** A login that is kept. */
  readonly credentials?: McpCredentials;
}

/**
 * Takes a server's keys out of texts about it and errors from it: servers and libraries repeat addresses, headers and
 * variables.
 */
export function serverSecretHider({ transport }: McpServerConfig, given: ServerSecrets): (text: string) => string {
  if (transport.kind === 'program') {
    const passed = transport.passed.map((name) => [name, given.env[name] ?? ''] as const);
    const secrets = repeatable(secretsAmong({ ...Object.fromEntries(passed), ...transport.env }));
    return (text) => hideValues(text, secrets);
  }
  const { url, headers, headerVariables, bearerTokenVariable: token = '', oauth } = transport;
  const valueOf = (name: string): string => given.env[name]?.trim() ?? '';
  const secrets = repeatable([
    ...addressSecrets(url),
    ...secretsAmong(headers),
    ...secretsAmong(Object.fromEntries(Object.entries(headerVariables).map(([to, name]) => [to, valueOf(name)]))),
    ...[token, oauth.clientSecretVariable ?? ''].map(valueOf),
    ...loginSecrets(given.credentials ?? {}),
  ]);
  const { href } = new URL(url);
  const spelled = [url, href, href.replace(/\/$/, '')];
  return (text) =>
    hideValues(
      spelled.reduce((words, each) => words.replaceAll(each, shownAddress(each)), text),
      secrets,
    );
}

export function loginSecrets({ tokens = {}, client = {} }: McpCredentials): readonly string[] {
  const login = [tokens['access_token'], tokens['refresh_token'], tokens['id_token'], client['client_secret']];
  return login.filter((value) => typeof value === 'string');
}
