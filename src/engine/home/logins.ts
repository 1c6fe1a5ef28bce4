import { startDetached } from '../../adapters/exec/child-process.ts';
import {
  accessTokenDocument,
  accountDocument,
  accountFromIdToken,
  keyDocument,
} from '../../adapters/gather/login-file.ts';
import { readAccessToken } from '../../adapters/gather/login-store.ts';
import { createPkcePair, openSignInCallback, signInPageUrl } from '../../adapters/model/http/auth/browser-sign-in.ts';
import { awaitDeviceCode, exchangeCode, requestDeviceCode } from '../../adapters/model/http/auth/device-code.ts';
import type { ExchangedCode } from '../../adapters/model/http/auth/device-code.ts';
import { accountOfToken } from '../../adapters/model/http/auth/provider-credentials.ts';
import { loginClientId, loginIssuerUrl } from '../../adapters/model/http/auth/renew-login.ts';
import { defined } from '../../base/objects.ts';
import { loginLimits, type LoginMethod, loginRefusal } from '../../core/policy/requirements.ts';
import { isHeaderValue } from '../../protocol/http.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { EngineParts } from '../engine-parts.ts';
import { programVariables } from '../sandbox/user-program-variables.ts';
import { randomBytes } from 'node:crypto';

/** Parameters of a sign-in. Absent ones are OpenAI's. */
export interface SignInOptions {
  readonly signal: AbortSignal;
  readonly issuer?: string;
  readonly clientId?: string;
  /** Ports to which the issuer sends users back, tried in this order. */
  readonly ports?: readonly number[];
}

/** `where`: for people. */
export type SignedIn = { readonly kind: 'signed-in'; readonly where: string; readonly email?: string };

export type LoginStatus =
  /** `unkept`: why no login can be kept. */
  | { readonly kind: 'none'; readonly unkept?: string }
  | { readonly kind: 'api-key' | 'access-token' }
  | { readonly kind: 'chatgpt'; readonly email?: string; readonly plan?: string; readonly expiresAt?: number }
  | { readonly kind: 'unusable'; readonly message: string; readonly next: string };

/** The issuer accepts no other ports. */
const callbackPorts = [1455, 1457];
const patienceMs = 10 * 60_000;

export class Logins {
  readonly #parts: EngineParts;

  constructor(parts: EngineParts) {
    this.#parts = parts;
  }

  /** The set variables that take precedence over the login. */
  get variables(): readonly string[] {
    const { env } = this.#parts.options;
    const names = ['CODEX_API_KEY', 'OPENAI_API_KEY', 'CODEX_ACCESS_TOKEN'];
    return names.filter((name) => (env[name] ?? '').trim() !== '');
  }

