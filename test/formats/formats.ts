import { isJsonObject, type Json, type JsonObject, parseJsonObject } from '../../src/protocol/json.ts';
import { brokenRules } from './messages-rules.ts';
import { rolesAlternate } from './roles-alternate.ts';

/** A speaker in a request and the text: the same words, whatever the format. */
export type Said = readonly [
  who: 'developer' | 'user' | 'assistant' | 'thought' | 'call' | 'output' | 'picture',
  text: string,
];

/** A wire format as the suites of this folder see it. A new format is one more row of `formats`. */
export interface Format {
  readonly title: string;
  /** `wire_api` of its provider. */
  readonly wire: string;
  /** Capabilities of its provider, as TOML; they decide the dialect. */
  readonly capabilities?: string;
  /** The messages of a request after the instructions. Thoughts that cannot be read are not in it. */
  said(body: JsonObject): readonly Said[];
  /** The beginning of a request that the next one must begin with. */
  kept(body: string): string;
  /** A request without what is not part of its content. Absent: all of it is. */
  plain?(body: string): string;
  /** Rules of the format that a request breaks. Absent: none are known. */
  broken?(body: JsonObject): readonly string[];
  /** True if a provider that thinks in words gets them back. */
  readonly returnsThoughts?: true;
  /** True if it does not report the tokens of thoughts. */
  readonly countsNoThoughts?: true;
  /** True if its requests go over a WebSocket. */
  readonly isSocket?: true;
}

export const formats: readonly Format[] = [
  { title: 'Responses', wire: 'responses', said: responsesSaid, kept: beforeStream },
  { title: 'Chat', wire: 'chat', said: chatSaid, kept: beforeEnd, broken: rolesAlternate },
  {
    title: 'Chat of OpenAI',
    wire: 'chat',
    capabilities:
      '{developer_role=true,any_role_order=true,openai_fields=true,max_tokens_field="max_completion_tokens"}',
    said: chatSaid,
    kept: beforeStream,
  },
  {
    title: 'Chat that takes thoughts',
    wire: 'chat',
    capabilities: '{returned_thoughts=true}',
    said: chatSaid,
    kept: beforeEnd,
    broken: rolesAlternate,
    returnsThoughts: true,
  },
  {
    title: 'Messages',
    wire: 'anthropic',
    said: messagesSaid,
    // More may come in the last message.
    kept: (body) => body.slice(0, body.lastIndexOf(']}],"stream":true')),
    plain: (body) => body.replaceAll(',"cache_control":{"type":"ephemeral"}', ''),
    broken: brokenRules,
    returnsThoughts: true,
    countsNoThoughts: true,
  },
  {
    title: 'Responses over WebSocket',
    wire: 'responses',
    said: responsesSaid,
    kept: beforeStream,
    isSocket: true,
  },
  {
    title: 'Responses with functions alone',
    wire: 'responses',
    capabilities: '{freeform_tools=false}',
    said: responsesSaid,
    kept: beforeStream,
    broken: otherThanFunctions,
  },
];

/** The options for a thread at the scripted model in this format. Other ids make other providers of one server. */
export function speaking(
  { wire, capabilities = '{}', isSocket }: Format,
  { id = 'scripted', url }: { id?: string; url?: string } = {},
) {
  const table = `model_providers.${id}`;
  const overrides = [
    `model_provider="${id}"`,
    `${table}.server_capabilities=${capabilities}`,
    `${table}.wire_api="${wire}"`,
    `${table}.supports_websockets=${isSocket === true}`,
    ...(url === undefined ? [] : [`${table}.base_url="${url}"`]),
  ];
  return { config: overrides };
}

function beforeStream(body: string): string {
  return body.slice(0, body.lastIndexOf('],"stream":true'));
}

