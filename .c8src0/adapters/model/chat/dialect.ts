import type { ServerCapabilities } from '../../../core/config/providers/server-capabilities.ts';
import { commonCapabilities, openaiCapabilities } from '../../../core/config/providers/server-capabilities.ts';

export interface ChatDialect {
  /** Identifies the bytes that the encoder makes; stored with each request. */
  readonly version: string;
  /**
   * From 3 on, a server without the `developer` role gets only one `system` message, because many templates refuse a
   * second one. The model also sees refusals, as text, and the namespaces of its tools in calls; earlier revisions did
   * not show these.
   */
  readonly revision: 2 | 3;
  /** Role of instructions, and of developer messages where any order of roles is allowed. */
  readonly developer: 'developer' | 'system';
  /** Templates of many models refuse roles that do not alternate. */
  readonly roles: 'alternating' | 'any-order';
  /** Templates of Mistral's models accept only ids of nine letters and digits. */
  readonly callIds: 'any' | 'nine';
  /** A server that wants thoughts returned refuses a call without them. */
  readonly thoughts: 'returned' | 'dropped';
  /** Allows cache key, tier and verbosity in requests. Many servers refuse unknown fields. */
  readonly fields: 'openai' | 'common';
  readonly usage: 'asked' | 'unasked';
  readonly schema: 'sent' | 'dropped';
  readonly maxTokens: ServerCapabilities['maxTokensField'];
}

type Choices = Omit<ChatDialect, 'version'>;

export const chatDialect = (capabilities: ServerCapabilities): ChatDialect =>
  dialect({
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

/** The version names every choice that differs from the original one. */
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

const earlier: readonly ChatDialect[] = [
  { ...commonDialect, revision: 2, roles: 'any-order', version: 'chat/1' },
  { ...openaiDialect, revision: 2, maxTokens: 'none', version: 'chat-openai/1' },
  { ...thinkingDialect, revision: 2, roles: 'any-order', version: 'chat-thinking/1' },
];

/** Before revision 3, requests had neither alternating roles nor nine-character ids. */
const orders = [
  { revision: 2, roles: 'any-order', callIds: 'any' },
  ...(['any', 'nine'] as const).flatMap((callIds) => [
    { revision: 3, roles: 'any-order', callIds } as const,
    { revision: 3, roles: 'alternating', callIds } as const,
  ]),
] as const;

const choices: { readonly [Key in Exclude<keyof Choices, 'revision' | 'roles' | 'callIds'>]: readonly Choices[Key][] } =
  {
    maxTokens: ['max_completion_tokens', 'max_tokens', 'none'],
    developer: ['developer', 'system'],
    thoughts: ['returned', 'dropped'],
    fields: ['openai', 'common'],
    usage: ['asked', 'unasked'],
    schema: ['sent', 'dropped'],
  };

/** Every current and former dialect, to reproduce requests of the past. */
export function everyDialect(): readonly ChatDialect[] {
  const all = Object.entries(choices).reduce<readonly object[]>(
    (made, [key, values]) => made.flatMap((each) => values.map((value) => ({ ...each, [key]: value }))),
    orders,
  );
  return [...all.map((each) => dialect(each as Choices)), ...earlier];
}
