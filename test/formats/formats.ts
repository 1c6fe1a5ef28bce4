import { isJsonObject, type Json, type JsonObject } from '../../src/protocol/json.ts';

/** Who says something in a request, and what: the same words, whatever the format. */
export type Said = readonly [
  who: 'developer' | 'user' | 'assistant' | 'thought' | 'call' | 'output' | 'picture',
  text: string,
];

/** A wire format as the suites of this folder see it. A new format is one more row of `formats`. */
export interface Format {
  readonly title: string;
  /** `wire_api` of its provider. */
  readonly wire: string;
  /** The name of its provider, which decides the dialect. */
  readonly provider: string;
  /** What a request says after the instructions. Thoughts that cannot be read are not in it. */
  said(body: JsonObject): readonly Said[];
  /** The beginning of a request that the next one must begin with. */
  kept(body: string): string;
}

export const formats: readonly Format[] = [
  { title: 'Responses', wire: 'responses', provider: 'scripted', said: responsesSaid, kept: beforeStream },
  { title: 'Chat', wire: 'chat', provider: 'scripted', said: chatSaid, kept: beforeStream },
  { title: 'Chat of OpenAI', wire: 'chat', provider: 'OpenAI', said: chatSaid, kept: beforeStream },
  { title: 'Chat that takes thoughts', wire: 'chat', provider: 'DeepSeek', said: chatSaid, kept: beforeStream },
];

/** What opens a thread at the scripted model in this format. Other ids make other providers of the same server. */
export function speaking({ wire, provider }: Format, { id = 'scripted', url }: { id?: string; url?: string } = {}) {
  const table = `model_providers.${id}`;
  const overrides = [
    `model_provider="${id}"`,
    `${table}.name="${provider}"`,
    `${table}.wire_api="${wire}"`,
    ...(url === undefined ? [] : [`${table}.base_url="${url}"`]),
  ];
  return { overrides };
}

function beforeStream(body: string): string {
  return body.slice(0, body.lastIndexOf('],"stream":true'));
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
      return [
        ...(typeof thought === 'string' && thought !== '' ? [['thought', thought] as const] : []),
        ...(typeof content === 'string' ? [[who, content] as const] : partsSaid(who, objects(content))),
        ...objects(calls).map((call) => ['call', String((call['function'] as JsonObject)['name'])] as const),
      ];
    });
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
