import { BoundedBuffer } from '../../../../base/bounded-buffer.ts';
import type { TokenCommand } from '../../../../core/config/providers/provider-config.ts';
import type { AccessTokenLogin, ChatgptLogin, StoredLogin, LoginStore } from '../../../../ports/login.ts';
import type { ProgramFinder } from '../../../../ports/system.ts';
import { parseJsonObject, stringAt, trueAt } from '../../../../protocol/json.ts';
import type { EnvironmentVariables } from '../../../../protocol/shell.ts';
import type { Credentials, CredentialsWanted, ProviderOptions } from '../credentials-and-headers.ts';
import type { SmallRequests } from '../small-requests.ts';
import { type Renewal, loginIssuerUrl, renewalUrl, renewLogin } from './renew-login.ts';

export interface CredentialSources {
  readonly environment: EnvironmentVariables;
  /** Read only when the provider uses the login and no variable is set. */
  readonly logins: LoginStore;
  readonly requests: SmallRequests;
  /** Finds a command named without a path on the user's search path, outside the workspace. */
  readonly programs: ProgramFinder;
  /** Working folder unless the command sets one. Programs load code from it: commands must not write there. */
  readonly programFolder: () => string;
  readonly now: () => number;
}

/** Credentials from the provider's command, else its variables, else the login of the home, else its token; or none. */
export function providerCredentials(
  provider: ProviderOptions,
  sources: CredentialSources,
): (wanted: CredentialsWanted) => Promise<Credentials> {
  if (provider.tokenCommand !== undefined) return tokenFromCommand(provider.tokenCommand, provider, sources);
  const { envKeys, bearerToken, login, name, envKeyInstructions } = provider;
  const fromAccessToken = accessTokenCredentials(sources);
  return async (wanted) => {
    const set = envKeys.length === 0 ? [bearerToken] : envKeys.map((key) => sources.environment[key]);
    const token = set.map((value) => value?.trim() ?? '').find((value) => value !== '');
    if (token !== undefined) return { kind: 'bearer', mode: 'api-key', token };
    if (envKeys.length === 0) return { kind: 'none' };
    // Read on each use: a login may be renewed while the program runs.
    const stored: StoredLogin = login === undefined ? { kind: 'none' } : await sources.logins.load();
    switch (stored.kind) {
      case 'unusable':
        return { ...stored, kind: 'missing' };
      case 'api-key':
        return { kind: 'bearer', mode: 'api-key', token: stored.key, renew: stored.renew };
      case 'chatgpt':
        return fromLogin(stored, login?.baseUrl, sources, wanted);
      case 'access-token':
        return fromAccessToken(stored, login?.baseUrl, wanted);
      case 'none': {
        const names = envKeys.join(' or ');
        const unset = envKeys.length === 1 ? `${names} is not set` : `neither ${envKeys.join(' nor ')} is set`;
        const message = `There is no key for ${name}: ${unset}.`;
        return { kind: 'missing', message, next: envKeyInstructions ?? `Set ${names} and try again.` };
      }
    }
  };
}

const earlyMs = 5 * 60_000;
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
  const parts = { store: sources.logins, post: sources.requests.postJson, now, url };
  const renewal = await renewLogin(login, parts, wanted.signal);
  if (renewal.kind === 'renewed') return bearer(renewal.login, baseUrl);
  const isExpired = login.expiresAt !== undefined && login.expiresAt <= now();
  if (!isRejected && !isExpired) return bearer(login, baseUrl);
  return lost(login, renewal, isRejected ? 'was refused' : 'has expired');
}

function isDue({ expiresAt, renewedAt }: ChatgptLogin, now: number): boolean {
  if (expiresAt !== undefined) return expiresAt <= now + earlyMs;
  return renewedAt !== undefined && renewedAt <= now - longestUnknownMs;
}

function bearer(login: ChatgptLogin, baseUrl?: string): Credentials {
  const { accessToken, accountId, isFedramp, refreshToken, renew } = login;
  const renewable = refreshToken === undefined ? undefined : true;
  return { kind: 'bearer', mode: 'chatgpt', token: accessToken, accountId, isFedramp, baseUrl, renewable, renew };
}

function lost({ renew }: ChatgptLogin, renewal: Exclude<Renewal, { kind: 'renewed' }>, fate: string): Credentials {
  const start = `The login with ChatGPT ${fate}`;
  if (renewal.kind === 'ended') return { kind: 'missing', message: `${start}: ${renewal.why}.`, next: renew };
  const message = `${start} and could not be renewed: ${renewal.why}.`;
  const next = `Try again. If that does not help, sign in again. ${renew}`;
  return { kind: 'missing', message, next, passing: true };
}

export type AccountSources = Pick<CredentialSources, 'environment'> & { readonly requests: Pick<SmallRequests, 'get'> };

/** The account of a token. `ended`: the issuer does not accept the token. `why` is the end of a sentence. */
export type TokenAccount =
  | { readonly kind: 'account'; readonly accountId?: string; readonly isFedramp?: true; readonly email?: string }
  | { readonly kind: 'ended' | 'failed'; readonly why: string };

