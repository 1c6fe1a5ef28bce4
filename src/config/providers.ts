import { defined } from '../protocol/defined.ts';
import type { Outcome } from '../protocol/outcome.ts';
import type { Config } from './config.ts';
import type { ConfiguredProvider } from './key-table.ts';

/** Where requests go and how they identify themselves. Variables are named here and read by the sender. */
export interface ProviderConfig {
  readonly id: string;
  readonly name: string;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** The wire format that it speaks, by name. */
  readonly wireApi: string;
  /** Variables that may hold the key; the first that is set and not blank is used. Empty: the provider wants no key. */
  readonly envKeys: readonly string[];
  /** Shown when none of the variables is set. */
  readonly envKeyInstructions?: string;
  readonly bearerToken?: string;
  /** The login of the home counts when no key is set. `baseUrl`: for a login with ChatGPT, when none is configured. */
  readonly login?: { readonly baseUrl?: string };
  /** Prints the key; then there is no other. */
  readonly tokenCommand?: TokenCommand;
  readonly httpHeaders: Readonly<Record<string, string>>;
  /** Header name to variable; a header whose variable is unset or blank is left out. */
  readonly envHttpHeaders: Readonly<Record<string, string>>;
  readonly queryParams: Readonly<Record<string, string>>;
  readonly requestMaxRetries: number;
  readonly streamMaxRetries: number;
  readonly streamIdleTimeoutMs: number;
}

/** A program of the user's that prints a key, run without a shell. */
export interface TokenCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly timeoutMs: number;
  /** How long a key serves; 0: until a server refuses it. */
  readonly refreshIntervalMs: number;
  readonly cwd?: string;
}

export type ProviderProblem =
  Outcome<`provider-${'unknown' | 'incomplete' | 'wire-api' | 'auth-conflict' | 'auth-unsupported'}`>;

const openaiUrl = 'https://api.openai.com/v1';
const chatgptUrl = 'https://chatgpt.com/backend-api/codex';
/** The narrower name first: a user who sets it means this program, while the other may be there for anything. */
const openaiKeys = ['CODEX_API_KEY', 'OPENAI_API_KEY'];
const openaiKeyInstructions = 'Create a key at https://platform.openai.com/api-keys and set OPENAI_API_KEY to it.';
const anthropicUrl = 'https://api.anthropic.com/v1';
const anthropicKeyInstructions =
  'Create a key at https://console.anthropic.com/settings/keys and set ANTHROPIC_API_KEY to it.';
const mostRetries = 100;

/** What is added to the address of a provider, by wire format. */
const endpoints: ReadonlyMap<string, string> = new Map([
  ['responses', '/responses'],
  ['chat', '/chat/completions'],
  ['anthropic', '/messages'],
]);

/** What a provider gets that says nothing about it. */
export const providerDefaults = {
  wireApi: 'responses',
  envKeys: [],
  httpHeaders: {},
  envHttpHeaders: {},
  queryParams: {},
  requestMaxRetries: 4,
  streamMaxRetries: 5,
  streamIdleTimeoutMs: 300_000,
} as const satisfies Partial<ProviderConfig>;

/** Other programs have no such provider, and their users may have defined one: a table of theirs goes before ours. */
const replaceable: ReadonlySet<string> = new Set(['anthropic']);

/** The provider with that id, ready to be used, or why it cannot be. */
export function providerOf(config: Config, id: string): ProviderConfig | ProviderProblem {
  const configured = Object.hasOwn(config.modelProviders, id) ? config.modelProviders[id] : undefined;
  const builtIn = builtInProviders(config).find((provider) => provider.id === id);
  if (builtIn !== undefined && (configured === undefined || !replaceable.has(id))) return checkedUrl(builtIn);
  return configured === undefined ? unknownProvider(config, id) : customProvider(id, configured);
}

/** Where a provider is reached, for files: without a name, a password or a key in it. */
export function providerAddress({ baseUrl }: Pick<ProviderConfig, 'baseUrl'>): string {
  const { protocol, host, pathname } = new URL(baseUrl);
  return withoutSlash(`${protocol}//${host}${pathname}`);
}

/**
 * The variables from which any provider takes a key or a header, chosen or not: commands get none of them. A variable
 * of OpenAI counts even where another provider is used, since it may be set for a thread of tomorrow.
 */
export function providerVariables(config: Config): readonly string[] {
  const builtIn = builtInProviders(config);
  const configured = Object.values(config.modelProviders);
  const keys = [...builtIn.flatMap(({ envKeys }) => envKeys), ...configured.flatMap(({ envKey }) => envKey ?? [])];
  const headers = [...builtIn, ...configured].flatMap(({ envHttpHeaders = {} }) => Object.values(envHttpHeaders));
  return [...new Set([...keys, ...headers])].toSorted();
}

