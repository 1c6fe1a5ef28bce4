import { defined } from '../../../base/objects.ts';
import { isHeaderValue, isWebAddress } from '../../../protocol/http.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { EnvironmentVariables } from '../../../protocol/shell.ts';
import { urlForMessage, withoutUrlCredentials } from '../../policy/secrets.ts';
import type { Config } from '../config.ts';
import { likelyHeaderCharacterText, wrongHeaderCharacterText } from '../keys/check-layers.ts';
import type { ConfiguredProvider } from '../keys/key-table.ts';
import { builtInProvider, builtInProviders, openaiKeyInstructions, openaiKeyVariables } from './built-in-providers.ts';
import type { BuiltInProvider } from './built-in-providers.ts';
import { capabilitiesAt, commonCapabilities, type ServerCapabilities } from './server-capabilities.ts';

/** Address and authentication of a provider. Variables are only named here; the sender reads them. */
export interface ProviderConfig {
  readonly id: string;
  readonly name: string;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly wireApi: string;
  /** Variables that may hold the key; the first that is set and not blank is used. Empty: no key needed. */
  readonly envKeys: readonly string[];
  readonly envKeyInstructions?: string;
  readonly bearerToken?: string;
  /** Use the home's login when no key is set. `baseUrl`: for a ChatGPT login, when none is configured. */
  readonly login?: { readonly baseUrl?: string };
  /** Prints the key; if set, it is the only source. */
  readonly tokenCommand?: TokenCommand;
  readonly httpHeaders: Readonly<Record<string, string>>;
  /** Header name to variable; a header whose variable is unset or blank is left out. */
  readonly envHttpHeaders: Readonly<Record<string, string>>;
  readonly queryParams: Readonly<Record<string, string>>;
  readonly requestMaxRetries: number;
  /** Retries after connection failures. Absent: none are configured, so requests fail fast. */
  readonly connectMaxRetries?: number;
  readonly streamMaxRetries: number;
  readonly streamIdleTimeoutMs: number;
  readonly capabilities: ServerCapabilities;
  /** True where requests may use a WebSocket, if the wire format has one. */
  readonly supportsWebsockets: boolean;
  readonly websocketConnectTimeoutMs: number;
  /** Absent: not sent. */
  readonly sampling?: ProviderSampling;
}

/** A user's program that prints a key, run without a shell. */
export interface TokenCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly timeoutMs: number;
  /** Lifetime of a key; 0: until a server refuses it. */
  readonly refreshIntervalMs: number;
  readonly cwd?: string;
}

export type ProviderProblem =
  Outcome<`provider-${'unknown' | 'incomplete' | 'wire-api' | 'auth-conflict' | 'auth-unsupported'}`>;

const chatgptUrl = 'https://chatgpt.com/backend-api/codex';
const mostRetries = 100;

/** Path appended to a provider's address, by wire format. */
const endpoints: ReadonlyMap<string, string> = new Map([
  ['responses', '/responses'],
  ['chat', '/chat/completions'],
  ['anthropic', '/messages'],
]);

export const providerDefaults = {
  wireApi: 'responses',
  envKeys: [],
  httpHeaders: {},
  envHttpHeaders: {},
  queryParams: {},
  requestMaxRetries: 4,
  streamMaxRetries: 5,
  streamIdleTimeoutMs: 300_000,
  capabilities: commonCapabilities,
  supportsWebsockets: false,
  websocketConnectTimeoutMs: 15_000,
} as const satisfies Partial<ProviderConfig>;

/** The provider ready for use, or why it is unusable. `env` may hold its address. */
export function resolveProvider(
  config: Config,
  id: string,
  env: EnvironmentVariables = {},
): ProviderConfig | ProviderProblem {
  const given = Object.hasOwn(config.modelProviders, id) ? config.modelProviders[id] : undefined;
  const builtIn = builtInProvider(id);
  if (builtIn === undefined && given === undefined) return unknownProvider(config, id);
  return providerFrom(id, { builtIn: builtIn ?? {}, given: withOpenaiUrl(config, id, given ?? {}), env });
}

