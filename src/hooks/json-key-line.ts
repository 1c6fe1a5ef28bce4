/**
 * The line, from 1, on which a JSON document names a key, or of the nearest place around it. Members of lists have their
 * position as a key. For messages only, and for documents that the parser has accepted.
 */
export function jsonKeyLine(text: string, path: readonly (string | number)[]): number | undefined {
  const open: { key: string | number | undefined; readonly isList: boolean }[] = [];
  let found = { depth: 0, at: -1 };
  let wasText: string | undefined;
  const look = (at: number): void => {
    const here = open.map(({ key }) => key);
    const isOn = here.every((key, index) => key === path[index]) && here.length <= path.length;
    if (isOn && here.length > found.depth) found = { depth: here.length, at };
  };
  // Texts, and what stands between values. All else says nothing about where a key is.
  for (const match of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{},:]/g)) {
    const [token] = match;
    const inner = open.at(-1);
    if (token === ':' && inner !== undefined) {
      inner.key = keyOf(wasText ?? '""');
      look(match.index);
    } else if (token === '{' || token === '[') {
      open.push({ key: token === '[' ? 0 : undefined, isList: token === '[' });
      if (token === '[') look(match.index);
    } else if (token === '}' || token === ']') open.pop();
    else if (token === ',' && inner?.isList === true) {
      inner.key = Number(inner.key) + 1;
      look(match.index);
    }
    wasText = token;
  }
  return found.at < 0 ? undefined : text.slice(0, found.at).split('\n').length;
}

function keyOf(token: string): string {
  try {
    return String(JSON.parse(token));
  } catch {
    return '';
  }
}

/** Where and why a text is no JSON; undefined where it is. */
export function jsonFault(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const place = /line (\d+) column (\d+)/.exec(String(error));
    if (place === null) return 'it ends too early';
    return `line ${place[1]}, column ${place[2]}`;
  }
}