function builtInProviders(config: Config): readonly ProviderConfig[] {
  return [
    {
      ...providerDefaults,
      id: 'openai',
      name: 'OpenAI',
      baseUrl: withoutSlash(config.openaiBaseUrl ?? openaiUrl),
      envKeys: openaiKeys,
      envKeyInstructions: openaiKeyInstructions,
      login: loginFor(config.openaiBaseUrl),
      envHttpHeaders: { 'OpenAI-Organization': 'OPENAI_ORGANIZATION', 'OpenAI-Project': 'OPENAI_PROJECT' },
    },
    {
      ...providerDefaults,
      id: 'anthropic',
      name: 'Anthropic',
      baseUrl: anthropicUrl,
      wireApi: 'anthropic',
      envKeys: ['ANTHROPIC_API_KEY'],
      envKeyInstructions: anthropicKeyInstructions,
    },
    { ...providerDefaults, id: 'ollama', name: 'Ollama', baseUrl: 'http://localhost:11434/v1' },
    { ...providerDefaults, id: 'lmstudio', name: 'LM Studio', baseUrl: 'http://localhost:1234/v1' },
  ];
}

function customProvider(id: string, given: ConfiguredProvider): ProviderConfig | ProviderProblem {
  const refused = refuse(id, given);
  if (refused !== undefined) return refused;
  const baseUrl = given.baseUrl ?? (given.requiresOpenaiAuth === true ? openaiUrl : undefined);
  const endpoint = endpoints.get(given.wireApi ?? providerDefaults.wireApi);
  const shorter = `Set model_providers.${id}.base_url to the address that ends before ${endpoint ?? 'the endpoint'}.`;
  if (baseUrl === undefined) return incomplete(`The provider "${id}" has no base_url`, shorter);
  if (endpoint !== undefined && withoutSlash(baseUrl).endsWith(endpoint)) {
    return incomplete(`The base_url of the provider "${id}" includes ${endpoint}, which Capstan adds itself`, shorter);
  }
  const namesKey = given.envKey !== undefined || given.experimentalBearerToken !== undefined;
  const usesOpenaiKeys = !namesKey && given.requiresOpenaiAuth === true;
  const instructions = given.envKeyInstructions ?? (usesOpenaiKeys ? openaiKeyInstructions : undefined);
  const { wireApi, httpHeaders, envHttpHeaders, queryParams, streamIdleTimeoutMs } = given;
  return checkedUrl({
    ...providerDefaults,
    id,
    name: given.name ?? id,
    baseUrl: withoutSlash(baseUrl),
    envKeys: given.envKey === undefined ? (usesOpenaiKeys ? openaiKeys : []) : [given.envKey],
    ...defined({
      envKeyInstructions: instructions,
      bearerToken: given.experimentalBearerToken,
      login: usesOpenaiKeys ? loginFor(given.baseUrl) : undefined,
      tokenCommand: tokenCommandOf(given.auth),
    }),
    ...defined({ wireApi, httpHeaders, envHttpHeaders, queryParams, streamIdleTimeoutMs }),
    requestMaxRetries: Math.min(given.requestMaxRetries ?? providerDefaults.requestMaxRetries, mostRetries),
    streamMaxRetries: Math.min(given.streamMaxRetries ?? providerDefaults.streamMaxRetries, mostRetries),
  });
}

/** There is one way to get a key, and it is whole. */
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
  const other = Object.entries({
    env_key: given.envKey,
    experimental_bearer_token: given.experimentalBearerToken,
    requires_openai_auth: given.requiresOpenaiAuth === true ? true : undefined,
  }).flatMap(([key, value]) => (value === undefined ? [] : [key]));
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
  if (/^https?:\/\/[^\s/?#]/i.test(provider.baseUrl) && URL.canParse(provider.baseUrl)) return provider;
  const key = provider.id === 'openai' ? 'openai_base_url' : `model_providers.${provider.id}.base_url`;
  const message = `The address of the provider "${provider.id}" is not a web address: "${provider.baseUrl}"`;
  return incomplete(message, `Set ${key} to an address that begins with https:// or http://.`);
}

function incomplete(message: string, next: string): ProviderProblem {
  return { code: 'provider-incomplete', message, next };
}

function unknownProvider(config: Config, id: string): ProviderProblem {
  if (id === 'ollama-chat') {
    const message = 'The provider "ollama-chat" used a wire format that is no longer supported';
    return { code: 'provider-unknown', message, next: 'Set model_provider to "ollama" instead.' };
  }
  const builtIn = builtInProviders(config).map((provider) => provider.id);
  const known = [...new Set([...builtIn, ...Object.keys(config.modelProviders)])];
  const next = `Set model_provider to one of these, or define [model_providers.${id}] with its base_url.`;
  return {
    code: 'provider-unknown',
    message: `There is no provider "${id}". Known providers: ${known.join(', ')}`,
    next,
  };
}

function loginFor(configuredUrl: string | undefined): NonNullable<ProviderConfig['login']> {
  return configuredUrl === undefined ? { baseUrl: chatgptUrl } : {};
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
