/** Code asks for capabilities instead of provider names; users may set each of them. */
export interface ServerCapabilities {
  /** Chat Completions: instructions have the role `developer`, else `system`. */
  readonly developerRole: boolean;
  /** Chat Completions: messages of any role may follow each other; else user and assistant must alternate. */
  readonly anyRoleOrder: boolean;
  /** Chat Completions: call ids may have any form; else they are nine letters and digits. */
  readonly anyCallIds: boolean;
  /** Chat Completions: the model's reasoning is sent back, as the server refuses a call without it. */
  readonly returnedThoughts: boolean;
  /** Chat Completions: a request may name a cache key, a tier and a verbosity. */
  readonly openaiFields: boolean;
  /** Chat Completions: a request may ask for token counts at the end of a stream. */
  readonly streamUsage: boolean;
  /** Chat Completions: the field that limits an answer. */
  readonly maxTokensField: 'max_completion_tokens' | 'max_tokens' | 'none';
  /** Chat Completions: a request may name the JSON Schema of its answer. */
  readonly outputSchema: boolean;
  readonly parallelCalls: boolean;
  readonly pictures: boolean;
  /** Responses API: a tool may take free text constrained by a grammar. */
  readonly freeformTools: boolean;
  /** Responses API: the server makes checkpoints itself. */
  readonly remoteCompaction: boolean;
  /** Responses API: a request may name an access program. */
  readonly accessPrograms: boolean;
  /** Responses API: the server takes compressed requests. */
  readonly requestCompression: boolean;
  /** The source of a model's window size. `list`: the server's list of models. */
  readonly windowFrom: 'ollama' | 'lmstudio' | 'llama.cpp' | 'list';
}

/** Assumed for unknown servers. */
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

/** OpenAI's own API, and Azure's, which accepts all that OpenAI's accepts. */
export const openaiCapabilities: Known = {
  developerRole: true,
  anyRoleOrder: true,
  openaiFields: true,
  maxTokensField: 'max_completion_tokens',
  remoteCompaction: true,
};

/** Servers that differ from most, by host name suffix, so they are recognised wherever they are configured. */
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
  [['api.aws', 'amazonaws.com'], { remoteCompaction: true }],
];

export function capabilitiesAt(baseUrl: string): Known {
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).hostname.toLowerCase() : '';
  const isAt = (end: string): boolean => host === end || host.endsWith(`.${end}`);
  return byHost.find(([hosts]) => hosts.some(isAt))?.[1] ?? {};
}
