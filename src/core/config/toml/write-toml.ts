import { equalJson, isJsonObject, type Json, type JsonObject, valueAt } from '../../../protocol/json.ts';
import { hideSecrets } from '../../policy/secrets.ts';
import { wrapValueInKeys } from '../merge-values.ts';
import { tomlKeyLine } from './toml-key-line.ts';
import { formatTomlKey, formatTomlString, parseTomlKey } from './toml-key.ts';

/** `comment`: text behind a key, on its line. */
type WriteOptions = { readonly comment?: (path: readonly string[]) => string | undefined };

/** Keys keep their order, except that tables come after all other keys. */
export function writeToml(values: JsonObject, options: WriteOptions = {}): string {
  const blocks = tableBlocks(values, [], options);
  return blocks.length === 0 ? '' : `${blocks.join('\n\n')}\n`;
}

export function writeTomlValue(value: Json): string {
  if (typeof value === 'string') return formatTomlString(value);
  if (Array.isArray(value)) return `[${value.map(writeTomlValue).join(', ')}]`;
  if (!isJsonObject(value)) return writeScalar(value);
  const members = Object.entries(value).flatMap(([key, member]) =>
    member === undefined ? [] : [`${formatTomlKey([key])} = ${writeTomlValue(member)}`],
  );
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

function writeScalar(value: Json): string {
  if (typeof value !== 'number' || Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf';
}

function tableBlocks(values: JsonObject, path: readonly string[], options: WriteOptions): readonly string[] {
  const members = Object.entries(values).filter((member): member is [string, Json] => member[1] !== undefined);
  const lines = members
    .filter(([, value]) => !isFilledTable(value))
    .map(([key, value]) => {
      const comment = options.comment?.([...path, key]);
      const line = `${formatTomlKey([key])} = ${writeTomlValue(value)}`;
      return comment === undefined ? line : `${line}  # ${comment}`;
    });
  const header = path.length === 0 ? [] : [`[${formatTomlKey(path)}]`];
  const own = lines.length === 0 ? [] : [[...header, ...lines].join('\n')];
  const tables = members.flatMap(([key, value]) =>
    isFilledTable(value) ? tableBlocks(value, [...path, key], options) : [],
  );
  return [...own, ...tables];
}

const isFilledTable = (value: Json): value is JsonObject => isJsonObject(value) && Object.keys(value).length > 0;

/**
 * Removes a table and all below it, with every line up to the next header. Comments right above that header stay: they
 * are about the next table. The caller must check the result.
 */
export function withoutTomlTable(text: string, path: readonly string[]): string {
  const kept: string[] = [];
  let comments: string[] = [];
  let isInside = false;
  for (const line of text.split('\n')) {
    const header = headerOf(line);
    if (header !== undefined) {
      const wasInside = isInside;
      isInside = path.every((part, at) => header[at] === part);
      if (wasInside && !isInside) kept.push(...comments);
    }
    comments = line.trimStart().startsWith('#') ? [...comments, line] : [];
    if (!isInside) kept.push(line);
  }
  return `${kept.join('\n').trimEnd()}\n`;
}

/** Removes the header of a table that has neither lines nor comments of its own. */
export function withoutBareTable(text: string, path: readonly string[]): string {
  const lines = text.split('\n');
  const from = lines.findIndex((line) => headerOf(line)?.join('\n') === path.join('\n'));
  if (from < 0 || lines[from]?.includes('#') === true) return text;
  const behind = lines.slice(from + 1).findIndex((line) => line.trim() !== '');
  const next = behind < 0 ? lines.length : from + 1 + behind;
  if (next < lines.length && headerOf(lines[next] ?? '') === undefined) return text;
  const kept = lines.toSpliced(from, next - from);
  return behind < 0 ? `${kept.join('\n').trimEnd()}\n` : kept.join('\n');
}

export function withTomlTable(text: string, path: readonly string[], values: JsonObject): string {
  const before = text.trimEnd();
  return `${before === '' ? '' : `${before}\n\n`}${writeToml(wrapValueInKeys(path, values))}`;
}

/** Sets some top-level keys, which come before all tables. Works by lines: the caller must check the result. */
export function withTomlKeys(text: string, values: JsonObject): string {
  const lines = text === '' ? [] : text.trimEnd().split('\n');
  const written = Object.entries(values).map(([key, value]) => {
    const line = `${formatTomlKey([key])} = ${writeTomlValue(value!)}`;
    const first = lines.findIndex((each) => headerOf(each) !== undefined);
    const own = lines.slice(0, first === -1 ? lines.length : first);
    const at = own.findIndex((each) => parseTomlKey(each.split('=')[0]!.trim())?.join('\n') === key);
    if (at !== -1) lines[at] = line;
    return at === -1 ? [line] : [];
  });
  return `${[...written.flat(), ...lines].join('\n')}\n`;
}

/**
 * Sets or removes one key of a table in its own line. All other lines stay unchanged, and so does the comment behind a
 * replaced value. Undefined where the table has no lines of its own. Works by lines: the caller must check the result.
 */
export function withTomlKey(text: string, path: readonly string[], key: string, value: Json | undefined) {
  const lines = text.split('\n');
  const isHere = (header: readonly string[] | undefined): boolean => header?.join('\n') === path.join('\n');
  const from = lines.findIndex((line) => isHere(headerOf(line)));
  if (from < 0) return undefined;
  const next = lines.findIndex((line, at) => at > from && headerOf(line) !== undefined);
  const end = next < 0 ? lines.length : next;
  const at = lines.findIndex((line, index) => index > from && index < end && keyOf(line) === key);
  const written = value === undefined ? [] : [`${formatTomlKey([key])} = ${writeTomlValue(value)}`];
  if (at >= 0) {
    const { last, comment } = tomlValueSpan(lines, at);
    return lines.toSpliced(at, last - at + 1, ...written.map((each) => each + comment)).join('\n');
  }
  // After the table's last non-comment line: a comment at its end may be about the next table.
  const last = lines.slice(0, end).findLastIndex((each) => /^\s*[^\s#]/.test(each));
  return lines.toSpliced(last + 1, 0, ...written).join('\n');
}

function keyOf(line: string): string | undefined {
  const [, written] = /^\s*([\w"'-]+)\s*=/.exec(line) ?? [];
  return written === undefined ? undefined : parseTomlKey(written)?.[0];
}

/** Path of the table that contains a line, counted from 1; empty at the top level. */
function tomlTableAbove(text: string, line: number): readonly string[] {
  const above = text.split('\n').slice(0, line - 1);
  return above.map(headerOf).findLast((header) => header !== undefined) ?? [];
}

function headerOf(line: string): readonly string[] | undefined {
  const [, , inside] = /^\s*(\[\[?)\s*(.*?)\s*\]\]?\s*(?:#.*)?$/.exec(line) ?? [];
  return inside === undefined ? undefined : parseTomlKey(inside);
}

const token = /"""[^]*?"""+|'''[^]*?'''+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*|[[\]{}\n]|[^"'#[\]{}\n]+|["']/y;

/**
 * The last line of the value behind the first `=` of a line, and the comment behind it with the blanks before it, which
 * is empty for none. Works without a parser: the caller must check the result.
 */
export function tomlValueSpan(lines: readonly string[], at: number) {
  const text = lines.slice(at).join('\n');
  const scan = new RegExp(token);
  scan.lastIndex = text.indexOf('=') + 1;
  let [depth, last, comment, blanks] = [0, at, '', ''];
  for (let found = scan.exec(text)?.[0]; found !== undefined; found = scan.exec(text)?.[0]) {
    if (found === '[' || found === '{') depth++;
    else if (found === ']' || found === '}') depth--;
    else if (found.startsWith('#')) comment = blanks + found;
    else if (found === '\n' && depth <= 0) break;
    last += found.split('\n').length - 1;
    if (found === '\n') comment = '';
    blanks = /[ \t]*$/.exec(found)?.[0] ?? '';
  }
  return { last, comment };
}

/**
 * Tells the user how to edit a table by hand if it, or a table around it, is written with dotted keys or braces: a
 * second table of the same name would be invalid. Undefined if there is no such table.
 */
export function tomlEditHint(
  text: string,
  path: readonly string[],
  { before, wanted }: { readonly before: JsonObject; readonly wanted: JsonObject },
): string | undefined {
  const known = path.findLastIndex((_, at) => isJsonObject(valueAt(before, path.slice(0, at + 1)))) + 1;
  const around = path.slice(0, known);
  const line = known === 0 ? undefined : tomlKeyLine(text, around);
  if (line === undefined) return undefined;
  const set = known === path.length ? valueAt(before, path) : {};
  const own = isJsonObject(set) ? set : {};
  const isInline = /=\s*\{/.test(text.split('\n')[line - 1] ?? '');
  const below = path.slice(known);
  const changed = Object.entries(wanted).filter(([key, value]) => !equalJson(own[key] ?? null, value ?? null));
  return changed
    .map(([key, value]) => {
      const shown = valueAt(hideSecrets(wrapValueInKeys(path, { [key]: value })), path) as JsonObject;
      const assigned = writeToml(shown).trim();
      if (isInline) return `In the braces on line ${line}, write: ${dotted(below, assigned)}`;
      const written = own[key] === undefined ? undefined : tomlKeyLine(text, [...path, key]);
      const whole = dotted(path.slice(tomlTableAbove(text, written ?? line).length), assigned);
      return written === undefined
        ? `Below line ${line}, add: ${whole}`
        : `On line ${written}, in place of what is there, write: ${whole}`;
    })
    .join('\n');
}

const dotted = (path: readonly string[], assigned: string): string =>
  path.length === 0 ? assigned : `${formatTomlKey(path)}.${assigned}`;
