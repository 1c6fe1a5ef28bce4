import { isAlias, isMap, isNode, isScalar, isSeq, parseDocument } from 'yaml';

/** Strings by key, in tables and lists. A number or another scalar keeps its spelling in the file. */
export type YamlValue = string | YamlTable | readonly YamlValue[];
export type YamlTable = { readonly [key: string]: YamlValue };

/** `reason` ends a sentence and says what to do. */
export type YamlResult =
  | { readonly kind: 'read'; readonly table: YamlTable }
  | { readonly kind: 'unread'; readonly reason: string };

const deepest = 8;

/** Refuses aliases, custom tags and duplicate keys. Plain strings may contain what people write, such as a colon. */
export function parseYaml(source: string): YamlResult {
  const text = source.replaceAll(/\r\n?/g, '\n');
  let parsed = parse(text);
  if (parsed.problem !== undefined) {
    const quoted = withQuotes(text);
    if (quoted !== text) parsed = parse(quoted);
  }
  if (parsed.problem !== undefined) return { kind: 'unread', reason: parsed.problem };
  try {
    return { kind: 'read', table: tableOf(parsed.contents, 0) };
  } catch (error) {
    if (error instanceof Refused) return { kind: 'unread', reason: error.message };
    throw error;
  }
}

class Refused extends Error {}

const tooDeep = 'its tables are nested too deeply';

function parse(text: string): { readonly contents: unknown; readonly problem?: string } {
  // Duplicates are found below: the library compares each key with every other.
  const options = { prettyErrors: false, uniqueKeys: false, logLevel: 'error' } as const;
  const { contents, errors, warnings } = parseDocument(text, options);
  const [error] = [...errors, ...warnings.filter(({ code }) => code === 'TAG_RESOLVE_FAILED')];
  if (error === undefined) return { contents };
  if (error.code === 'RESOURCE_EXHAUSTION') return { contents, problem: tooDeep };
  // Lines are counted in the file: the first is the `---` above the table.
  const line = `line ${text.slice(0, error.pos[0]).split('\n').length + 1}`;
  if (error.code === 'TAG_RESOLVE_FAILED') return { contents, problem: `${line} has a tag; remove the tag` };
  if (error.code === 'MULTIPLE_DOCS') return { contents, problem: `${line} begins another document; write one table` };
  if (error.code === 'TAB_AS_INDENT') return { contents, problem: `${line} is indented with a tab; use spaces` };
  const problem = `${line} is no YAML (${error.message}); put a text with special characters in quotes`;
  return { contents, problem };
}

/** Quotes values of the top level that are invalid YAML. A quoted string or an unclosed table stays as it is. */
function withQuotes(text: string): string {
  const entry =
    /(?<![^\n])([\w-]+)[ \t]*:[ \t]+((?:[^\s"'|>&*!#{[]|\[[^\]\n]*\][ \t]*[^\s#]|"[^"\\\n]*"[ \t]*[^\s"#]|'[^'\n]*'[ \t]*[^\s'#]|\*\S+[ \t]+[^\s#])[^\n]*(?:\n[ \t]+[^ \t\n][^\n]*)*)/g;
  return text.replaceAll(entry, (whole, key: string, value: string) => {
    if (parse(whole).problem === undefined) return whole;
    const withoutComments = value.replaceAll(/(?<![ \t])[ \t]+#[^\n]*/g, '').trimEnd();
    return `${key}: '${withoutComments.replaceAll("'", "''")}'`;
  });
}

function tableOf(node: unknown, depth: number): YamlTable {
  if (depth > deepest) throw new Refused(tooDeep);
  if (node === null) return {};
  if (!isMap(node)) throw new Refused('its table has no lines of `key: value`');
  const table = new Map<string, YamlValue>();
  for (const { key, value } of node.items) {
    if (!isScalar(key)) throw new Refused('a key of its table is no text; write a plain word');
    const name = typeof key.value === 'string' ? key.value : (key.source ?? '');
    if (table.has(name)) throw new Refused(`its table has \`${name.slice(0, 40)}\` twice; remove one of them`);
    table.set(name, valueOf(value, depth + 1));
  }
  return Object.fromEntries(table);
}

function valueOf(node: unknown, depth: number): YamlValue {
  if (isAlias(node))
    throw new Refused(`its table has the alias \`*${node.source.slice(0, 40)}\`; write the value itself, or quote it`);
  refuseTag(node);
  if (isMap(node)) return tableOf(node, depth);
  if (isSeq(node)) {
    if (depth > deepest) throw new Refused(tooDeep);
    return node.items.map((item) => valueOf(item, depth + 1));
  }
  if (!isScalar(node) || node.value === null) return '';
  if (typeof node.value !== 'string') return node.source ?? '';
  return node.type?.startsWith('BLOCK') === true ? node.value.trim() : node.value;
}

const knownTag = /^(?:!|tag:yaml\.org,2002:(?:str|int|float|bool|null|map|seq))$/;

/** With a tag such as `!!omap` the value after it would be lost. */
function refuseTag(node: unknown): void {
  const tag = isNode(node) && 'tag' in node ? node.tag : undefined;
  if (typeof tag === 'string' && !knownTag.test(tag)) throw new Refused('its table has a tag; remove the tag');
}
