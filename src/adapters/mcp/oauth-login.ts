import { defined } from '../../base/objects.ts';
import type { McpAddressConfig } from '../../core/config/servers/mcp-servers.ts';
import { messageOfThrown } from '../../protocol/display-text.ts';
import { arrayAt, type JsonObject, parseJsonObject, stringAt } from '../../protocol/json.ts';
import { ErrorWithAdvice } from './bounded-fetch.ts';
import type { CredentialStore, McpCredentials } from './credential-store.ts';
import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface LoginBrowser {
  readonly redirectUrl: string;
  /** Resolves with the parameters that the user brings back. */
  visit(page: URL): Promise<URLSearchParams>;
}

export interface LoginSessionOptions {
  readonly address: McpAddressConfig;
  readonly store: CredentialStore;
  /** Absent: the user cannot be sent to a page, so only a stored login is used. */
  readonly visitor?: LoginBrowser;
  /** Only for a client registered beforehand. */
  readonly clientSecret?: string;
  random(): string;
}

type Issued = { readonly issuer?: string };

/** A login that cannot be made or renewed. */
export class LoginProblem extends ErrorWithAdvice {}

/** Thrown if no one can log in now. Keeps the library from registering a client in place of the stored login's. */
class LoginWanted extends Error {
  readonly status = 401;
}

/** For a server that does not register clients automatically. */
export function registrationRefusedProblem(cause?: unknown): LoginProblem {
  const next =
    'Register a client there and set oauth.client_id, or set bearer_token_env_var to a variable with a token.';
  return new LoginProblem('its login server does not register Capstan as a client', next, { cause });
}

/** A login at one server: uses and renews the stored one, and asks the user if that is possible. */
export class LoginSession implements OAuthClientProvider {
  /** An id that is a URL tells the server where to read about this program. */
  readonly clientMetadataUrl?: string;
  /** Set only if the user configured the resource. Otherwise the library takes the server's own one, if it fits. */
  readonly validateResourceURL?: () => Promise<URL>;
  readonly #options: LoginSessionOptions;
  #verifier = '';
  #state = '';
  #discovery: OAuthDiscoveryState | undefined;
  /** The tokens as this session last read them. */
  #used: JsonObject | undefined;
  #sent: string | undefined;
  /** Access token of the last renewal, already stored. */
  #renewed: string | undefined;
  /** Why the last renewal failed, as part of a sentence. */
  #notRenewed: string | undefined;
  #back: Promise<URLSearchParams> | undefined;

  constructor(options: LoginSessionOptions) {
    this.#options = options;
    const { clientId = '', resource } = options.address.oauth;
    if (clientId.startsWith('https://')) this.clientMetadataUrl = clientId;
    if (resource !== undefined && URL.canParse(resource)) this.validateResourceURL = async () => new URL(resource);
  }

  get redirectUrl(): string {
    // Nothing is sent there without a visitor.
    return this.#options.visitor?.redirectUrl ?? 'http://127.0.0.1/callback';
  }

  get clientMetadata(): OAuthClientMetadata {
    const { scopes } = this.#options.address.oauth;
    return {
      client_name: 'Capstan',
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      ...defined({ scope: scopes?.join(' ') }),
    };
  }

