import { expect, test } from 'vitest';
import type { JsonObject } from '../../../protocol/json.ts';
import { resolveConfig } from '../config.ts';
import { type BuiltInProvider, builtInProviders } from './built-in-providers.ts';
import { type ProviderConfig, resolveProvider } from './provider-config.ts';
import { commonCapabilities, openaiCapabilities } from './server-capabilities.ts';

function configOf(values: JsonObject) {
  const { config, problems } = resolveConfig([{ name: 'user', source: 'test', values }]);
  expect(problems).toEqual([]);
  return config;
}

test('openai is there without configuration', () => {
  expect(resolveProvider(configOf({}), 'openai')).toEqual({
    id: 'openai',
    name: 'OpenAI',
    baseUrl: 'https://api.openai.com/v1',
    wireApi: 'responses',
    envKeys: ['CODEX_API_KEY', 'OPENAI_API_KEY'],
    envKeyInstructions: expect.stringContaining('OPENAI_API_KEY'),
    login: { baseUrl: 'https://chatgpt.com/backend-api/codex' },
    httpHeaders: {},
    envHttpHeaders: { 'OpenAI-Organization': 'OPENAI_ORGANIZATION', 'OpenAI-Project': 'OPENAI_PROJECT' },
    queryParams: {},
    requestMaxRetries: 4,
    streamMaxRetries: 5,
    streamIdleTimeoutMs: 300_000,
    capabilities: { ...commonCapabilities, ...openaiCapabilities, accessPrograms: true, requestCompression: true },
    supportsWebsockets: true,
    websocketConnectTimeoutMs: 15_000,
  });
});

test('openai_base_url moves it, and slashes at its end do not count', () => {
  const config = configOf({ openai_base_url: 'http://127.0.0.1:8080/v1/' });
  expect(resolveProvider(config, 'openai')).toMatchObject({ baseUrl: 'http://127.0.0.1:8080/v1', login: {} });
});

test.each([
  ['ollama', 'http://localhost:11434/v1'],
  ['lmstudio', 'http://localhost:1234/v1'],
])('%s runs here and wants no key', (id, baseUrl) => {
  expect(resolveProvider(configOf({}), id)).toMatchObject({ id, baseUrl, envKeys: [] });
});

test('anthropic speaks the Messages API with a key of its own', () => {
  expect(resolveProvider(configOf({}), 'anthropic')).toEqual({
    id: 'anthropic',
    name: 'Anthropic',
    baseUrl: 'https://api.anthropic.com/v1',
    wireApi: 'anthropic',
    envKeys: ['ANTHROPIC_API_KEY'],
    envKeyInstructions: expect.stringContaining('ANTHROPIC_API_KEY'),
    httpHeaders: {},
    envHttpHeaders: {},
    queryParams: {},
    requestMaxRetries: 4,
    streamMaxRetries: 5,
    streamIdleTimeoutMs: 300_000,
    capabilities: commonCapabilities,
    supportsWebsockets: false,
    websocketConnectTimeoutMs: 15_000,
  });
  const unfinished = configOf({ model_providers: { mine: { wire_api: 'anthropic' } } });
  expect(resolveProvider(unfinished, 'mine')).toMatchObject({ next: expect.stringContaining('ends before /messages') });
});

test('a configured provider keeps what was set and takes the rest from the defaults', () => {
  const config = configOf({
    model_providers: {
      mine: {
        base_url: 'https://mine.openai.azure.com/openai/v1',
        env_key: 'AZURE_KEY',
        env_key_instructions: 'Ask the platform team.',
        wire_api: 'responses',
        query_params: { 'api-version': '2026-01-01' },
        http_headers: { 'x-team': 'core' },
        env_http_headers: { 'api-key': 'AZURE_KEY' },
        request_max_retries: 5000,
        stream_idle_timeout_ms: 1000,
      },
    },
  });
  expect(resolveProvider(config, 'mine')).toEqual({
    id: 'mine',
    name: 'mine',
    baseUrl: 'https://mine.openai.azure.com/openai/v1',
    wireApi: 'responses',
    envKeys: ['AZURE_KEY'],
    envKeyInstructions: 'Ask the platform team.',
    httpHeaders: { 'x-team': 'core' },
    envHttpHeaders: { 'api-key': 'AZURE_KEY' },
    queryParams: { 'api-version': '2026-01-01' },
    requestMaxRetries: 100,
    connectMaxRetries: 100,
    streamMaxRetries: 5,
    streamIdleTimeoutMs: 1000,
    capabilities: { ...commonCapabilities, ...openaiCapabilities },
    supportsWebsockets: false,
    websocketConnectTimeoutMs: 15_000,
  });
});

