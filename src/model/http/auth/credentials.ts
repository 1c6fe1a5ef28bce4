import type { ChatgptLogin, Login, LoginStore } from '../../../ports/login.ts';
import type { Programs } from '../../../ports/program-files.ts';
import { defined } from '../../../protocol/defined.ts';
import type { Variables } from '../../../protocol/variables.ts';
import type { Credentials, CredentialsWanted, ProviderOptions } from '../credentials.ts';
import type { PostJson } from './post-json.ts';
import { type Renewal, renewalUrl, renewLogin } from './renew-login.ts';
import { tokenFromCommand } from './token-command.ts';

export interface CredentialSources {
  readonly environment: Variables;
  /** Asked only when the provider goes by the login and no variable is set. */
  readonly logins: LoginStore;
  readonly post: PostJson;
  /** Finds the command of a provider that is named without a path. */
  readonly programs: Programs;
  readonly now: () => number;
}

/**
 * Credentials by a provider's own options: what its command prints; else the first of its variables that is set, else
 * the login of the home folder; without variables the token of the configuration; without any of these none is needed.
 */
export function providerCredentials(
  provider: ProviderOptions,
  sources: CredentialSources,
): (wanted: CredentialsWanted) => Promise<Credentials> {
  if (provider.tokenCommand !== undefined) return tokenFromCommand(provider.tokenCommand, provider, sources);
  // A login may be renewed while the program runs: it is read when it is needed.
  return async (wanted) => resolve(provider, sources, wanted);
}

async function resolve(
  provider: ProviderOptions,
  sources: CredentialSources,
  wanted: CredentialsWanted,
): Promise<Credentials> {
  const { envKeys, bearerToken, login, name, envKeyInstructions } = provider;
  const { environment } = sources;
  if (envKeys.length === 0) {
    const token = bearerToken?.trim() ?? '';
    return token === '' ? { kind: 'none' } : { kind: 'bearer', mode: 'api-key', token };
  }
  const token = envKeys.map((key) => environment[key]?.trim() ?? '').find((value) => value !== '');
  if (token !== undefined) return { kind: 'bearer', mode: 'api-key', token };
  const stored: Login = login === undefined ? { kind: 'none' } : sources.logins.load();
  switch (stored.kind) {
    case 'unusable':
      return { kind: 'missing', message: stored.message, next: stored.next };
    case 'api-key':
      return { kind: 'bearer', mode: 'api-key', token: stored.key, renew: stored.renew };
    case 'chatgpt':
      return fromLogin(stored, login?.baseUrl, sources, wanted);
    case 'none': {
      const names = envKeys.join(' or ');
      return {
        kind: 'missing',
        message: `The environment variable ${names}, which holds the key for ${name}, is not set.`,
        next: envKeyInstructions ?? `Set ${names} and try again.`,
      };
    }
  }
}

/** Renewed this long before it expires. */
const earlyMs = 5 * 60_000;
/** A token that does not say when it expires is renewed after so long. */
const longestUnknownMs = 8 * 24 * 60 * 60_000;

async function fromLogin(
  login: ChatgptLogin,
  baseUrl: string | undefined,
  sources: CredentialSources,
  wanted: CredentialsWanted,
): Promise<Credentials> {
  const { now, environment } = sources;
  const isRejected = login.accessToken === wanted.rejected;
  if (wanted.asIs === true || !(isRejected || isDue(login, now()))) return bearer(login, baseUrl);
  const url = environment['CODEX_REFRESH_TOKEN_URL_OVERRIDE'] ?? renewalUrl;
  const renewal = await renewLogin(login, { store: sources.logins, post: sources.post, now, url }, wanted.signal);
  if (renewal.kind === 'renewed') return bearer(renewal.login, baseUrl);
  const isExpired = login.expiresAt !== undefined && login.expiresAt <= now();
  if (!isRejected && !isExpired) return bearer(login, baseUrl);
  return lost(login, renewal, isRejected ? 'was refused' : 'has expired');
}

function isDue({ expiresAt, renewedAt }: ChatgptLogin, now: number): boolean {
  if (expiresAt !== undefined) return expiresAt <= now + earlyMs;
  return renewedAt !== undefined && renewedAt <= now - longestUnknownMs;
}

function bearer({ accessToken, accountId, refreshToken, renew }: ChatgptLogin, baseUrl?: string): Credentials {
  return {
    kind: 'bearer',
    mode: 'chatgpt',
    token: accessToken,
    ...defined({ accountId, baseUrl }),
    renew,
    ...(refreshToken === undefined ? {} : { renewable: true }),
  };
}

function lost({ renew }: ChatgptLogin, renewal: Exclude<Renewal, { kind: 'renewed' }>, fate: string): Credentials {
  const start = `The login with ChatGPT ${fate}`;
  if (renewal.kind === 'ended') return { kind: 'missing', message: `${start}: ${renewal.why}.`, next: renew };
  return {
    kind: 'missing',
    message: `${start} and could not be renewed: ${renewal.why}.`,
    next: `Try again. If that does not help, sign in again. ${renew}`,
    passing: true,
  };
}