  async status(): Promise<LoginStatus> {
    const login = await this.#parts.logins.load();
    if (login.kind === 'none') return { kind: 'none', ...defined({ unkept: await this.#parts.logins.unkept() }) };
    if (login.kind === 'unusable') return login;
    if (login.kind !== 'chatgpt') return { kind: login.kind };
    const { kind, email, plan, expiresAt } = login;
    return { kind, ...defined({ email, plan, expiresAt }) };
  }

  /** The page sends the browser back to this machine. `show` gets the page, whether or not it opened. */
  async withBrowser(
    { signal, issuer = loginIssuerUrl, clientId = loginClientId, ports = callbackPorts }: SignInOptions,
    show: (page: string, opened: boolean) => void,
  ): Promise<SignedIn | Outcome> {
    const refused = this.#refused('chatgpt', undefined) ?? (await this.#unkept(signal));
    if (refused !== undefined) return refused;
    const state = randomBytes(32).toString('base64url');
    const { verifier, challenge } = createPkcePair(randomBytes);
    const callback = await openSignInCallback({ ports, state, patienceMs, signal });
    if (callback === undefined) return portsInUse(ports);
    try {
      const { redirectUri } = callback;
      const { options, requests } = this.#parts;
      const about = { issuer, clientId, redirectUri, challenge, state, originator: options.client.name };
      const page = signInPageUrl({ ...about, workspaces: this.#limits.workspaces });
      show(page, openInBrowser(page, this.#parts));
      const back = await callback.back;
      if (back.kind === 'ended') return back.why === 'late' ? late(patienceMs) : stopped;
      if (back.kind === 'denied') return failed(`the page answered "${back.why}"`);
      const wanted = { issuer, clientId, code: back.code, redirectUri, verifier };
      return await this.#keep(await exchangeCode(requests, wanted, signal));
    } finally {
      await callback.close();
    }
  }

  async withDeviceCode(
    { signal, issuer = loginIssuerUrl, clientId = loginClientId }: SignInOptions,
    show: (page: string, userCode: string) => void,
  ): Promise<SignedIn | Outcome> {
    const refused = this.#refused('chatgpt', undefined) ?? (await this.#unkept(signal));
    if (refused !== undefined) return refused;
    const { requests, clock } = this.#parts;
    const parts = { issuer, clientId, requests, clock };
    const code = await requestDeviceCode(parts, signal);
    if (signal.aborted) return stopped;
    if (code.kind === 'not-offered') return notOffered;
    if (code.kind === 'failed') return failed(code.why);
    show(code.page, code.userCode);
    const exchanged = await awaitDeviceCode(code, parts, signal);
    if (exchanged.kind !== 'ended') return this.#keep(exchanged);
    return exchanged.why === 'late' ? late(15 * 60_000) : stopped;
  }

  /** Keeps a key without checking it with a server. */
  async withKey(given: string): Promise<SignedIn | Outcome> {
    const refused = this.#refused('api', undefined);
    if (refused !== undefined) return refused;
    const key = given.trim();
    if (key === '') return nothingGiven('key');
    if (/\s/.test(key) || !isHeaderValue(key)) return unfit('key');
    return this.#save(keyDocument(key));
  }

  /** Keeps an access token if the issuer knows it. */
  async withAccessToken(given: string, signal: AbortSignal): Promise<SignedIn | Outcome> {
    const token = given.trim();
    if (token === '') return nothingGiven('access token');
    const read = readAccessToken(token, 'Make one in the settings of your ChatGPT account.', 'Standard input');
    if (read.kind === 'unusable') return { code: 'login-unfit', message: read.message, next: read.next };
    const unkept = await this.#unkept(signal);
    if (unkept !== undefined) return unkept;
    const { requests, options } = this.#parts;
    const account = await accountOfToken(token, { requests, environment: options.env }, signal);
    if (signal.aborted) return stopped;
    if (account.kind !== 'account') return failed(account.why);
    return this.#refused('chatgpt', account) ?? this.#save(accessTokenDocument(token), account.email);
  }

  /** Forgets the login of the home; returns whether there was one. */
  async signOut(): Promise<boolean | Outcome> {
    const { logins } = this.#parts;
    try {
      return await logins.alone(() => logins.forget(), new AbortController().signal);
    } catch (error) {
      return notWritten(error);
    }
  }

  get #limits() {
    const { config, requirements } = this.#parts.base;
    return loginLimits(config, requirements);
  }

  /** Before an account is known, only the sign-in method can be refused. */
  #refused(method: LoginMethod, account: { readonly accountId?: string } | undefined): Outcome | undefined {
    const { methods, workspaces } = this.#limits;
    return loginRefusal({ method, accountId: account?.accountId }, { methods, workspaces: account && workspaces });
  }

  /** Checked before users sign in: the result could not be kept if nothing can be written. */
  async #unkept(signal: AbortSignal): Promise<Outcome | undefined> {
    const { logins } = this.#parts;
    try {
      const why = await logins.unkept();
      if (why !== undefined) return notWritten(new Error(why));
      await logins.alone(() => Promise.resolve(), signal);
      return undefined;
    } catch (error) {
      return signal.aborted ? stopped : notWritten(error);
    }
  }

  async #keep(exchanged: ExchangedCode): Promise<SignedIn | Outcome> {
    if (exchanged.kind === 'failed') return failed(exchanged.why);
    const account = accountFromIdToken(exchanged.tokens.idToken);
    const refused = this.#refused('chatgpt', account);
    return refused ?? this.#save(accountDocument(exchanged.tokens, this.#parts.clock.now()), account.email);
  }

  /** The issued tokens cannot be issued again, so they replace the old ones whatever the user does meanwhile. */
  async #save(document: JsonObject, email?: string): Promise<SignedIn | Outcome> {
    const { logins } = this.#parts;
    try {
      const where = await logins.alone(() => logins.save(document), new AbortController().signal);
      return { kind: 'signed-in', where, ...defined({ email }) };
    } catch (error) {
      return notWritten(error);
    }
  }
}

const stopped: Outcome = {
  code: 'login-stopped',
  message: 'The sign-in was stopped. Nothing was changed.',
  next: 'Start it again with `capstan login`.',
};

function portsInUse(ports: readonly number[]): Outcome {
  const message = `The ports ${ports.join(' and ')} of this machine are in use, and the page sends you back to no other.`;
  return { code: 'login-ports', message, next: 'End the other sign-in, or use `capstan login --device-auth`.' };
}

const notOffered: Outcome = {
  code: 'login-not-offered',
  message: 'This issuer does not offer to sign in with a code.',
  next: 'Use `capstan login` without --device-auth, or `capstan login --with-api-key`.',
};

function late(ms: number): Outcome {
  const message = `The sign-in was not completed within ${ms / 60_000} minutes.`;
  return { code: 'login-late', message, next: 'Start it again with `capstan login`.' };
}

function failed(why: string): Outcome {
  const next = 'Try again. Without access to the page, use `capstan login --with-api-key`.';
  return { code: 'login-failed', message: `The sign-in did not work: ${why}.`, next };
}

function nothingGiven(what: string): Outcome {
  const option = what === 'key' ? '--with-api-key' : '--with-access-token';
  const name = what === 'key' ? 'OPENAI_API_KEY' : 'CODEX_ACCESS_TOKEN';
  const message = `There is no ${what} on standard input.`;
  return { code: 'login-empty', message, next: `Pipe it in: \`printenv ${name} | capstan login ${option}\`.` };
}

function unfit(what: string): Outcome {
  const message = `What is on standard input cannot be a ${what}: it has spaces, line breaks or characters that no ${what} has.`;
  return { code: 'login-unfit', message, next: `Pipe in the ${what} and nothing else.` };
}

function notWritten(error: unknown): Outcome {
  const message = `The login could not be changed: ${error instanceof Error ? error.message : String(error)}.`;
  const next = 'Check the home folder, or cli_auth_credentials_store in config.toml.';
  return { code: 'login-unwritten', message, next };
}

/** Opens a page in the user's browser if there is a screen for it; returns whether it may have opened. */
export function openInBrowser(
  page: string,
  parts: Pick<EngineParts, 'programs' | 'programFolder' | 'options'>,
  platform: NodeJS.Platform = process.platform,
): boolean {
  const { programs, programFolder, options } = parts;
  const { env } = options;
  const hasScreen = ['DISPLAY', 'WAYLAND_DISPLAY'].some((name) => (env[name] ?? '') !== '');
  if (platform === 'linux' && !hasScreen) return false;
  const program =
    platform === 'darwin' ? '/usr/bin/open' : platform === 'linux' ? programs.find('xdg-open') : undefined;
  if (program === undefined) return false;
  // It is a script that looks for browsers by their names.
  return startDetached([program, page], { cwd: programFolder(), env: programVariables(parts) });
}