  state(): string {
    return (this.#state = this.#options.random());
  }

  clientInformation(about?: Issued): StoredOAuthClientInformation | undefined {
    const { client } = this.#kept;
    const configured = this.#configuredId;
    if (configured !== undefined) {
      const issuer = client?.['client_id'] === configured ? stringAt(client, 'issuer') : undefined;
      if (issuer !== undefined && about?.issuer !== undefined && issuer !== about.issuer)
        throw new Error(
          `it names ${about.issuer} as its authorization server, and you logged in at ${issuer}. If the new one is right, log out of the server with \`mcp logout\`, and log in again`,
        );
      return { client_id: configured, ...defined({ client_secret: this.#options.clientSecret, issuer }) };
    }
    // The server would refuse a client that is registered for another redirect URL.
    const isUsable = this.#options.visitor === undefined || knows(client, this.redirectUrl);
    if (isUsable && isOf(client, about)) return client as unknown as StoredOAuthClientInformation;
    if (this.#options.visitor === undefined) throw new LoginWanted('it wants a login');
    const metadata = this.#discovery?.authorizationServerMetadata;
    const isDescribed =
      this.clientMetadataUrl !== undefined && metadata?.client_id_metadata_document_supported === true;
    if (metadata !== undefined && metadata.registration_endpoint === undefined && !isDescribed)
      throw registrationRefusedProblem();
    return undefined;
  }

  async saveClientInformation(client: StoredOAuthClientInformation): Promise<void> {
    // The user keeps the secret of a configured client. Capstan stores its issuer, since no other one knows it.
    const { client_id, issuer } = client;
    const whole = { redirect_uris: [this.redirectUrl], ...(client as unknown as JsonObject) };
    const kept = this.#configuredId === undefined ? whole : { client_id, issuer };
    await this.#change((stored) => ({ ...stored, client: kept }));
  }

  tokens(about?: Issued): StoredOAuthTokens | undefined {
    const { tokens } = this.#kept;
    this.#used = tokens;
    if (about === undefined) this.#sent = stringAt(tokens, 'access_token');
    return isOf(tokens, about) ? (tokens as unknown as StoredOAuthTokens) : undefined;
  }

  async saveTokens(tokens: StoredOAuthTokens): Promise<void> {
    if (tokens.access_token !== this.#renewed)
      await this.#change((stored) => ({ ...stored, tokens: tokens as unknown as JsonObject }));
  }

  /**
   * Requests new tokens while no other process does, and stores them before the next one may ask: a server with
   * single-use refresh tokens ends the whole login when it sees one again. If another process was faster, returns its
   * tokens.
   */
  async renew(form: URLSearchParams, send: () => Promise<Response>, signal: AbortSignal): Promise<Response> {
    try {
      return await this.#options.store.alone(this.#options.address.url, () => this.#renewOnce(form, send), signal);
    } catch (error) {
      this.#notRenewed = messageOfThrown(error);
      throw error;
    }
  }

  async #renewOnce(form: URLSearchParams, send: () => Promise<Response>): Promise<Response> {
    const { tokens: stored } = this.#kept;
    if (stored === undefined) throw new LoginWanted('the login was removed');
    if (stored['access_token'] !== this.#sent && stored['issuer'] === this.#used?.['issuer'])
      return this.#renewedAs(stored);
    const response = await send();
    const tokens = response.ok ? parseJsonObject(await response.clone().text()) : undefined;
    this.#notRenewed = response.ok ? 'the answer contained no tokens' : `the answer was HTTP ${response.status}`;
    if (stringAt(tokens, 'access_token') === undefined) return response;
    // A refresh token that is not replaced stays valid.
    const renewed = { refresh_token: form.get('refresh_token'), ...tokens, ...defined({ issuer: stored['issuer'] }) };
    // Must not undo a logout or login made meanwhile.
    await this.#change((now) => (equalTokens(now.tokens, stored) ? { ...now, tokens: renewed } : now));
    return this.#renewedAs(renewed);
  }

  #renewedAs(tokens: JsonObject): Response {
    this.#notRenewed = undefined;
    this.#renewed = stringAt(tokens, 'access_token');
    return Response.json(tokens);
  }

  redirectToAuthorization(page: URL): void {
    const { visitor } = this.#options;
    if (visitor === undefined) {
      const why = `its login could not be renewed: ${this.#notRenewed}`;
      const next = 'Try again later, or log in again with `capstan mcp login NAME`.';
      if (this.#notRenewed !== undefined) throw new LoginProblem(why, next);
      return;
    }
    this.#back = visitor.visit(page);
    // `broughtBack` reports the failure.
    this.#back.catch(() => {});
  }

  readonly saveCodeVerifier = (verifier: string): void => void (this.#verifier = verifier);
  readonly codeVerifier = (): string => this.#verifier;
  readonly saveDiscoveryState = (state: OAuthDiscoveryState): void => void (this.#discovery = state);
  readonly discoveryState = (): OAuthDiscoveryState | undefined => this.#discovery;

  async invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): Promise<void> {
    if (scope === 'all' || scope === 'discovery') this.#discovery = undefined;
    if (scope === 'verifier') this.#verifier = '';
    if (scope === 'verifier' || scope === 'discovery') return;
    const used = this.#used;
    await this.#change(({ tokens, client }) => {
      // If another process renewed the tokens meanwhile, the server did not refuse the stored ones: they stay, and are
      // used next.
      const stays = scope === 'client' || (scope === 'tokens' && !equalTokens(tokens, used));
      return { tokens: stays ? tokens : undefined, client: scope === 'tokens' ? client : undefined };
    });
  }

  /** Parameters that the user brought back from the page; returned once. Undefined: the user was not sent to a page. */
  async broughtBack(): Promise<URLSearchParams | undefined> {
    const back = await this.#back;
    this.#back = undefined;
    if (back !== undefined && back.get('state') !== this.#state) throw new Error('the answer belongs to another login');
    return back;
  }

  get #configuredId(): string | undefined {
    const { clientId } = this.#options.address.oauth;
    return clientId?.startsWith('https://') === true ? undefined : clientId;
  }

  get #kept(): McpCredentials {
    return this.#options.store.read(this.#options.address.url);
  }

  #change(change: (stored: McpCredentials) => McpCredentials): Promise<void> {
    return this.#options.store.change(this.#options.address.url, change);
  }
}

const equalTokens = (one: JsonObject | undefined, other: JsonObject | undefined): boolean =>
  JSON.stringify(one) === JSON.stringify(other);
/** If the asking issuer is known, only credentials stored for that issuer match; if it is not, any match. */
const isOf = (kept: JsonObject | undefined, about: Issued | undefined): boolean =>
  kept !== undefined && (about?.issuer === undefined || kept['issuer'] === about.issuer);
const knows = (client: JsonObject | undefined, redirectUrl: string): boolean =>
  arrayAt(client, 'redirect_uris')?.includes(redirectUrl) === true;
const path = '/callback';
export type CallbackServer = LoginBrowser & { close(): void };
type CallbackOptions = { readonly port: number; readonly show: (page: URL) => void };

/** Listens only on this machine for the page to send the user back. `show` tells the user which page to visit. */
export async function openCallbackServer({ port, show }: CallbackOptions): Promise<CallbackServer> {
  let came = Promise.withResolvers<URLSearchParams>();
  let state: string | null = null;
  const server = createServer((request, response) => {
    const asked = new URL(request.url ?? '/', 'http://127.0.0.1');
    const given = asked.searchParams;
    const isAnswer = asked.pathname === path && (given.has('code') || given.has('error'));
    // Any page can send the user here; only the visited one knows the state.
    const isBack = isAnswer && state !== null && given.get('state') === state;
    response.writeHead(isBack ? 200 : 404, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
    response.end(isBack ? 'Capstan has the answer. You can close this page.\n' : 'Not found.\n');
    if (isBack) came.resolve(given);
  });
  await new Promise<void>((resolve, reject) => void server.once('error', reject).listen(port, '127.0.0.1', resolve));
  const { port: chosen } = server.address() as AddressInfo;
  return {
    redirectUrl: `http://127.0.0.1:${chosen}${path}`,
    visit(page) {
      state = page.searchParams.get('state');
      came = Promise.withResolvers();
      show(page);
      return came.promise;
    },
    close: () => void server.close(),
  };
}
