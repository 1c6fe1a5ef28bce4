import { count } from '../wording/number-words.ts';
import { isMessage, type Item } from '../../protocol/item.ts';

/** What the user reads of an item; the whole of it where there are no words. */
export function shownText(item: Item): string {
  if (isMessage(item)) {
    return item.content.map((part) => (typeof part['text'] === 'string' ? part['text'] : short(part))).join('\n');
  }
  const output = item['output'];
  if (typeof output === 'string') return output;
  const call = item['arguments'] ?? item['input'];
  return typeof call === 'string' ? `${String(item['name'])} ${call}` : short(item);
}

/** Pictures and encrypted thoughts are long and say nothing to a reader. */
function short(value: object): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'string' && member.length > 300
      ? `${member.slice(0, 60)}… (${count(member.length)} characters)`
      : member,
  );
}
