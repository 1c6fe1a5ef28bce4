import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import type { McpAddressConfig } from '../../config/mcp-servers.ts';
import { defined } from '../../protocol/defined.ts';
import { type JsonObject, stringAt } from '../../protocol/json.ts';
import type { CredentialStore, McpCredentials } from './credential-store.ts';

/** How the user is sent to a page and comes back. */
export interface Visitor {
  /** Where the page sends the user back to. */
  readonly redirectUrl: string;
  /** Resolves with what came back. */
  visit(page: URL): Promise<URLSearchParams>;
}

export interface LoginSessionOptions {
  readonly address: McpAddressConfig;
  readonly store: CredentialStore;
  /** Absent: no one can be sent anywhere, and only what was kept is used. */
  readonly visitor?: Visitor;
  /** Of a client that was registered beforehand. */
  readonly clientSecret?: string;
  random(): string;
}

type Issued = { readonly issuer?: string } | undefined;

/** A login at one server: uses and renews what is kept, and asks the user where there is someone to ask. */
export class LoginSession implements OAuthClientProvider {
  /** An id that is an address tells the server where to read about this program. */
  readonly clientMetadataUrl?: string;
  /** Only where the user says for what the login is: else it is what the server says of itself, if that fits. */
  readonly validateResourceURL?: () => Promise<URL>;
  readonly #options: LoginSessionOptions;
  #verifier = '';
  #state = '';
  #discovery: OAuthDiscoveryState | undefined;
  /** The login as this session last read or wrote it. */
  #used: JsonObject | undefined;
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

  clientInformation(about?: { readonly issuer?: string }): StoredOAuthClientInformation | undefined {
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
    // Registered for another way back: the server would refuse it.
    const isUsable = this.#options.visitor === undefined || knows(client, this.redirectUrl);
    return isUsable && isOf(client, about) ? (client as unknown as StoredOAuthClientInformation) : undefined;
  }

  saveClientInformation(client: StoredOAuthClientInformation): void {
    // Its secret is the user's to keep. The issuer is kept: at no other one does this client count.
    if (this.#configuredId !== undefined) {
      const { client_id, issuer } = client;
      this.#keep({ client: { client_id, ...defined({ issuer }) } });
      return;
    }
    this.#keep({ client: { redirect_uris: [this.redirectUrl], ...(client as unknown as JsonObject) } });
  }

  tokens(about?: { readonly issuer?: string }): StoredOAuthTokens | undefined {
    const { tokens } = this.#kept;
    this.#used = tokens;
    return isOf(tokens, about) ? (tokens as unknown as StoredOAuthTokens) : undefined;
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    this.#keep({ tokens: tokens as unknown as JsonObject });
  }

  redirectToAuthorization(page: URL): void {
    const { visitor } = this.#options;
    if (visitor === undefined) return;
    this.#back = visitor.visit(page);
    // `broughtBack` reports the failure.
    this.#back.catch(() => {});
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovery = state;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovery;
  }

  invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): void {
    const { tokens, client } = this.#kept;
    // Another process renewed them meanwhile: what was refused here is no longer kept, and what is kept is used next.
    if (scope === 'tokens' && JSON.stringify(tokens) !== JSON.stringify(this.#used)) return;
    if (scope === 'all' || scope === 'discovery') this.#discovery = undefined;
    if (scope === 'verifier') this.#verifier = '';
    if (scope === 'all' || scope === 'tokens' || scope === 'client') {
      const left = {
        ...(scope === 'client' ? defined({ tokens }) : {}),
        ...(scope === 'tokens' ? defined({ client }) : {}),
      };
      this.#options.store.write(this.#options.address.url, left);
    }
  }

  /** What the user brought back from the page, once. Undefined: no one was sent anywhere. */
  async broughtBack(): Promise<URLSearchParams | undefined> {
    const back = await this.#back;
    this.#back = undefined;
    if (back !== undefined && back.get('state') !== this.#state) throw new Error('the answer belongs to another login');
    return back;
  }

  /** The client that the user registered. */
  get #configuredId(): string | undefined {
    const { clientId } = this.#options.address.oauth;
    return clientId?.startsWith('https://') === true ? undefined : clientId;
  }

  get #kept(): McpCredentials {
    return this.#options.store.read(this.#options.address.url);
  }

  #keep(changed: McpCredentials): void {
    this.#options.store.write(this.#options.address.url, { ...this.#kept, ...changed });
  }
}

/** Credentials of one issuer are not shown to another. */
function isOf(kept: JsonObject | undefined, about: Issued): boolean {
  return (
    kept !== undefined &&
    (about?.issuer === undefined || kept['issuer'] === undefined || kept['issuer'] === about.issuer)
  );
}

function knows(client: JsonObject | undefined, redirectUrl: string): boolean {
  const known = client?.['redirect_uris'];
  return Array.isArray(known) && known.includes(redirectUrl);
}