test('a provider that requires an OpenAI login takes the OpenAI keys', () => {
  const config = configOf({ model_providers: { proxy: { base_url: 'https://proxy/v1', requires_openai_auth: true } } });
  expect(resolveProvider(config, 'proxy')).toMatchObject({ envKeys: ['CODEX_API_KEY', 'OPENAI_API_KEY'], login: {} });
  const bare = configOf({ model_providers: { bare: { requires_openai_auth: true } } });
  expect(resolveProvider(bare, 'bare')).toMatchObject({
    baseUrl: 'https://api.openai.com/v1',
    login: { baseUrl: 'https://chatgpt.com/backend-api/codex' },
  });
});

test.each<[string, JsonObject]>([
  ['a variable', { env_key: 'MINE' }],
  ['a token', { experimental_bearer_token: 'mine' }],
])('a key of its own goes before that login: %s', (_, key) => {
  const config = configOf({ model_providers: { own: { base_url: 'http://x', requires_openai_auth: true, ...key } } });
  const provider = resolveProvider(config, 'own') as ProviderConfig;
  expect([provider.envKeys, provider.bearerToken, provider.login]).toEqual([
    key['env_key'] === undefined ? [] : ['MINE'],
    key['experimental_bearer_token'],
    undefined,
  ]);
});

test('a command that prints the key comes with its limits', () => {
  const commandOf = (auth: JsonObject): unknown => {
    const provider = resolveProvider(configOf({ model_providers: { own: { base_url: 'http://x', auth } } }), 'own');
    return (provider as ProviderConfig).tokenCommand;
  };
  expect(commandOf({ command: 'k' })).toEqual({ command: 'k', args: [], timeoutMs: 5000, refreshIntervalMs: 300_000 });
  const all = { command: './k', args: ['-x'], timeout_ms: 1, refresh_interval_ms: 0, cwd: '/there' };
  expect(commandOf(all)).toEqual({
    command: './k',
    args: ['-x'],
    timeoutMs: 1,
    refreshIntervalMs: 0,
    cwd: '/there',
  });
});

test('an unknown id names the known ones', () => {
  const config = configOf({ model_providers: { mine: { base_url: 'http://x' } } });
  expect(resolveProvider(config, 'opnai')).toEqual({
    code: 'provider-unknown',
    message:
      'There is no provider "opnai". Known providers: openai, anthropic, openrouter, azure, gemini, ollama, lmstudio, llama.cpp, vllm, mine',
    next: expect.stringContaining('[model_providers.opnai]'),
  });
  expect(resolveProvider(config, 'toString')).toMatchObject({ code: 'provider-unknown' });
});

test.each<[string, JsonObject, string]>([
  ['no address', { env_key: 'KEY' }, 'provider-incomplete'],
  ['an address that is none', { base_url: 'localhost:8080' }, 'provider-incomplete'],
  ['a command without its name', { base_url: 'http://x', auth: { args: ['k'] } }, 'provider-incomplete'],
  [
    'a command and a variable',
    { base_url: 'http://x', env_key: 'KEY', auth: { command: 'k' } },
    'provider-auth-conflict',
  ],
  [
    'a command and a login',
    { base_url: 'http://x', requires_openai_auth: true, auth: { command: 'k' } },
    'provider-auth-conflict',
  ],
  ['cloud credentials', { base_url: 'http://x', aws: { region: 'eu' } }, 'provider-auth-unsupported'],
])('%s is a problem only when the provider is chosen', (_, provider, code) => {
  const config = configOf({ model_providers: { odd: provider } });
  expect(resolveProvider(config, 'odd')).toMatchObject({ code, next: expect.any(String) });
  expect(resolveProvider(config, 'openai')).toMatchObject({ id: 'openai' });
});

test.each([
  [undefined, 'http://x/v1/responses', '/responses'],
  ['chat', 'http://x/v1/chat/completions/', '/chat/completions'],
])(
  'an address with the endpoint in it (wire_api %s) is refused: it would be there twice',
  (wire_api, base_url, end) => {
    const provider = { base_url, ...(wire_api !== undefined && { wire_api }) };
    expect(resolveProvider(configOf({ model_providers: { own: provider } }), 'own')).toEqual({
      code: 'provider-incomplete',
      message: `The base_url of the provider "own" includes ${end}, which Capstan adds itself`,
      next: `Set model_providers.own.base_url to the address that ends before ${end}.`,
    });
  },
);

