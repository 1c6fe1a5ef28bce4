import { BoundedBuffer } from '../protocol/bounded-buffer.ts';
import { arrayAt, isJsonObject, parseJsonObject, stringAt } from '../protocol/json.ts';

/** What is found at an address where a server should be that has models. */
export type LocalServer =
  | { readonly kind: 'answers'; readonly models: readonly string[] }
  /** Nothing is there, or it says nothing. */
  | { readonly kind: 'silent' }
  /** Something is there that has no list of models. */
  | { readonly kind: 'other' };

/** The user waits for it, and a server on the same machine is quick. */
const usualPatienceMs = 5000;
const mostBytes = 8 * 1024 * 1024;

/** Asks for the list of models, which servers with a Responses endpoint have beside it. */
export async function askLocalServer(baseUrl: string, patienceMs = usualPatienceMs): Promise<LocalServer> {
  let text: string;
  try {
    const answer = await fetch(`${baseUrl}/models`, { signal: AbortSignal.timeout(patienceMs) });
    text = answer.ok ? await boundedText(answer) : '';
  } catch {
    return { kind: 'silent' };
  }
  const models = modelsIn(text);
  return models === undefined ? { kind: 'other' } : { kind: 'answers', models };
}

/** Empty where the answer is no list of models by its length alone. */
async function boundedText({ body }: Response): Promise<string> {
  const held = new BoundedBuffer(mostBytes);
  for await (const chunk of body ?? []) if (!held.add(chunk as Uint8Array)) return '';
  return held.take().toString('utf8');
}

function modelsIn(text: string): readonly string[] | undefined {
  const json = parseJsonObject(text) ?? {};
  // Some servers write nothing in the place of an empty list.
  const list = json['data'] === null ? [] : arrayAt(json, 'data');
  return list?.flatMap((model) => (isJsonObject(model) ? (stringAt(model, 'id') ?? []) : []));
}
