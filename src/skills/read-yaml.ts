import type { ReadYaml, YamlTable } from './parse-yaml.ts';

const mostBytes = 64 * 1024;

/** A table in YAML 1.2. The library is loaded for what is more than plain lines. */
export async function readYaml(source: string): Promise<ReadYaml> {
  if (Buffer.byteLength(source) > mostBytes)
    return { kind: 'unread', reason: 'its table is larger than 64 KB; shorten it' };
  const table = plainTable(source);
  if (table !== undefined) return { kind: 'read', table };
  const { parseYaml } = await import('./parse-yaml.ts');
  return parseYaml(source);
}

/** `head`: between the lines of `---` at the top of a text. */
export type SplitText =
  | { readonly kind: 'split'; readonly head: string; readonly body: string }
  | { readonly kind: 'headless' }
  | { readonly kind: 'open' };

export function splitHead(text: string): SplitText {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n/);
  if (lines[0]?.trimEnd() !== '---') return { kind: 'headless' };
  const end = lines.findIndex((line, at) => at > 0 && line.trimEnd() === '---');
  if (end === -1) return { kind: 'open' };
  return { kind: 'split', head: lines.slice(1, end).join('\n'), body: lines.slice(end + 1).join('\n') };
}

/** `key: text`, the text in quotes or beginning with a letter; or `key:` alone. */
const plainLine =
  /^( {2})?([A-Za-z][\w-]*):(?: (?:"([^"\\\0-\x1F\x7F]*)"|'([^'\0-\x1F\x7F]*)'|(?!(?:null|Null|NULL)$)([A-Za-z][^\0-\x1F\x7F]*)))?$/;

/** Spares most starts the library. Undefined where a line is anything else. */
export function plainTable(source: string): YamlTable | undefined {
  const table = new Map<string, string | Map<string, string>>();
  let inner: Map<string, string> | undefined;
  for (const line of source.split('\n')) {
    const [, indent, key = '', double, single, plain = ''] = plainLine.exec(line) ?? [];
    const text = double ?? single ?? (plain === '' ? undefined : plain);
    const parent = indent === undefined ? table : inner;
    if (key === '' || parent === undefined || parent.has(key) || / #|\s$/.test(plain)) return undefined;
    if (indent !== undefined && (text === undefined || /: |:$/.test(plain))) return undefined;
    if (text !== undefined) parent.set(key, text);
    if (indent !== undefined) continue;
    if (inner?.size === 0) return undefined;
    inner = text === undefined ? new Map() : undefined;
    if (inner !== undefined) table.set(key, inner);
  }
  if (inner?.size === 0) return undefined;
  return Object.fromEntries(
    [...table].map(([key, each]) => [key, typeof each === 'string' ? each : Object.fromEntries(each)]),
  );
}