test('an address may end in the endpoint of another format', () => {
  const mixed = { base_url: 'http://x/chat/completions' };
  expect(resolveProvider(configOf({ model_providers: { own: mixed } }), 'own')).toMatchObject({
    baseUrl: mixed.base_url,
  });
});

test('a provider that has gone names its successor', () => {
  expect(resolveProvider(configOf({}), 'ollama-chat')).toMatchObject({
    code: 'provider-unknown',
    next: 'Set model_provider to "ollama" instead.',
  });
});

const azureUrl = { AZURE_OPENAI_ENDPOINT: 'https://mine.openai.azure.com/' };

test.each(Object.entries<BuiltInProvider>(builtInProviders))('%s needs nothing but its id and a key', (id, row) => {
  const provider = resolveProvider(configOf({}), id, azureUrl) as ProviderConfig;
  expect(provider).toMatchObject({ id, name: row.name, wireApi: row.wireApi, envKeys: row.envKeys ?? [] });
  expect(provider.capabilities).toMatchObject(row.capabilities);
  const isNamed = provider.envKeys.slice(-1).every((key) => provider.envKeyInstructions?.includes(key));
  expect([isNamed, /https:\/\/\S+/.test(provider.envKeyInstructions ?? '')]).toEqual([true, row.local === undefined]);
});

test.each(Object.keys(builtInProviders))('fields of %s can be changed, and the others stay', (id) => {
  const before = resolveProvider(configOf({}), id, azureUrl) as ProviderConfig;
  const given = {
    base_url: 'http://10.0.0.1/v1/',
    name: 'Ours',
    stream_max_retries: 0,
    query_params: { a: 'b' },
    http_headers: { 'x-team': 'core' },
    server_capabilities: { pictures: false, window_from: 'llama.cpp' },
  };
  const { login: _, ...others } = before;
  const login = id === 'openai' ? { login: {} } : {};
  expect(resolveProvider(configOf({ model_providers: { [id]: given } }), id)).toEqual({
    ...others,
    ...login,
    baseUrl: 'http://10.0.0.1/v1',
    name: 'Ours',
    streamMaxRetries: 0,
    queryParams: { a: 'b' },
    httpHeaders: { 'x-team': 'core' },
    capabilities: { ...before.capabilities, pictures: false, windowFrom: 'llama.cpp' },
  });
});

test.each<[string, JsonObject, object]>([
  ['a variable', { env_key: 'MINE' }, { envKeys: ['MINE'] }],
  ['a token', { experimental_bearer_token: 'mine' }, { envKeys: [], bearerToken: 'mine' }],
  ['a command', { auth: { command: 'k' } }, { envKeys: [], tokenCommand: { command: 'k' } }],
  ['a header', { env_http_headers: { 'Api-Key': 'MINE' } }, { envKeys: [] }],
])('%s stands in the place of the key that is built in', (_, given, expected) => {
  const provider = resolveProvider(
    configOf({ model_providers: { openrouter: given } }),
    'openrouter',
  ) as ProviderConfig;
  expect(provider).toMatchObject(expected);
  expect(provider.envKeyInstructions).toBeUndefined();
});

test('the address of Azure comes from a variable or from the table, and a message names both', () => {
  const urlOf = (endpoint: string) =>
    (resolveProvider(configOf({}), 'azure', { AZURE_OPENAI_ENDPOINT: endpoint }) as ProviderConfig).baseUrl;
  expect(urlOf(' https://a.openai.azure.com/ ')).toBe('https://a.openai.azure.com/openai/v1');
  expect(urlOf('https://a.openai.azure.com/openai/v1/')).toBe('https://a.openai.azure.com/openai/v1');
  expect(resolveProvider(configOf({}), 'azure')).toEqual({
    code: 'provider-incomplete',
    message: 'The provider "azure" has no address: AZURE_OPENAI_ENDPOINT is not set, and there is no base_url',
    next: 'Set AZURE_OPENAI_ENDPOINT to https://RESOURCE.openai.azure.com, or model_providers.azure.base_url to https://RESOURCE.openai.azure.com/openai/v1.',
  });
  expect(resolveProvider(configOf({}), 'azure', { AZURE_OPENAI_ENDPOINT: 'a.openai.azure.com' })).toMatchObject({
    code: 'provider-incomplete',
  });
});
