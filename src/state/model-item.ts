import { defined } from '../protocol/defined.ts';
import { isMessage, isReasoning, type Item, messageText } from '../protocol/item.ts';
import { arrayAt, isJsonObject, type Json, objectAt, stringAt } from '../protocol/json.ts';
import { proposedPlan } from '../protocol/proposed-plan.ts';
import type { TurnItem } from '../protocol/turn-item.ts';

/** What the model said or thought, as it is shown; undefined where there is nothing to read in it. `place` names one without an id. */
export function modelItem(item: Item, place: number): TurnItem | undefined {
  const id = stringAt(item, 'id') ?? `item-${place}`;
  if (isMessage(item)) {
    if (item.role !== 'assistant') return undefined;
    const text = messageText(item);
    return {
      kind: 'agent-message',
      id,
      text,
      ...defined({ phase: stringAt(item, 'phase'), plan: proposedPlan(text) }),
    };
  }
  if (item.type === 'web_search_call') return { kind: 'web-search', id, query: searchedFor(item) };
  if (!isReasoning(item)) return undefined;
  // Where there is no summary, the thoughts themselves are what there is to read.
  const summary = textsIn(item.summary);
  const shown = summary.length > 0 ? summary : textsIn(arrayAt(item, 'content') ?? []);
  return shown.length === 0 ? undefined : { kind: 'reasoning', id, summary: shown };
}

function textsIn(parts: readonly Json[]): readonly string[] {
  return parts
    .flatMap((part) => (isJsonObject(part) ? (stringAt(part, 'text') ?? []) : []))
    .filter((text) => text.trim() !== '');
}

function searchedFor(item: Item): string {
  const action = objectAt(item, 'action');
  return stringAt(action, 'query') ?? stringAt(action, 'url') ?? '';
}
