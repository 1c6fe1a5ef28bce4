import { textDigest } from '../../protocol/text-digest.ts';
import type { ChatDialect } from './dialect.ts';

/** The id of each call of a request, in order: no two have one, because a server refuses a second call under one id. */
export function freshIds(form: ChatDialect['callIds']): (id: string) => string {
  return form === 'nine' ? nineCharacters() : anyCharacters();
}

/** The id as it is, unless an earlier call of the request has it. */
function anyCharacters(): (id: string) => string {
  const used = new Map<string, number>();
  const fresh = (id: string): string => {
    const times = (used.get(id) ?? 0) + 1;
    used.set(id, times);
    return times === 1 ? id : fresh(`${id}_${times}`);
  };
  return fresh;
}

/**
 * Nine letters and digits, made from the id alone unless an earlier call has them: the same in every request of a
 * thread, so that the server's cache holds. Those that the server made are such already, and stay.
 */
function nineCharacters(): (id: string) => string {
  const used = new Set<string>();
  return (id) => {
    for (let attempt = isNine.test(id) ? 0 : 1; ; attempt++) {
      const made = attempt === 0 ? id : digits(textDigest(`${attempt} ${id}`));
      if (used.has(made)) continue;
      used.add(made);
      return made;
    }
  };
}

const isNine = /^[A-Za-z0-9]{9}$/;
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

function digits(digest: string): string {
  let left = BigInt(`0x${digest}`);
  let text = '';
  while (text.length < 9) {
    text += alphabet[Number(left % 62n)]!;
    left /= 62n;
  }
  return text;
}
