import { isJsonObject, type Json, type JsonObject, stringAt } from '../../protocol/json.ts';
import { developerWords } from '../speakers/developer-words.ts';
import { type ContentPart, joinTexts, type MessageContent, textPart } from '../speakers/message-content.ts';
import type { ChatDialect } from './dialect.ts';

/** A refusal, whose words have a name of their own, as a text. */
export function refusalAsText(part: Json): Json {
  const refusal = isJsonObject(part) && part['type'] === 'refusal' ? stringAt(part, 'refusal') : undefined;
  return refusal === undefined ? part : textPart(refusal);
}

/** Content parts of an item as the content of a message. */
export function contentOf(parts: readonly Json[]): MessageContent {
  const read = readParts(parts);
  // Servers that know only text take no list.
  return read.every(({ type }) => type === 'text') ? joinTexts(read) : read;
}

/** Content parts of an item, each as this format has it. */
export function readParts(parts: readonly Json[]): readonly ContentPart[] {
  return parts
    .filter(isJsonObject)
    .map(partOf)
    .filter((part) => part['text'] !== '');
}

/** The same of words of the engine that stand in the user's turn. */
export function contentInUsersTurn(parts: readonly Json[]): MessageContent {
  return contentOf(
    parts.map((part) => {
      const text = isJsonObject(part) ? stringAt(part, 'text') : undefined;
      return text === undefined || text === '' ? part : textPart(developerWords(text));
    }),
  );
}

/** The texts of parts in one, with a line in the place of each part of media, and those parts. */
export function textAndMedia(
  parts: readonly Json[],
  roles: ChatDialect['roles'],
): {
  readonly text: string;
  readonly media: readonly ContentPart[];
} {
  const read = parts.filter(isJsonObject).map(partOf);
  const media = read.filter(({ type }) => type !== 'text');
  const places = placesWhere[roles];
  const texts = read.map((part) => (part.type === 'text' ? part : textPart(places[part.type] ?? '')));
  return { text: joinTexts(texts), media };
}

/**
 * Where media of a tool's output stood: it takes text alone. In requests of the first order, other messages may come
 * between as well, but those that were sent are made again as they were.
 */
const placesWhere: Readonly<Record<ChatDialect['roles'], Readonly<Record<string, string>>>> = {
  'any-order': {
    image_url: '[A picture: it follows in the next message.]',
    input_audio: '[A recording: it follows in the next message.]',
  },
  alternating: {
    image_url: '[A picture: it follows below.]',
    input_audio: '[A recording: it follows below.]',
  },
};

/** `input_text`, `output_text`, `reasoning_text` and what else holds a text are one to this format. */
function partOf(part: JsonObject): ContentPart {
  switch (part['type']) {
    case 'input_image':
      return pictureOf(part);
    case 'input_audio':
      return recordingOf(part);
    case 'encrypted_content':
      return textPart('[Something stands here that only another provider can read. It was left out.]');
    default:
      return textPart(stringAt(part, 'text') ?? '');
  }
}

/** The finest detail has another name here. */
const details: Readonly<Record<string, string>> = { auto: 'auto', low: 'low', high: 'high', original: 'high' };

function pictureOf(part: JsonObject): ContentPart {
  const url = stringAt(part, 'image_url');
  if (url === undefined) return textPart('[A picture stands here that this wire format cannot carry.]');
  const given = stringAt(part, 'detail') ?? '';
  const detail = Object.hasOwn(details, given) ? details[given] : undefined;
  return { type: 'image_url', image_url: { url, ...(detail !== undefined && { detail }) } };
}

const recording = /^data:audio\/(?:x-)?(wav|wave|mp3|mpeg);base64,/i;

/** Two kinds of recordings can be sent, and only inside the request. */
function recordingOf(part: JsonObject): ContentPart {
  const url = stringAt(part, 'audio_url') ?? '';
  const [opening = '', kind = ''] = recording.exec(url) ?? [];
  if (opening === '') return textPart('[A recording stands here that this wire format cannot carry.]');
  const format = kind.toLowerCase().startsWith('wav') ? 'wav' : 'mp3';
  return { type: 'input_audio', input_audio: { data: url.slice(opening.length), format } };
}
