import { recognise } from '../fragments/foreign/recognise.ts';
import { isImageLabel } from '../fragments/events/user-image.ts';
import { entryOf, hasOrigin } from '../history/entry.ts';
import { asItem, isMessage } from '../protocol/item.ts';
import { arrayAt, type JsonObject, stringAt } from '../protocol/json.ts';
import { type Line, lineType } from '../protocol/line.ts';

/** What a user or the model said in a line. */
export interface SpokenWords {
  readonly role: 'user' | 'assistant';
  /** `[Image]` or `[Audio]` when a user sent nothing else. */
  readonly text: string;
  /** Old files say everything twice: as an item and as an event for screens. */
  readonly form: 'item' | 'event';
}

/** The words in a line; undefined when it holds none. Injected context is not words. */
export function spokenWords({ type, payload, metadata }: Line): SpokenWords | undefined {
  if (type === lineType.event) return inEvent(payload);
  if (type !== lineType.responseItem || payload['type'] !== 'message') return undefined;
  const item = asItem(payload);
  if (item === undefined || !isMessage(item)) return undefined;
  const { family } = entryOf(item, metadata).origin;
  const role = family === 'user' ? 'user' : item.role === 'assistant' && family === 'model' ? 'assistant' : undefined;
  if (role === undefined) return undefined;
  const { content } = item;
  // Context stands in the same message in foreign files only. In ours the words may quote it.
  const isContext = hasOrigin(metadata) ? () => false : (text: string) => recognise(role, text) !== undefined;
  const texts = content.flatMap(({ text }, index) =>
    typeof text === 'string' && !isImageLabel(content, index) && !isContext(text) ? [text] : [],
  );
  return spoken({ role, text: texts.join('\n'), form: 'item' }, mediaOf(content));
}

function inEvent(event: JsonObject): SpokenWords | undefined {
  const text = stringAt(event, 'message');
  if (text === undefined) return undefined;
  if (event['type'] === 'agent_message') return spoken({ role: 'assistant', text, form: 'event' }, undefined);
  if (event['type'] !== 'user_message') return undefined;
  const has = (...keys: readonly string[]): boolean => keys.some((key) => (arrayAt(event, key) ?? []).length > 0);
  const media = has('images', 'local_images') ? '[Image]' : has('audio', 'local_audio') ? '[Audio]' : undefined;
  return spoken({ role: 'user', text, form: 'event' }, media);
}

function spoken(words: SpokenWords, media: string | undefined): SpokenWords | undefined {
  const text = words.text.trim();
  if (text !== '') return { ...words, text };
  return media === undefined ? undefined : { ...words, text: media };
}

function mediaOf(content: readonly JsonObject[]): string | undefined {
  if (content.some(({ type }) => type === 'input_image')) return '[Image]';
  return content.some(({ type }) => type === 'input_audio') ? '[Audio]' : undefined;
}
