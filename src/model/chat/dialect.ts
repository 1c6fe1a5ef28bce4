import type { ProviderConfig } from '../../config/providers.ts';

/** In what servers differ that speak Chat Completions. Everything else is the same for all of them. */
export interface ChatDialect {
  /** Names the bytes that the encoder makes; stored with each request. */
  readonly version: string;
  /** The role of instructions and of developer messages. */
  readonly developer: 'developer' | 'system';
  /** Whether the model's thoughts go back to it. A server that wants them refuses a call without them. */
  readonly thoughts: 'returned' | 'dropped';
  /** Whether a request may name a cache key, a tier and a verbosity. Many servers refuse fields that they do not know. */
  readonly fields: 'openai' | 'common';
}

export const commonDialect: ChatDialect = {
  version: 'chat/1',
  developer: 'system',
  thoughts: 'dropped',
  fields: 'common',
};

export const openaiDialect: ChatDialect = {
  version: 'chat-openai/1',
  developer: 'developer',
  thoughts: 'dropped',
  fields: 'openai',
};

export const thinkingDialect: ChatDialect = {
  version: 'chat-thinking/1',
  developer: 'system',
  thoughts: 'returned',
  fields: 'common',
};

export const chatDialects: readonly ChatDialect[] = [commonDialect, openaiDialect, thinkingDialect];

/** Names and hosts of OpenAI and Azure, which take all that OpenAI's own API takes. */
const openaiNames: ReadonlySet<string> = new Set(['openai', 'azure']);
const openaiHosts: readonly string[] = ['openai.com', 'azure.com', 'azure.us', 'azure.cn', 'azure-api.net'];

/** Names and hosts of those that refuse a call of the past if the thoughts before it are missing. */
const thinkingNames: ReadonlySet<string> = new Set(['deepseek', 'moonshot', 'kimi', 'z.ai', 'minimax']);
const thinkingHosts: readonly string[] = [
  'deepseek.com',
  'moonshot.ai',
  'moonshot.cn',
  'kimi.com',
  'z.ai',
  'bigmodel.cn',
  'minimax.io',
  'minimaxi.com',
];

/** The dialect of a provider, by its name or its host. A gateway is given the name of the server behind it. */
export function chatDialect({ name, baseUrl }: Pick<ProviderConfig, 'name' | 'baseUrl'>): ChatDialect {
  const shortName = name.trim().toLowerCase();
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).hostname.toLowerCase() : '';
  const isAt = (hosts: readonly string[]): boolean => hosts.some((each) => host === each || host.endsWith(`.${each}`));
  if (openaiNames.has(shortName)) return openaiDialect;
  if (thinkingNames.has(shortName)) return thinkingDialect;
  if (isAt(openaiHosts)) return openaiDialect;
  return isAt(thinkingHosts) ? thinkingDialect : commonDialect;
}
