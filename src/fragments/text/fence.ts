import { controlClass } from '../../base/invisible.ts';

const shortest = 5;
const longest = 10;

/**
 * What stands at the beginning of a line of ours between texts that are not ours, and that no line of theirs begins with.
 * It stays short whatever they hold: beyond ten signs it is five signs with a number.
 */
export function fenceFor(sign: '=' | '-', texts: readonly string[]): string {
  const begun = new RegExp(`(?:^|[${controlClass}])(${sign}{${shortest},${longest}})(\\d{0,9})`, 'g');
  let used = shortest - 1;
  const numbers = new Set<string>();
  for (const text of texts) {
    for (const [, signs = '', digits = ''] of text.matchAll(begun)) {
      used = Math.max(used, signs.length);
      for (let length = 1; signs.length === shortest && length <= digits.length; length++) {
        numbers.add(digits.slice(0, length));
      }
    }
  }
  if (used < longest) return sign.repeat(used + 1);
  let number = 1;
  while (numbers.has(String(number))) number++;
  return `${sign.repeat(shortest)}${number}`;
}