const withOpenaiUrl = ({ openaiBaseUrl }: Config, id: string, given: ConfiguredProvider): ConfiguredProvider =>
  id === 'openai' ? { ...defined({ baseUrl: openaiBaseUrl }), ...given } : given;

/** The provider's address for files: without a name, a password or a key in it. */
export const providerAddress = ({ baseUrl }: Pick<ProviderConfig, 'baseUrl'>): string =>
  withoutSlash(withoutUrlCredentials(new URL(baseUrl).href));

interface ProviderSources {
  readonly builtIn: Partial<BuiltInProvider>;
  readonly given: ConfiguredProvider;
  readonly env: EnvironmentVariables;
}

/** The configuration overrides what is built in. */
function providerFrom(id: string, { builtIn, given, env }: ProviderSources): ProviderConfig | ProviderProblem {
  const refused = refuse(id, given);
  if (refused !== undefined) return refused;
  const wireApi = given.wireApi ?? builtIn.wireApi ?? providerDefaults.wireApi;
  const urlOfLogin = given.requiresOpenaiAuth === true ? builtInProviders.openai.baseUrl : undefined;
  const baseUrl = given.baseUrl ?? builtIn.baseUrl ?? urlFromVariable(builtIn, env) ?? urlOfLogin;
  const endpoint = endpoints.get(wireApi);
  const shorter = `Set model_providers.${id}.base_url to the address that ends before ${endpoint ?? 'the endpoint'}.`;
  if (baseUrl === undefined) return withoutUrl(id, builtIn, shorter);
  if (endpoint !== undefined && withoutSlash(baseUrl).endsWith(endpoint))
    return incomplete(`The base_url of the provider "${id}" includes ${endpoint}, which Capstan adds itself`, shorter);
  const { httpHeaders, queryParams, streamIdleTimeoutMs } = given;
  const { supportsWebsockets = builtIn.supportsWebsockets, websocketConnectTimeoutMs } = given;
  return checkedUrl({
    ...providerDefaults,
    id,
    name: given.name ?? builtIn.name ?? id,
    baseUrl: withoutSlash(baseUrl),
    wireApi,
    ...keysOf(id, builtIn, given),
    ...defined({ httpHeaders, queryParams, streamIdleTimeoutMs }),
    envHttpHeaders: { ...builtIn.envHttpHeaders, ...given.envHttpHeaders },
    ...defined({ supportsWebsockets, websocketConnectTimeoutMs, sampling: configuredSampling(given) }),
    requestMaxRetries: Math.min(given.requestMaxRetries ?? providerDefaults.requestMaxRetries, mostRetries),
    ...(given.requestMaxRetries !== undefined && { connectMaxRetries: Math.min(given.requestMaxRetries, mostRetries) }),
    streamMaxRetries: Math.min(given.streamMaxRetries ?? providerDefaults.streamMaxRetries, mostRetries),
    capabilities: {
      ...commonCapabilities,
      ...capabilitiesAt(baseUrl),
      ...builtIn.capabilities,
      ...given.serverCapabilities,
    },
  });
}

type Keys = Pick<ProviderConfig, 'envKeys' | 'envKeyInstructions' | 'bearerToken' | 'login' | 'tokenCommand'>;

/** A configured way to authenticate replaces the built-in one. */
function keysOf(id: string, builtIn: Partial<BuiltInProvider>, given: ConfiguredProvider): Keys {
  const { envKey, experimentalBearerToken: bearerToken, envKeyInstructions: instructions } = given;
  const tokenCommand = tokenCommandOf(given.auth);
  const namesKey = envKey !== undefined || bearerToken !== undefined || tokenCommand !== undefined;
  if (!namesKey && given.requiresOpenaiAuth === true) {
    const login = loginFor(given.baseUrl);
    return { envKeys: openaiKeyVariables, envKeyInstructions: instructions ?? openaiKeyInstructions, login };
  }
  const own = namesKey || sendsKey(given) ? {} : builtIn;
  return {
    envKeys: envKey === undefined ? (own.envKeys ?? []) : [envKey],
    ...defined({
      envKeyInstructions: instructions ?? own.envKeyInstructions,
      bearerToken,
      tokenCommand,
      login: id === 'openai' && own === builtIn ? loginFor(given.baseUrl) : undefined,
    }),
  };
}

