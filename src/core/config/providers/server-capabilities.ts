/** What a server can do. Code asks for these instead of the name of a provider; each is a key that users may set. */
export interface ServerCapabilities {
  /** Instructions have the role `developer`, else `system`. In Chat Completions. */
  readonly developerRole: boolean;
  /** Messages of any role may follow each other, else the user's and the assistant's take turns. In Chat Completions. */
  readonly anyRoleOrder: boolean;
  /** The id of a call may have any form, else it is nine letters and digits. In Chat Completions. */
  readonly anyCallIds: boolean;
  /** The model's thoughts go back to it: the server refuses a call without them. In Chat Completions. */
  readonly returnedThoughts: boolean;
  /** A request may name a cache key, a tier and a verbosity. In Chat Completions. */
  readonly openaiFields: boolean;
  /** A request may ask for token counts at the end of a stream. In Chat Completions. */
  readonly streamUsage: boolean;
  /** The field that limits an answer. In Chat Completions. */
  readonly maxTokensField: 'max_completion_tokens' | 'max_tokens' | 'none';
  /** A request may name the JSON Schema of its answer. In Chat Completions. */
  readonly outputSchema: boolean;
  /** One answer may hold several calls. */
  readonly parallelCalls: boolean;
  /** A request may hold pictures. */
  readonly pictures: boolean;
  /** A tool may take free text that is held to a grammar. In the Responses API. */
  readonly freeformTools: boolean;
  /** It makes checkpoints itself. In the Responses API. */
  readonly remoteCompaction: boolean;
  /** A request may name an access program. In the Responses API. */
  readonly accessPrograms: boolean;
  /** It takes compressed requests. In the Responses API. */
  readonly requestCompression: boolean;
  /** Where it says how large the window of a model is. `list`: in its list of models. */
  readonly windowFrom: 'ollama' | 'lmstudio' | 'llama.cpp' | 'list';
}

/** Of a server that nothing is known about. */
export const commonCapabilities: ServerCapabilities = {
  developerRole: false,
  anyRoleOrder: false,
  anyCallIds: true,
  returnedThoughts: false,
  openaiFields: false,
  streamUsage: true,
  maxTokensField: 'none',
  outputSchema: true,
  parallelCalls: true,
  pictures: true,
  freeformTools: true,
  remoteCompaction: false,
  accessPrograms: false,
  requestCompression: false,
  windowFrom: 'list',
};

type Known = Partial<ServerCapabilities>;

/** OpenAI's own API, and Azure's, which takes all that OpenAI's takes. */
export const openaiCapabilities: Known = {
  developerRole: true,
  anyRoleOrder: true,
  openaiFields: true,
  maxTokensField: 'max_completion_tokens',
  remoteCompaction: true,
};

/** Servers with other abilities than most, by the end of their host names: they are known wherever they are configured. */
const byHost: readonly (readonly [hosts: readonly string[], known: Known])[] = [
  [['openai.com'], openaiCapabilities],
  [
    ['azure.com', 'azure.us', 'azure.cn', 'azure-api.net', 'azurefd.net', 'aoai.azure.net', 'windows.net'],
    openaiCapabilities,
  ],
  [
    ['deepseek.com', 'moonshot.ai', 'moonshot.cn', 'kimi.com', 'z.ai', 'bigmodel.cn', 'minimax.io', 'minimaxi.com'],
    { returnedThoughts: true },
  ],
  [['mistral.ai'], { anyCallIds: false }],
  // Bedrock.
  [['api.aws', 'amazonaws.com'], { remoteCompaction: true }],
];

/** What is known of the server at an address. */
export function capabilitiesAt(baseUrl: string): Known {
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).hostname.toLowerCase() : '';
  const isAt = (end: string): boolean => host === end || host.endsWith(`.${end}`);
  return byHost.find(([hosts]) => hosts.some(isAt))?.[1] ?? {};
}
