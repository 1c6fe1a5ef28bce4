import type { ToolSpec } from '../ports/prompt.ts';
import type { Item } from '../protocol/item.ts';
import { isJsonObject, type Json } from '../protocol/json.ts';
import { mediaOf, partsKey } from './media-part.ts';

/** No character weighs more, in whatever text it stands; what JSON adds to texts weighs less than its characters do. */
const perCharacter = 2;

/** The most that parts of a request can weigh, by their length alone; no bound where there is a picture or sound. */
export function mostTokens(parts: Iterable<string | Item | ToolSpec>): number {
  let characters = 0;
  for (const part of parts) {
    if (typeof part === 'string') characters += part.length;
    else if (holdsMedia(part)) return Infinity;
    else characters += JSON.stringify(part).length;
  }
  return perCharacter * characters + 1;
}

function holdsMedia(part: Item | ToolSpec): boolean {
  const key = partsKey(part);
  return key !== undefined && (part[key] as readonly Json[]).some((each) => isJsonObject(each) && mediaOf(each));
}
