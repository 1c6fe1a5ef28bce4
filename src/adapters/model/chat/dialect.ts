import {
  commonCapabilities,
  openaiCapabilities,
  type ServerCapabilities,
} from '../../../core/config/providers/server-capabilities.ts';

/** In what servers differ that speak Chat Completions. Everything else is the same for all of them. */
export interface ChatDialect {
  /** Names the bytes that the encoder makes; stored with each request. */
  readonly version: string;
  /**
   * From 3 on, a server without the role `developer` gets one `system` message, because templates of many models refuse
   * a second one; refusals are words, and calls have the namespace of their tool. Before, the model did not see these.
   */
  readonly revision: 2 | 3;
  /** The role of instructions, and of developer messages where roles may stand in any order. */
  readonly developer: 'developer' | 'system';
  /** Whether messages of the user and of the assistant take turns: templates of many models refuse all else. */
  readonly roles: 'alternating' | 'any-order';
  /** Whether ids of calls are nine letters and digits: templates of Mistral's models refuse all else. */
  readonly callIds: 'any' | 'nine';
  /** Whether the model's thoughts go back to it. A server that wants them refuses a call without them. */
  readonly thoughts: 'returned' | 'dropped';
  /** Whether a request may name a cache key, a tier and a verbosity. Many servers refuse fields that they do not know. */
  readonly fields: 'openai' | 'common';
  /** Whether a request asks for token counts. */
  readonly usage: 'asked' | 'unasked';
  /** Whether a request may name the schema of its answer. */
  readonly schema: 'sent' | 'dropped';
  /** The field that limits an answer. */
  readonly maxTokens: ServerCapabilities['maxTokensField'];
}

type Choices = Omit<ChatDialect, 'version'>;

/** The dialect of a server, by what it can do. */
export function chatDialect(capabilities: ServerCapabilities): ChatDialect {
  return dialect({
    revision: 3,
    developer: capabilities.developerRole ? 'developer' : 'system',
    roles: capabilities.anyRoleOrder ? 'any-order' : 'alternating',
    callIds: capabilities.anyCallIds ? 'any' : 'nine',
    thoughts: capabilities.returnedThoughts ? 'returned' : 'dropped',
    fields: capabilities.openaiFields ? 'openai' : 'common',
    usage: capabilities.streamUsage ? 'asked' : 'unasked',
    schema: capabilities.outputSchema ? 'sent' : 'dropped',
    maxTokens: capabilities.maxTokensField,
  });
}

/** The version names every choice that was not the first one there was. */
function dialect(choices: Choices): ChatDialect {
  const { revision, developer, roles, callIds, thoughts, fields, usage, schema, maxTokens } = choices;
  const parts = [
    `chat/${revision}`,
    ...(developer === 'developer' ? ['developer'] : []),
    ...(roles === 'alternating' ? ['alternating'] : []),
    ...(callIds === 'nine' ? ['nine'] : []),
    ...(thoughts === 'returned' ? ['thoughts'] : []),
    ...(fields === 'openai' ? ['openai'] : []),
    ...(usage === 'unasked' ? ['no-usage'] : []),
    ...(schema === 'dropped' ? ['no-schema'] : []),
    ...(maxTokens === 'none' ? [] : [maxTokens]),
  ];
  return { version: parts.join('+'), ...choices };
}

export const commonDialect: ChatDialect = chatDialect(commonCapabilities);

export const openaiDialect: ChatDialect = chatDialect({ ...commonCapabilities, ...openaiCapabilities });

export const thinkingDialect: ChatDialect = chatDialect({ ...commonCapabilities, returnedThoughts: true });

/** Names that requests of earlier versions have, in which no field limited an answer. */
const earlier: readonly ChatDialect[] = [
  { ...commonDialect, revision: 2, roles: 'any-order', version: 'chat/1' },
  { ...openaiDialect, revision: 2, maxTokens: 'none', version: 'chat-openai/1' },
  { ...thinkingDialect, revision: 2, roles: 'any-order', version: 'chat-thinking/1' },
];

/** Before revision 3, no request had alternating roles or ids of one form. */
const orders = [
  { revision: 2, roles: 'any-order', callIds: 'any' },
  ...(['any', 'nine'] as const).flatMap((callIds) => [
    { revision: 3, roles: 'any-order', callIds } as const,
    { revision: 3, roles: 'alternating', callIds } as const,
  ]),
] as const;

/** Every dialect that there is or was: requests of the past are made again. */
export function everyDialect(): readonly ChatDialect[] {
  const all = orders.flatMap((order) =>
    (['max_completion_tokens', 'max_tokens', 'none'] as const).flatMap((maxTokens) =>
      (['developer', 'system'] as const).flatMap((developer) =>
        (['returned', 'dropped'] as const).flatMap((thoughts) =>
          (['openai', 'common'] as const).flatMap((fields) =>
            (['asked', 'unasked'] as const).flatMap((usage) =>
              (['sent', 'dropped'] as const).map((schema) =>
                dialect({ ...order, developer, thoughts, fields, usage, schema, maxTokens }),
              ),
            ),
          ),
        ),
      ),
    ),
  );
  return [...all, ...earlier];
}