/** More may come in the last message, if it is the user's. */
function beforeEnd(body: string): string {
  const kept = beforeStream(body);
  return kept.slice(kept.lastIndexOf('{"role":')).startsWith('{"role":"user"')
    ? kept.replace(/"\}(?:\]\})?$|\]\}$/, '')
    : kept;
}

const functionItems: ReadonlySet<unknown> = new Set(['message', 'function_call', 'function_call_output', 'reasoning']);

/** Servers such as Ollama refuse a request that holds anything else, and arguments that are not JSON. */
function otherThanFunctions({ input, tools }: JsonObject): readonly string[] {
  return [
    ...objects(tools).flatMap(({ type }) => (type === 'custom' ? ['a tool with free text'] : [])),
    ...objects(input).flatMap(({ type, arguments: given }) => {
      if (!functionItems.has(type)) return [`an item of the type ${String(type)}`];
      return typeof given === 'string' && parseJsonObject(given) === undefined ? [`the arguments ${given}`] : [];
    }),
  ];
}

function objects(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly Json[]).filter(isJsonObject) : [];
}

function responsesSaid({ input }: JsonObject): readonly Said[] {
  return objects(input).flatMap((item): readonly Said[] => {
    const { type, role, content, name, output } = item;
    if (type === 'message') return partsSaid(role as Said[0], objects(content));
    if (type === 'reasoning') return partsSaid('thought', objects(content));
    if (output !== undefined)
      return typeof output === 'string' ? [['output', output]] : partsSaid('output', objects(output));
    return name === undefined ? [] : [['call', String(name)]];
  });
}

function chatSaid({ messages }: JsonObject): readonly Said[] {
  return objects(messages)
    .slice(1)
    .flatMap(({ role, content, reasoning_content: thought, tool_calls: calls }): readonly Said[] => {
      const who = role === 'system' ? 'developer' : role === 'tool' ? 'output' : (role as Said[0]);
      // Stands in for a turn of the assistant.
      if (who === 'assistant' && content === 'Noted.') return [];
      return [
        ...(typeof thought === 'string' && thought !== '' ? [['thought', thought] as const] : []),
        ...partsSaid(who, typeof content === 'string' ? [{ text: content }] : objects(content)).flatMap(apart),
        ...objects(calls).map((call) => ['call', String((call['function'] as JsonObject)['name'])] as const),
      ];
    });
}

/** Splits off the texts of Capstan, which stand in tags in one message with the text that follows. */
function apart([who, text]: Said): readonly Said[] {
  return who === 'output' ? [[who, text]] : text.split(/(?<=^<\/[a-z_]+>)\n\n/m).map((one) => [who, one] as const);
}

function messagesSaid({ system, messages }: JsonObject): readonly Said[] {
  const rules = objects(system).slice(1);
  return [
    ...rules.map(({ text }) => ['developer', String(text)] as const),
    ...objects(messages).flatMap(({ role, content }) =>
      objects(content).flatMap((block) => blockSaid(role as Said[0], block)),
    ),
  ];
}

function blockSaid(who: Said[0], block: JsonObject): readonly Said[] {
  switch (block['type']) {
    case 'tool_use':
      return [['call', String(block['name'])]];
    case 'tool_result': {
      const { content } = block;
      if (!Array.isArray(content)) return [['output', typeof content === 'string' ? content : '']];
      return objects(content as readonly Json[]).flatMap((part) => blockSaid('output', part));
    }
    case 'thinking':
      return [['thought', String(block['thinking'])]];
    case 'image': {
      const { media_type: type, data, url } = block['source'] as JsonObject;
      return [['picture', String(url ?? `data:${String(type)};base64,${String(data)}`)]];
    }
    default:
      return [[who, String(block['text'])]];
  }
}

/** Texts that stand together, and each picture apart. */
function partsSaid(who: Said[0], parts: readonly JsonObject[]): readonly Said[] {
  const texts = parts.flatMap(({ text }) => (typeof text === 'string' && text !== '' ? [text] : []));
  const pictures = parts.flatMap((part) => {
    const url = part['image_url'];
    if (url === undefined) return [];
    return [['picture', String(isJsonObject(url) ? url['url'] : url)] as const];
  });
  return [...(texts.length === 0 ? [] : [[who, texts.join('\n\n')] as const]), ...pictures];
}
