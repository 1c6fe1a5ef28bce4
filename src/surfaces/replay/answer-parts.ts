import { isCall, isMessage, isReasoning, type Item, messageText } from '../../protocol/item.ts';
import { stringAt } from '../../protocol/json.ts';

/** What an answer says and asks for, without what only its provider can read. */
export type AnswerPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'call'; readonly name: string; readonly arguments: string }
  /** What the provider did by itself, such as a search. */
  | { readonly type: 'other'; readonly item: string };

export function answerParts(items: readonly Item[]): readonly AnswerPart[] {
  return items.flatMap(partOf);
}

function partOf(item: Item): readonly AnswerPart[] {
  if (isMessage(item)) return [{ type: 'text', text: messageText(item) }];
  if (isReasoning(item)) {
    const text = item.summary.map((part) => stringAt(part, 'text') ?? '').join('\n\n');
    return text === '' ? [] : [{ type: 'reasoning', text }];
  }
  if (isCall(item)) {
    return [{ type: 'call', name: item.name, arguments: item.type === 'function_call' ? item.arguments : item.input }];
  }
  return [{ type: 'other', item: item.type }];
}
