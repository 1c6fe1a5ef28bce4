import type { JsonObject } from '../../src/protocol/json.ts';

/** The differences between two recorded bodies. */
export interface BodyDifference {
  /** Top-level keys that are missing in one of them or have other values, in order of appearance. */
  readonly keys: readonly string[];
  /** So many bytes at the beginning are the same. */
  readonly commonBytes: number;
  /**
   * The end of the common beginning, in the first body: the path of the value that is being written there, such as
   * `input[3].content[0].text`, or of the container whose next member would follow. Empty for the body itself.
   */
  readonly endsIn: string;
}

export function bodyDifference(a: Uint8Array, b: Uint8Array): BodyDifference {
  const [one, other] = [a, b].map((bytes) => JSON.parse(Buffer.from(bytes).toString('utf8')) as JsonObject);
  const names = [...new Set([...Object.keys(one!), ...Object.keys(other!)])];
  const commonBytes = commonLength(a, b);
  return {
    keys: names.filter((name) => JSON.stringify(one![name]) !== JSON.stringify(other![name])),
    commonBytes,
    // Latin-1 has a character for each byte, and nothing that gives JSON its structure is outside ASCII.
    endsIn: pathAt(Buffer.from(a).toString('latin1', 0, commonBytes)),
  };
}

function commonLength(a: Uint8Array, b: Uint8Array): number {
  const most = Math.min(a.length, b.length);
  for (let at = 0; at < most; at++) if (a[at] !== b[at]) return at;
  return most;
}

/** An open object or array on the way to the end of the text. */
interface Level {
  /** The member that is being written: a key, or a place in an array; undefined between two members. */
  member: string | number | undefined;
  count: number;
  readonly kind: '{' | '[';
}

/** The path of what the beginning of a JSON text leaves open. */
function pathAt(beginning: string): string {
  const levels: Level[] = [];
  for (const [token] of beginning.matchAll(/"(?:[^"\\]|\\.)*(?:"|$)|[{}[\],]|[^\s{}[\],:"]+/g)) {
    const level = levels.at(-1);
    if (token === ',') level!.member = undefined;
    else if (token === '}' || token === ']') levels.pop();
    else {
      begin(level, token);
      if (token === '{' || token === '[') levels.push({ kind: token, member: undefined, count: 0 });
    }
  }
  return levels
    .flatMap(({ kind, member }) => (member === undefined ? [] : [kind === '[' ? `[${member}]` : `.${member}`]))
    .join('')
    .replace(/^\./, '');
}

/** A value begins, or the key of one: the first text after a comma in an object, if it is whole. */
function begin(level: Level | undefined, token: string): void {
  if (level === undefined || level.member !== undefined) return;
  if (level.kind === '[') level.member = level.count++;
  else if (/^".*"$/s.test(token) && token.length > 1) level.member = JSON.parse(token) as string;
}
