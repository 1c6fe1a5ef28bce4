import { cachePerObject } from '../../../base/objects.ts';
import type { Encoder, FrameLink, ModelPrompt, RequestOptions, ToolSpec } from '../../../ports/model.ts';
import { asItem, type Item, takeItemText } from '../../../protocol/item.ts';
import { type Json, nestsDeeperThan } from '../../../protocol/json.ts';
import { type EntryWriter, listEncoder } from '../http/json-list-encoder.ts';

/** Changes whenever the same prompt is encoded to other bytes. */
const version = 'responses/2';
const bytesOf = (text: string): Uint8Array => Buffer.from(text, 'utf8');

/**
 * Encodes prompts for the Responses API. The parts that change least come first, so that a request shares a long
 * beginning with the previous one, for the provider's cache and our prefix law. Bytes are cached by identity of items,
 * tool lists and instructions: the caller must not mutate these.
 */
export function responsesEncoder(): Encoder {
  const inputPieces = listEncoder(itemWriter);
  const toolsBytes = cachePerObject((tools: readonly ToolSpec[]) => bytesOf(toolsField(tools)));
  let instructionsCache = { text: '', bytes: bytesOf('') };

  function instructionsBytes(text: string): Uint8Array {
    if (text !== instructionsCache.text) instructionsCache = { text, bytes: bytesOf(instructionsField(text)) };
    return instructionsCache.bytes;
  }

  const body = ({ options, instructions, tools, input }: ModelPrompt): readonly Uint8Array[] => [
    bytesOf(opening(options)),
    ...(instructions === '' ? [] : [instructionsBytes(instructions)]),
    toolsBytes(tools),
    ...inputPieces(input),
    bytesOf(closing(options)),
  ];

  return {
    version,
    body,
    item: itemBytes,
    frame: (prompt, link) => (link === undefined ? fullFrame(body(prompt)) : incrementalFrame(prompt, link)),
  };
}

export const fullFrame = ([first, ...rest]: readonly Uint8Array[]): readonly Uint8Array[] => [
  bytesOf('{"type":"response.create",'),
  ...(first === undefined ? [] : [first.subarray(1)]),
  ...rest,
];

export type IncrementalFrame = (prompt: ModelPrompt, link: FrameLink) => readonly Uint8Array[];

/** A frame with only the new part of the input. The server keeps neither instructions nor tools nor options. */
export function incrementalFrame(prompt: ModelPrompt, { previous, from }: FrameLink): readonly Uint8Array[] {
  const { options, instructions, tools, input } = prompt;
  const link = JSON.stringify({ type: 'response.create', previous_response_id: previous }).slice(0, -1);
  return [
    bytesOf(`${link},${opening(options).slice(1)}`),
    ...(instructions === '' ? [] : [bytesOf(instructionsField(instructions))]),
    bytesOf(toolsField(tools)),
    ...input.slice(from).flatMap((item, index) => [...(index === 0 ? [] : [comma]), itemBytes(item)]),
    bytesOf(closing(options)),
  ];
}

const comma = bytesOf(',');

/** Ignores input, labels and answer length: each request states these anew, and spending limits change the length. */
export function isSameButInput(before: ModelPrompt, now: ModelPrompt): boolean {
  const around = ({ options: { outputLimit: _each, ...options } }: ModelPrompt): string =>
    opening(options) + closing({ ...options, labels: {} });
  if (before.instructions !== now.instructions || around(before) !== around(now)) return false;
  return before.tools === now.tools || toolsField(before.tools) === toolsField(now.tools);
}

const instructionsField = (text: string): string => `,"instructions":${JSON.stringify(text)}`;
const toolsField = (tools: readonly ToolSpec[]): string => `,"tools":${JSON.stringify(tools)},"input":[`;

/** Everything before instructions, tools and input. `JSON.stringify` skips undefined options. */
function opening(options: RequestOptions): string {
  const fields = {
    model: options.model,
    parallel_tool_calls: options.parallelToolCalls,
    reasoning: { effort: options.effort, summary: options.summary },
    service_tier: options.serviceTier,
    prompt_cache_key: options.cacheKey,
    access_programs: options.cyberAccessProgram && { cyber: options.cyberAccessProgram },
  };
  return JSON.stringify(fields).slice(0, -1);
}

/** Options of the answer, after the input. The compact endpoint answers at once and keeps nothing. */
function closing(options: RequestOptions): string {
  const text = textField(options);
  const fields =
    options.form === 'compact'
      ? { text }
      : {
          stream: true,
          store: false,
          include: ['reasoning.encrypted_content'],
          tool_choice: options.toolChoice ?? 'auto',
          text,
          max_output_tokens: options.outputLimit,
          temperature: options.temperature,
          // Not in OpenAI's own API; other servers of this format know it.
          stop: options.stop,
          client_metadata: options.labels,
        };
  const members = JSON.stringify(fields).slice(1);
  return members === '}' ? ']}' : `],${members}`;
}

function textField(options: RequestOptions): object | undefined {
  if (options.verbosity === undefined && options.outputSchema === undefined) return undefined;
  const format = options.outputSchema && {
    type: 'json_schema',
    strict: true,
    name: 'codex_output_schema',
    schema: options.outputSchema,
  };
  return { verbosity: options.verbosity, format };
}

/** Internal key of another program, found in its files. Providers refuse it. */
const foreignKey = 'internal_chat_message_metadata_passthrough';
const closingBrace = Buffer.from('}');
/** An item on the wire: as stored, including key order and unknown keys, without what providers refuse. */
export const itemBytes = (item: Item): Buffer => storedBytes(item) ?? Buffer.from(itemText(item), 'utf8');

/** The bytes as read from a file, without the foreign key if it is last. Undefined if the text must be made. */
function storedBytes(item: Item): Buffer | undefined {
  const stored = takeItemText(item);
  if (stored === undefined || hasForeignId(item)) return undefined;
  if (!Object.hasOwn(item, foreignKey)) return stored;
  if (Object.keys(item).at(-1) !== foreignKey) return undefined;
  const end = stored.length - Buffer.byteLength(`,"${foreignKey}":${JSON.stringify(item[foreignKey])}}`);
  return Buffer.concat([stored.subarray(0, end), closingBrace]);
}

function itemText(item: Item): string {
  const dropId = hasForeignId(item);
  if (!dropId && !Object.hasOwn(item, foreignKey)) return JSON.stringify(item);
  const kept = Object.entries(item).filter(([key]) => key !== foreignKey && !(dropId && key === 'id'));
  // `fromEntries` defines members, so that a key such as `__proto__` is preserved.
  return JSON.stringify(Object.fromEntries(kept));
}

export const itemWriter: EntryWriter<Item> = { stored: storedBytes, text: itemText };

/** Providers accept back only ids of the form that they give out, `prefix_suffix`. */
function hasForeignId(item: Item): boolean {
  if (!Object.hasOwn(item, 'id')) return false;
  const id = item['id'];
  const separator = typeof id === 'string' ? id.indexOf('_') : -1;
  return typeof id !== 'string' || separator < 1 || separator === id.length - 1;
}

/** Other programs do not read a line that nests deeper. An item is three levels below its line. */
const deepestItem = 100;
/** An item from a server; undefined if it is none, or could not be read back. */
export const parseServerItem = (value: Json | undefined): Item | undefined =>
  value === undefined || nestsDeeperThan(deepestItem, value) ? undefined : asItem(value);