export async function accountOfToken(
  token: string,
  { requests, environment }: AccountSources,
  signal: AbortSignal,
): Promise<TokenAccount> {
  const base = environment['CODEX_AUTHAPI_BASE_URL']?.trim() ?? '';
  const url = `${(base === '' ? `${loginIssuerUrl}/api/accounts` : base).replace(/\/+$/, '')}/v1/user-auth-credential/whoami`;
  const answer = await requests.get(url, { authorization: `Bearer ${token}` }, signal);
  if (answer.kind === 'lost') return { kind: 'failed', why: answer.why };
  // Server text is not passed on: it may quote what was sent.
  if (answer.status === 401 || answer.status === 403) return { kind: 'ended', why: 'it is not accepted' };
  if (answer.status !== 200) return { kind: 'failed', why: `the answer was HTTP ${answer.status}` };
  const body = parseJsonObject(answer.text);
  if (body === undefined) return { kind: 'failed', why: 'the answer is not a JSON object' };
  const [accountId, email] = [stringAt(body, 'chatgpt_account_id'), stringAt(body, 'email')];
  return { kind: 'account', accountId, isFedramp: trueAt(body, 'chatgpt_account_is_fedramp'), email };
}

/** Credentials from a token that the user created. The issuer is asked once for its account. */
function accessTokenCredentials(sources: AccountSources) {
  let known: { readonly token: string; readonly account: TokenAccount } | undefined;
  return async (
    { token, renew }: AccessTokenLogin,
    baseUrl: string | undefined,
    { signal, asIs }: CredentialsWanted,
  ): Promise<Credentials> => {
    const bearer = { kind: 'bearer', mode: 'chatgpt', token, baseUrl, renew } as const;
    if (asIs === true) return bearer;
    const account = known?.token === token ? known.account : await accountOfToken(token, sources, signal);
    if (account.kind === 'account') {
      known = { token, account };
      return { ...bearer, accountId: account.accountId, isFedramp: account.isFedramp };
    }
    const message = `The account of the access token could not be found: ${account.why}.`;
    if (account.kind === 'ended') return { kind: 'missing', message, next: renew };
    return { kind: 'missing', message, next: `Try again. If that does not help: ${renew}`, passing: true };
  };
}

const mostBytes = 64 * 1024;

/** Credentials printed by a user's command, used until too old or refused. Requests share a run. Never shown. */
export function tokenFromCommand(
  command: TokenCommand,
  provider: Pick<ProviderOptions, 'id' | 'name'>,
  { environment, programs, programFolder, now }: Omit<CredentialSources, 'logins' | 'requests'>,
): (wanted: CredentialsWanted) => Promise<Credentials> {
  let kept: { readonly token: string; readonly at: number } | undefined;
  let running: Promise<Credentials> | undefined;
  const isOld = (at: number): boolean => command.refreshIntervalMs > 0 && now() - at >= command.refreshIntervalMs;
  const renew = async (): Promise<Credentials> => {
    const program = command.command.includes('/') ? command.command : programs.find(command.command);
    const start = { ...command, cwd: command.cwd ?? programFolder() };
    const printed = program === undefined ? notFound : await run(start, program, environment).catch(notStarted);
    running = undefined;
    if (printed.kind === 'failed') {
      const message = `The command that prints the key for ${provider.name} ${printed.why}.`;
      const next = `Run the command in model_providers.${provider.id}.auth by hand to see why.`;
      return { kind: 'missing', message, next };
    }
    kept = { token: printed.token, at: now() };
    return asBearer(printed.token);
  };
  return async ({ rejected, asIs }) => {
    // A command may be slow, and its output is not needed to know how requests identify themselves.
    if (asIs === true) return asBearer(kept?.token ?? '');
    if (kept !== undefined && kept.token !== rejected && !isOld(kept.at)) return asBearer(kept.token);
    return (running ??= renew());
  };
}

const asBearer = (token: string): Credentials => ({ kind: 'bearer', mode: 'api-key', token, renewable: true });
type Printed = { readonly kind: 'token'; readonly token: string } | { readonly kind: 'failed'; readonly why: string };

function run(
  { args, timeoutMs, cwd }: TokenCommand,
  program: string,
  environment: EnvironmentVariables,
): Promise<Printed> {
  const { spawn } = process.getBuiltinModule('node:child_process');
  const { isUtf8 } = process.getBuiltinModule('node:buffer');
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => resolve(failedToPrint(why));
    const child = spawn(program, args, { cwd, env: { ...environment }, stdio: ['ignore', 'pipe', 'ignore'] });
    const held = new BoundedBuffer(mostBytes);
    let isTooMuch = false;
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      // A surviving child must not keep this process from ending.
      child.stdout.destroy();
      fail(`did not end within ${timeoutMs / 1000} seconds`);
    }, timeoutMs);
    child.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.stdout.on('data', (chunk: Buffer) => {
      isTooMuch ||= !held.add(chunk);
    });
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      if (code !== 0) return fail(signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`);
      if (isTooMuch) return fail('printed too much');
      const printed = held.take();
      if (!isUtf8(printed)) return fail('printed something that is not text');
      // `trim` also removes a byte order mark.
      const token = printed.toString('utf8').trim();
      if (token === '') return fail('printed nothing');
      resolve({ kind: 'token', token });
    });
  });
}

const failedToPrint = (why: string): Printed => ({ kind: 'failed', why });
const notFound = failedToPrint('was not found on the PATH (Capstan skips folders that commands can write)');
const notStarted = ({ code, message }: NodeJS.ErrnoException): Printed =>
  failedToPrint(`could not be started (${code ?? message})`);