function sendsKey({ httpHeaders = {}, envHttpHeaders = {} }: ConfiguredProvider): boolean {
  const names = Object.keys({ ...httpHeaders, ...envHttpHeaders });
  return names.some((name) => /^(?:authorization|api-key|x-api-key|x-goog-api-key)$/i.test(name));
}

function urlFromVariable({ urlVariable }: Partial<BuiltInProvider>, env: EnvironmentVariables): string | undefined {
  const set = urlVariable && env[urlVariable.name]?.trim();
  if (urlVariable === undefined || set === undefined || set === '') return undefined;
  const address = withoutSlash(set);
  return address.endsWith(urlVariable.path) ? address : `${address}${urlVariable.path}`;
}

function withoutUrl(id: string, { urlVariable }: Partial<BuiltInProvider>, shorter: string): ProviderProblem {
  if (urlVariable === undefined) return incomplete(`The provider "${id}" has no base_url`, shorter);
  const { name, path, example } = urlVariable;
  const message = `The provider "${id}" has no address: ${name} is not set, and there is no base_url`;
  return incomplete(message, `Set ${name} to ${example}, or model_providers.${id}.base_url to ${example}${path}.`);
}

/** Only one complete way to get a key may be configured. */
function refuse(id: string, given: ConfiguredProvider): ProviderProblem | undefined {
  const path = `model_providers.${id}`;
  if (given.aws !== undefined) {
    const message = `The provider "${id}" gets its key through "aws", which Capstan does not support yet`;
    const next = `Put the key in an environment variable and name the variable in ${path}.env_key.`;
    return { code: 'provider-auth-unsupported', message, next };
  }
  if (given.auth === undefined) return undefined;
  if (given.auth.command === undefined) {
    const next = `Set ${path}.auth.command to the program that prints the key, or remove the table.`;
    return incomplete(`The table "auth" of the provider "${id}" has no command`, next);
  }
  const { envKey: env_key, experimentalBearerToken: experimental_bearer_token, requiresOpenaiAuth } = given;
  const other = Object.keys(
    defined({ env_key, experimental_bearer_token, requires_openai_auth: requiresOpenaiAuth || undefined }),
  );
  if (other.length === 0) return undefined;
  const message = `The provider "${id}" has more than one source for its key: a command, and ${other.join(' and ')}`;
  const next = `Remove ${path}.auth, or ${other.map((key) => `${path}.${key}`).join(' and ')}.`;
  return { code: 'provider-auth-conflict', message, next };
}

function tokenCommandOf(auth: ConfiguredProvider['auth'] = {}): TokenCommand | undefined {
  const { command, args = [], timeoutMs = 5000, refreshIntervalMs = 300_000, cwd } = auth;
  return command === undefined ? undefined : { command, args, timeoutMs, refreshIntervalMs, ...defined({ cwd }) };
}

function checkedUrl(provider: ProviderConfig): ProviderConfig | ProviderProblem {
  if (isWebAddress(provider.baseUrl)) return provider;
  const key = provider.id === 'openai' ? 'openai_base_url' : `model_providers.${provider.id}.base_url`;
  const message = `The address of the provider "${provider.id}" is not a web address: "${urlForMessage(provider.baseUrl)}"`;
  return incomplete(message, `Set ${key} to an address that begins with https:// or http://.`);
}

const incomplete = (message: string, next: string): ProviderProblem => ({ code: 'provider-incomplete', message, next });

function unknownProvider(config: Config, id: string): ProviderProblem {
  if (id === 'ollama-chat') {
    const message = 'The provider "ollama-chat" used a wire format that is no longer supported';
    return { code: 'provider-unknown', message, next: 'Set model_provider to "ollama" instead.' };
  }
  const known = [...new Set([...Object.keys(builtInProviders), ...Object.keys(config.modelProviders)])];
  const message = `There is no provider "${id}". Known providers: ${known.join(', ')}`;
  const next = `Set model_provider to one of these, or define [model_providers.${id}] with its base_url.`;
  return { code: 'provider-unknown', message, next };
}

