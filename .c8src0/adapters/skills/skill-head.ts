import { withoutInvisible } from '../../base/invisible-characters.ts';
import type { YamlResult, YamlTable } from './parse-yaml.ts';
import { basename, dirname } from 'node:path';

export type SkillHead = { readonly kind: 'head'; readonly name: string; readonly description: string };
/** `reason` ends a sentence: "… is left out: {reason}." */
export type WrongSkill = { readonly kind: 'wrong'; readonly reason: string };

const longestName = 64;

export async function readSkillHead(text: string, path: string): Promise<SkillHead | WrongSkill> {
  if (withoutInvisible(path) !== path) return wrong('its path has characters that show nothing');
  const split = splitFrontMatter(text);
  if (split.kind === 'headless') return wrong('it does not begin with a table between lines of `---`');
  if (split.kind === 'open') return wrong('no line of `---` ends its table, which may have up to 64 KB');
  const read = await parseYamlTable(split.head);
  if (read.kind === 'unread') return wrong(read.reason);
  const odd = ['name', 'description'].find((key) => typeof (read.table[key] ?? '') !== 'string');
  if (odd !== undefined) return wrong(`its \`${odd}\` is a list or a table; write a text, in quotes if need be`);
  const name = lineAt(read.table, 'name') ?? basename(dirname(path));
  const description = lineAt(read.table, 'description');
  if (description === undefined) return wrong('it has no `description`');
  if ([...name].length > longestName) return wrong(`its \`name\` is longer than ${longestName} characters`);
  return { kind: 'head', name, description };
}

const choiceKey = 'allow_implicit_invocation';

/** True if the file beside a skill lets the model choose it. An unreadable file forbids nothing. */
export async function allowsModelChoice(text: string): Promise<boolean> {
  if (!text.includes(choiceKey)) return true;
  const read = await parseYamlTable(text);
  const policy = read.kind === 'read' ? read.table['policy'] : undefined;
  if (policy === undefined || typeof policy === 'string' || Array.isArray(policy)) return true;
  const choice = (policy as YamlTable)[choiceKey];
  return typeof choice !== 'string' || choice.toLowerCase() !== 'false';
}

function lineAt(table: YamlTable, key: string): string | undefined {
  const value = table[key];
  const line = typeof value === 'string' ? withoutInvisible(value.split(/\s+/).join(' ')).trim() : '';
  return line === '' ? undefined : line;
}

const wrong = (reason: string): WrongSkill => ({ kind: 'wrong', reason });
const mostBytes = 64 * 1024;

/** Reads a YAML 1.2 table. The library is loaded only for more than plain lines. */
export async function parseYamlTable(source: string): Promise<YamlResult> {
  if (Buffer.byteLength(source) > mostBytes)
    return { kind: 'unread', reason: 'its table is larger than 64 KB; shorten it' };
  const table = parsePlainTable(source);
  if (table !== undefined) return { kind: 'read', table };
  const { parseYaml } = await import('./parse-yaml.ts');
  return parseYaml(source);
}

/** `head`: the text between the lines of `---` at the top. */
export type SplitFrontMatter =
  | { readonly kind: 'split'; readonly head: string; readonly body: string }
  | { readonly kind: 'headless' }
  | { readonly kind: 'open' };

export function splitFrontMatter(text: string): SplitFrontMatter {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n/);
  if (lines[0]?.trimEnd() !== '---') return { kind: 'headless' };
  const end = lines.findIndex((line, at) => at > 0 && line.trimEnd() === '---');
  if (end === -1) return { kind: 'open' };
  return { kind: 'split', head: lines.slice(1, end).join('\n'), body: lines.slice(end + 1).join('\n') };
}

/** `key: text`, the text in quotes or beginning with a letter; or `key:` alone. */
const plainLine =
  /^( {2})?([A-Za-z][\w-]*):(?: (?:"([^"\\\0-\x1F\x7F]*)"|'([^'\0-\x1F\x7F]*)'|(?!(?:null|Null|NULL)$)([A-Za-z][^\0-\x1F\x7F]*)))?$/;

/** Avoids loading the library at most starts. Undefined if any line is not plain. */
export function parsePlainTable(source: string): YamlTable | undefined {
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
