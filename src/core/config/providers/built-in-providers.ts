import type { Outcome } from '../../../protocol/outcome.ts';
import { openaiCapabilities, type ServerCapabilities } from './server-capabilities.ts';

/** The model of a built-in provider if the user names none; undefined if the provider has no such model. */
export function defaultModelOf(id: string): string | undefined {
  const model = builtInProvider(id)?.model;
  return typeof model === 'object' ? model.usual : undefined;
}

export function modelProblem(provider: string, other?: string): Outcome<'model-missing'> | undefined {
  if (builtInProvider(provider)?.model !== 'named') return undefined;
  const named = other === undefined ? 'No model is named' : `The model ${other} is named for another provider`;
  const how = other === undefined ? 'Set model in config.toml, or use -m.' : 'Name one of its models with -m.';
  const message = `${named}, and the provider "${provider}" has no usual one.`;
  const next = `${how} \`capstan models list --provider ${provider}\` shows what it has.`;
  return { code: 'model-missing', message, next };
}

/** Chosen by id alone. A table under `model_providers` with the same id changes its fields. */
export interface BuiltInProvider {
  readonly name: string;
  /** Absent: it differs for every user. */
  readonly baseUrl?: string;
  /** The variable that holds the address, without the path that is added to it. */
  readonly urlVariable?: { readonly name: string; readonly path: string; readonly example: string };
  readonly wireApi: 'responses' | 'chat' | 'anthropic';
  /** Variables that may hold the key; the first that is set is used. Absent: no key needed. */
  readonly envKeys?: readonly string[];
  readonly envKeyInstructions?: string;
  readonly envHttpHeaders?: Readonly<Record<string, string>>;
  readonly supportsWebsockets?: true;
  readonly capabilities: Partial<ServerCapabilities>;
  /** The model when the user names none. `named`: the user must name one. Absent: the first of the catalogue. */
  readonly model?: { readonly usual: string } | 'named';
  /** A server on the user's own machine: how to start it, and how it gets a model. */
  readonly local?: { readonly start: string; readonly get?: string };
}

/** The more specific name first: a user who sets it means this program; the other may be set for anything. */
export const openaiKeyVariables = ['CODEX_API_KEY', 'OPENAI_API_KEY'];

const keyAt = (page: string, variable: string): Required<Pick<BuiltInProvider, 'envKeys' | 'envKeyInstructions'>> => ({
  envKeys: [variable],
  envKeyInstructions: `Create a key at ${page} and set ${variable} to it.`,
});

const openaiKeyAt = {
  envKeys: openaiKeyVariables,
  envKeyInstructions:
    'Sign in to ChatGPT with `capstan login`, or create a key at https://platform.openai.com/api-keys and set OPENAI_API_KEY to it.',
};

export const builtInProviders = {
  openai: {
    name: 'OpenAI',
    baseUrl: 'https://api.openai.com/v1',
    wireApi: 'responses',
    ...openaiKeyAt,
    envHttpHeaders: { 'OpenAI-Organization': 'OPENAI_ORGANIZATION', 'OpenAI-Project': 'OPENAI_PROJECT' },
    supportsWebsockets: true,
    capabilities: { ...openaiCapabilities, accessPrograms: true, requestCompression: true },
  },
  anthropic: {
    name: 'Anthropic',
    baseUrl: 'https://api.anthropic.com/v1',
    wireApi: 'anthropic',
    ...keyAt('https://console.anthropic.com/settings/keys', 'ANTHROPIC_API_KEY'),
    capabilities: {},
    model: { usual: 'claude-sonnet-4-5' },
  },
  openrouter: {
    name: 'OpenRouter',
    baseUrl: 'https://openrouter.ai/api/v1',
    wireApi: 'chat',
    ...keyAt('https://openrouter.ai/settings/keys', 'OPENROUTER_API_KEY'),
    capabilities: { maxTokensField: 'max_tokens' },
    model: 'named',
  },
  azure: {
    name: 'Azure',
    urlVariable: { name: 'AZURE_OPENAI_ENDPOINT', path: '/openai/v1', example: 'https://RESOURCE.openai.azure.com' },
    wireApi: 'responses',
    envKeys: ['AZURE_OPENAI_API_KEY'],
    envKeyInstructions:
      'Copy a key of the resource from "Keys and Endpoint" at https://portal.azure.com and set AZURE_OPENAI_API_KEY to it.',
    capabilities: openaiCapabilities,
    model: 'named',
  },
  gemini: {
    name: 'Gemini',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    wireApi: 'chat',
    ...keyAt('https://aistudio.google.com/apikey', 'GEMINI_API_KEY'),
    capabilities: { maxTokensField: 'max_tokens' },
    model: { usual: 'gemini-2.5-pro' },
  },
  ollama: {
    name: 'Ollama',
    baseUrl: 'http://localhost:11434/v1',
    wireApi: 'responses',
    capabilities: { freeformTools: false, windowFrom: 'ollama' },
    model: { usual: 'gpt-oss:20b' },
    local: { start: 'ollama serve', get: 'ollama pull' },
  },
  lmstudio: {
    name: 'LM Studio',
    baseUrl: 'http://localhost:1234/v1',
    wireApi: 'responses',
    capabilities: { freeformTools: false, windowFrom: 'lmstudio' },
    model: { usual: 'openai/gpt-oss-20b' },
    local: { start: 'lms server start', get: 'lms get' },
  },
  'llama.cpp': {
    name: 'llama.cpp',
    baseUrl: 'http://localhost:8080/v1',
    wireApi: 'chat',
    capabilities: { windowFrom: 'llama.cpp', maxTokensField: 'max_tokens' },
    // It serves the one model that it was started with, whatever the request names.
    model: { usual: 'default' },
    local: { start: 'llama-server --jinja -m MODEL.gguf' },
  },
  vllm: {
    name: 'vLLM',
    baseUrl: 'http://localhost:8000/v1',
    wireApi: 'chat',
    capabilities: { maxTokensField: 'max_tokens' },
    model: 'named',
    local: { start: 'vllm serve MODEL --enable-auto-tool-choice' },
  },
} as const satisfies Readonly<Record<string, BuiltInProvider>>;

export const openaiKeyInstructions = openaiKeyAt.envKeyInstructions;
export const builtInProvider = (id: string): BuiltInProvider | undefined =>
  Object.hasOwn(builtInProviders, id) ? builtInProviders[id as keyof typeof builtInProviders] : undefined;