const loginFor = (configuredUrl: string | undefined): NonNullable<ProviderConfig['login']> =>
  configuredUrl === undefined ? { baseUrl: chatgptUrl } : {};
const withoutSlash = (url: string): string => url.replace(/\/+$/, '');
/** Absent values are left to the server. */
export type Sampling = { readonly temperature?: number; readonly stop?: readonly string[] };
export type ProviderSampling = Sampling & { readonly models?: Readonly<Record<string, Sampling>> };

function configuredSampling(given: ConfiguredProvider): ProviderSampling | undefined {
  const { temperature, stop, models } = given;
  const sampling = defined({ temperature, stop, models });
  return Object.keys(sampling).length === 0 ? undefined : sampling;
}

/** A model's own values override those of the provider. An empty list of texts means none. */
export function samplingFor(provider: ProviderSampling | undefined, model: string): Sampling | undefined {
  const own = Object.hasOwn(provider?.models ?? {}, model) ? provider?.models?.[model] : undefined;
  const { temperature, stop } = { ...provider, ...own };
  const sampling = defined({ temperature, stop: stop?.length === 0 ? undefined : stop });
  return Object.keys(sampling).length === 0 ? undefined : sampling;
}

export interface LocalProvider {
  readonly id: string;
  readonly model: string;
  readonly start: string;
  /** The command that gets a model, without the model's name. */
  readonly get: string;
}

/** The providers that `--oss` looks for: those that get models by name. */
export const localProviders: readonly LocalProvider[] = Object.entries<BuiltInProvider>(builtInProviders).flatMap(
  ([id, { local, model }]) => {
    if (local?.get === undefined || typeof model !== 'object') return [];
    return [{ id, model: model.usual, start: local.start, get: local.get }];
  },
);

export const localProvider = (id: string): LocalProvider | undefined => localProviders.find((local) => local.id === id);
const addressVariable = 'CODEX_OSS_BASE_URL';
const portVariable = 'CODEX_OSS_PORT';

/** Takes a local provider's address from the environment: an address, else a port. Blank counts as unset. */
export function withLocalAddress(
  provider: ProviderConfig,
  env: EnvironmentVariables,
): ProviderConfig | ProviderProblem {
  if (localProvider(provider.id) === undefined) return provider;
  const [address = '', port = ''] = [addressVariable, portVariable].map((name) => env[name]?.trim());
  if (address !== '') {
    if (!isWebAddress(address)) return wrong(`${addressVariable} is not a web address: ${JSON.stringify(address)}`);
    return { ...provider, baseUrl: address.replace(/\/+$/, '') };
  }
  if (port === '') return provider;
  if (!/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65_535)
    return wrong(`${portVariable} is not a port number: ${JSON.stringify(port)}`);
  return { ...provider, baseUrl: `http://localhost:${Number(port)}/v1` };
}

function wrong(message: string): ProviderProblem {
  const example = 'the address that ends before /responses, such as http://localhost:11434/v1';
  return { code: 'provider-incomplete', message, next: `Unset it, or set ${addressVariable} to ${example}.` };
}

/** Provider headers that cannot be sent because of a variable's value. */
export function headerNotices(
  config: Config,
  id: string,
  env: EnvironmentVariables,
): readonly Outcome<'header-left-out'>[] {
  const provider = resolveProvider(config, id, env);
  if ('code' in provider) return [];
  return Object.entries(provider.envHttpHeaders).flatMap(([name, variable]) => {
    if (isHeaderValue(env[variable]?.trim() ?? '')) return [];
    const message = `The variable ${variable} ${wrongHeaderCharacterText}, so Capstan sends requests to ${id} without the header ${JSON.stringify(name)}.`;
    return [{ code: 'header-left-out', message, next: `Set the variable again: ${likelyHeaderCharacterText}` }];
  });
}
