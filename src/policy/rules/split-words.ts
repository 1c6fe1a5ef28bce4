/**
 * The words of a command as a POSIX shell splits them, without any meaning of its other signs: quotes, backslashes and
 * comments. Undefined when a quote or a backslash is open at the end.
 */
export function splitWords(text: string): readonly string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at] ?? '';
    if (' \t\n'.includes(sign)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (sign === '#' && word === undefined) {
      const end = text.indexOf('\n', at);
      at = end === -1 ? text.length : end - 1;
    } else if (sign === "'") {
      const end = text.indexOf("'", at + 1);
      if (end === -1) return undefined;
      word = (word ?? '') + text.slice(at + 1, end);
      at = end;
    } else if (sign === '"') {
      const quoted = inDoubleQuotes(text, at + 1);
      if (quoted === undefined) return undefined;
      word = (word ?? '') + quoted.text;
      at = quoted.end;
    } else if (sign === '\\') {
      const next = text[++at];
      if (next === undefined) return undefined;
      if (next !== '\n') word = (word ?? '') + next;
    } else word = (word ?? '') + sign;
  }
  return word === undefined ? words : [...words, word];
}

/** Up to the closing quote. There a backslash escapes only what would mean something. */
function inDoubleQuotes(text: string, from: number): { readonly text: string; readonly end: number } | undefined {
  let found = '';
  for (let at = from; at < text.length; at++) {
    const sign = text[at] ?? '';
    if (sign === '"') return { text: found, end: at };
    const next = text[at + 1];
    if (sign !== '\\' || next === undefined || !'$`"\\\n'.includes(next)) found += sign;
    else {
      at++;
      if (next !== '\n') found += next;
    }
  }
  return undefined;
}
