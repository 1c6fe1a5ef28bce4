import { join } from 'node:path';
import type { ConfigLayer } from '../config/config.ts';
import type { ConfigProblem } from '../config/config-problem.ts';
import type { Json, JsonObject } from '../protocol/json.ts';
import { resolveConfigPaths } from './config-paths.ts';
import { fileSystem, isMissing, reasonOf } from './file-system.ts';

export interface LoadedLayer {
  /** Empty when the file is missing or at fault. */
  readonly layer: ConfigLayer;
  readonly problems: readonly ConfigProblem[];
}

/** The user layer, from `config.toml` in the home folder. */
export async function loadConfigLayer(place: { readonly home: string; readonly osHome: string }): Promise<LoadedLayer> {
  const source = join(place.home, 'config.toml');
  const read = await readToml(source);
  if ('code' in read) return { layer: { name: 'user', source, values: {} }, problems: [read] };
  const values = resolveConfigPaths(read.values, { base: place.home, osHome: place.osHome });
  return { layer: { name: 'user', source, values }, problems: [] };
}

async function readToml(path: string): Promise<{ readonly values: JsonObject } | ConfigProblem> {
  const text = readText(path);
  if (typeof text !== 'string') return text;
  if (!hasContent(text)) return { values: {} };
  // Loading the parser costs more than all the rest here, so only a file that says something pays for it.
  const { parse, TomlError } = await import('smol-toml');
  try {
    return { values: toJsonObject(parse(text)) };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const { line, column, message, codeblock } = error;
    // The first line is the reason; the rest repeats the excerpt, which is added below in our own order.
    const reason = (message.split('\n', 1)[0] ?? '').replace(/^Invalid TOML document: /, '');
    return {
      code: 'config-syntax',
      message: `${path}:${line}:${column}: ${reason}\n${codeblock.trimEnd()}`,
      next: `Correct line ${line} of ${path}.`,
      severity: 'error',
      source: path,
    };
  }
}

function readText(path: string): string | ConfigProblem {
  try {
    const bytes = fileSystem.readFileSync(path);
    if (!process.getBuiltinModule('node:buffer').isUtf8(bytes)) {
      return unreadable(path, 'it is not UTF-8 text', 'Save the file as UTF-8.');
    }
    return bytes.toString('utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    if (isMissing(error)) return '';
    return unreadable(path, reasonOf(error), `Make ${path} a file that you may read, or remove it.`);
  }
}

function unreadable(path: string, reason: string, next: string): ConfigProblem {
  const message = `${path} cannot be read: ${reason}`;
  return { code: 'config-unreadable', message, next, severity: 'error', source: path };
}

function hasContent(text: string): boolean {
  return /^[ \t]*[^\s#]/m.test(text);
}

/** Dates have no JSON form and no key wants one; as text they get a message that shows them. */
function toJsonObject(table: object): JsonObject {
  return Object.fromEntries(Object.entries(table).map(([key, value]) => [key, toJson(value)]));
}

function toJson(value: unknown): Json {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value === 'object' && value !== null) return toJsonObject(value);
  return value as string | number | boolean;
}
