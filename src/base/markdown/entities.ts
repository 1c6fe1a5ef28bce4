import { replaceInvisible } from '../invisible.ts';

/** Those that people write. The others stay as they are written. */
const names = `
  amp & lt < gt > quot " apos ' copy © reg ® trade ™ hellip … mdash — ndash – lsquo ‘ rsquo ’ ldquo “ rdquo ” laquo «
  raquo » bull • middot · times × divide ÷ plusmn ± deg ° micro µ para ¶ sect § infin ∞ larr ← uarr ↑ rarr → darr ↓
  harr ↔ lArr ⇐ rArr ⇒ hArr ⇔ le ≤ ge ≥ ne ≠ asymp ≈ euro € pound £ yen ¥ cent ¢ frac12 ½ frac14 ¼ check ✓`;
const named: ReadonlyMap<string, string> = new Map([
  ['nbsp', ' '],
  ...Array.from(names.matchAll(/(\w+) (\S)/g), ([, name, sign]): [string, string] => [name!, sign!]),
]);

/** The text with characters in the place of entities. One that no reader would see stays as it is written. */
export function withoutEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replaceAll(/&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-zA-Z]\w{1,9}));/g, (all, decimal, hex, name) => {
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return name === undefined ? (seenCharacter(code) ?? all) : (named.get(name) ?? all);
  });
}

function seenCharacter(code: number): string | undefined {
  if (code < 0x20 || code > 0x10_ffff) return undefined;
  const sign = String.fromCodePoint(code);
  if (sign === '\u00A0') return ' ';
  return sign.isWellFormed() && replaceInvisible(sign, () => '') === sign ? sign : undefined;
}
