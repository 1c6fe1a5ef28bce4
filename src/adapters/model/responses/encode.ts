import type { Encoder, FrameLink, Prompt, RequestOptions, ToolSpec } from '../../../ports/model.ts';
import { asItem, type Item, takeItemText } from '../../../protocol/item.ts';
import { type Json, nestsDeeperThan } from '../../../protocol/json.ts';
import { type EntryWriter, listEncoder } from '../http/list-encoder.ts';

/** Grows when the bytes made of the same prompt change. */
const version = 'responses/2';

/**
 * Encodes prompts for the Responses API. What changes least comes first, so that a provider's prefix cache and our
 * prefix law see the longest common beginning. Bytes are kept by the identity of items, tool lists and instructions:
 * the caller must not change these objects afterwards.
 */
export function responsesEncoder(): Encoder {
  const inputPieces = listEncoder(itemWriter);
  const toolsCache = new WeakMap<readonly ToolSpec[], Uint8Array>();
  let instructionsCache = { text: '', bytes: bytesOf('') };

  function toolsBytes(tools: readonly ToolSpec[]): Uint8Array {
    const known = toolsCache.get(tools);
    if (known !== undefined) return known;
    const bytes = bytesOf(toolsField(tools));
    toolsCache.set(tools, bytes);
    return bytes;
  }

  function instructionsBytes(text: string): Uint8Array {
    if (text !== instructionsCache.text) {
      instructionsCache = { text, bytes: bytesOf(instructionsField(text)) };
    }
    return instructionsCache.bytes;
  }

  const body = ({ options, instructions, tools, input }: Prompt): readonly Uint8Array[] => [
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

/** A body as a message of a WebSocket. */
export function fullFrame([first, ...rest]: readonly Uint8Array[]): readonly Uint8Array[] {
  return [bytesOf('{"type":"response.create",'), ...(first === undefined ? [] : [first.subarray(1)]), ...rest];
}

/** Writes a request with only what is new behind the answer that the connection remembers. */
export type IncrementalFrame = (prompt: Prompt, link: FrameLink) => readonly Uint8Array[];

/** The same with only what is new in its input. The server keeps neither instructions nor tools nor options. */
export function incrementalFrame(prompt: Prompt, { previous, from }: FrameLink): readonly Uint8Array[] {
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

/**
 * Whether two requests differ in nothing but their input, their labels and the length of the answer, which a limit on
 * what is spent changes with every request. Each request says these anew.
 */
export function isSameButInput(before: Prompt, now: Prompt): boolean {
  const around = ({ options: { outputLimit: _each, ...options } }: Prompt): string =>
    opening(options) + closing({ ...options, labels: {} });
  if (before.instructions !== now.instructions || around(before) !== around(now)) return false;
  return before.tools === now.tools || toolsField(before.tools) === toolsField(now.tools);
}

function instructionsField(text: string): string {
  return `,"instructions":${JSON.stringify(text)}`;
}

function toolsField(tools: readonly ToolSpec[]): string {
  return `,"tools":${JSON.stringify(tools)},"input":[`;
}

/** What stands before instructions, tools and input. Absent options leave no trace: JSON.stringify skips undefined. */
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

/** What follows the input: how the answer is wanted. The compact endpoint answers at once and keeps nothing. */
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

function bytesOf(text: string): Uint8Array {
  return Buffer.from(text, 'utf8');
}

/** Housekeeping of another program, found in its files. Providers refuse it. */
const foreignKey = 'internal_chat_message_metadata_passthrough';

const closingBrace = Buffer.from('}');

/** An item as it goes over the wire: as stored, key order and unknown keys included, without what providers refuse. */
export function itemBytes(item: Item): Buffer {
  return storedBytes(item) ?? Buffer.from(itemText(item), 'utf8');
}

/** The same as it was read; undefined if its text must be made. */
function storedBytes(item: Item): Buffer | undefined {
  const stored = takeItemText(item);
  return stored === undefined ? undefined : fromStored(stored, item);
}

/** The stored text; what must go is cut off where it stands at the end, as the other program puts it. */
function fromStored(stored: Buffer, item: Item): Buffer | undefined {
  if (hasForeignId(item)) return undefined;
  if (!Object.hasOwn(item, foreignKey)) return stored;
  if (Object.keys(item).at(-1) !== foreignKey) return undefined;
  const end = stored.length - Buffer.byteLength(`,"${foreignKey}":${JSON.stringify(item[foreignKey])}}`);
  return Buffer.concat([stored.subarray(0, end), closingBrace]);
}

/** The same, made from the object. */
function itemText(item: Item): string {
  const dropId = hasForeignId(item);
  if (!dropId && !Object.hasOwn(item, foreignKey)) return JSON.stringify(item);
  const kept = Object.entries(item).filter(([key]) => key !== foreignKey && !(dropId && key === 'id'));
  // fromEntries defines its members, so that even a key like __proto__ comes through as what it is.
  return JSON.stringify(Object.fromEntries(kept));
}

/** Writes the items of a body. */
export const itemWriter: EntryWriter<Item> = { stored: storedBytes, text: itemText };

/** Providers take back only ids of the shape they give out, `prefix_suffix`. */
function hasForeignId(item: Item): boolean {
  if (!Object.hasOwn(item, 'id')) return false;
  const id = item['id'];
  const separator = typeof id === 'string' ? id.indexOf('_') : -1;
  return typeof id !== 'string' || separator < 1 || separator === id.length - 1;
}

/** Other programs read no deeper line, and an item is three levels below its own. */
const deepestItem = 100;

/** An item as a server gives it; undefined when it is none, or one that could not be read back. */
export function readableItem(value: Json | undefined): Item | undefined {
  return value === undefined || nestsDeeperThan(deepestItem, value) ? undefined : asItem(value);
}
