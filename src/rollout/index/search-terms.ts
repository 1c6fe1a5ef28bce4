/** What the user looks for: words that must all stand in a message; what is in quotes stands there as it is. */
export function searchTerms(text: string): readonly string[] {
  return [...text.matchAll(/"([^"]*)"|(\S+)/g)]
    .map(([, quoted, word]) => foldBlanks(quoted ?? word ?? '').trim())
    .filter((term) => term !== '');
}

/** Where a line was broken, and how wide a gap is, is nothing to search for. A zero byte would end the words for SQLite. */
export function foldBlanks(text: string): string {
  // Replacing would keep a tree of pieces, many times the size of the text.
  return text
    .toWellFormed()
    .split(/(?:[^\S ]|\0| (?=[\s\0]))[\s\0]*/)
    .join(' ');
}

/** A condition on the table of messages, and its values. The full-text index knows pieces of three letters and more. */
export function messageCondition(terms: readonly string[]) {
  const long = terms.filter((term) => [...term].length >= 3);
  const match = long.map((term) => `"${term.replaceAll('"', '""')}"`).join(' AND ');
  const sql = long.length === 0 ? [] : ['messages.id IN (SELECT rowid FROM words WHERE words MATCH ?)'];
  const values = long.length === 0 ? [] : [match];
  for (const term of terms.filter((one) => !long.includes(one))) {
    const forms = inAnyCase(term);
    sql.push(`(${forms.map(() => String.raw`messages.text LIKE ? ESCAPE '\'`).join(' OR ')})`);
    values.push(...forms.map((form) => `%${form.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`));
  }
  return { sql: sql.join(' AND '), values };
}

/** `LIKE` knows the capitals of English alone. At most two letters, so at most four forms. */
function inAnyCase(term: string): readonly string[] {
  const forms = [...term].reduce(
    (begun, letter) => begun.flatMap((form) => [form + letter.toLowerCase(), form + letter.toUpperCase()]),
    [''],
  );
  return [...new Set(forms)];
}

/** The surroundings of the first term. */
export function excerptOf(text: string, terms: readonly string[]): string {
  const lower = text.toLowerCase();
  const found = terms.map((term) => lower.indexOf(term.toLowerCase())).filter((at) => at >= 0);
  const at = Math.min(...found, text.length);
  const [start, end] = [Math.max(0, (at === text.length ? 0 : at) - 48), at === text.length ? 96 : at + 96];
  const middle = text.slice(start, end).trim();
  return `${start > 0 ? '… ' : ''}${middle}${end < text.length ? ' …' : ''}`;
}
