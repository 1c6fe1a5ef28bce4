import { arrayAt, isJsonObject, type Json, type JsonObject, stringAt } from '../../protocol/json.ts';
import type { Answer } from '../../protocol/question.ts';
import { toolFailed } from './call-answers.ts';
import { contentParts, type ShowPicture } from './content-parts.ts';

export interface ClientResult {
  readonly output: string | readonly JsonObject[];
  readonly ok: boolean;
}

/** What the model reads of what a client gave as the result of its tool. */
export async function clientResult(
  given: JsonObject | undefined,
  picture: ShowPicture | undefined,
): Promise<ClientResult> {
  const content = given?.['content'];
  const ok = given?.['success'] !== false;
  const noResult = { output: toolFailed('the client gave no result.'), ok: false };
  if (typeof content === 'string') return content === '' && !ok ? noResult : { output: content.toWellFormed(), ok };
  const blocks = given === undefined ? undefined : arrayAt(given, 'content');
  if (blocks === undefined || (blocks.length === 0 && !ok)) return noResult;
  const parts = await contentParts(blocks.map(asBlock), picture);
  const words = parts.flatMap((part) => (typeof part['text'] === 'string' ? [part['text']] : []));
  return { output: words.length === parts.length ? words.join('\n') : parts, ok };
}

/** Clients of Codex have names of their own for what a result holds. */
function asBlock(block: Json): Json {
  if (!isJsonObject(block)) return block;
  switch (block['type']) {
    case 'inputText':
    case 'input_text':
      return { type: 'text', text: stringAt(block, 'text') ?? '' };
    case 'inputImage':
    case 'input_image': {
      const url = stringAt(block, 'imageUrl') ?? stringAt(block, 'image_url') ?? '';
      if (url.startsWith('data:')) return { type: 'image', data: url };
      return { type: 'text', text: '<image content omitted: it is no data URL>' };
    }
    case 'inputAudio':
    case 'input_audio':
      return { type: 'audio' };
    default:
      return block;
  }
}

/** What the model reads when no client gave a result. */
export function unansweredTool({ kind, note, by }: Answer): string {
  const more = note === undefined || note.trim() === '' ? '' : ` It says: ${note}`;
  if (kind === 'lapsed') return 'Not run: the turn was interrupted before the client gave a result.';
  if (by !== undefined)
    return 'Not run: the tool belongs to a client that is not connected. Do without it, or tell the user what is needed.';
  return `Not run: the client refused the call${kind === 'stopped' ? ' and stopped the turn' : ''}.${more}`;
}
