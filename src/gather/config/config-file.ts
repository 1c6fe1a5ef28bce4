import { dirname } from 'node:path';
import type { ConfigLayer, LayerName } from '../../config/config-layer.ts';
import type { ConfigProblem } from '../../config/config-problem.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { resolveConfigPaths } from './config-paths.ts';
import { tomlErrorText } from './config-syntax-error.ts';
import { readBounded, type BoundedReading } from '../../disk/read-bounded.ts';
import { parseToml } from './parse-toml.ts';
import { readLimits } from '../files/read-limits.ts';

export interface LoadedLayer {
  /** Empty when the file is missing or at fault. */
  readonly layer: ConfigLayer;
  readonly problems: readonly ConfigProblem[];
}

/** The layer in a TOML file. Relative paths in it start from its folder. */
export async function loadConfigFile(file: {
  readonly name: LayerName;
  readonly path: string;
  readonly osHome: string;
  readonly denies?: BoundedReading['denies'];
}): Promise<LoadedLayer> {
  const { name, path, osHome, denies } = file;
  const { layer, problems } = await loadTomlFile(name, path, denies === undefined ? {} : { denies });
  return {
    layer: { ...layer, values: resolveConfigPaths(layer.values, { base: dirname(path), osHome }) },
    problems,
  };
}

/** The same with its paths as they are written. */
export async function loadTomlFile(
  name: LayerName,
  source: string,
  rules: Pick<BoundedReading, 'denies'> = {},
): Promise<LoadedLayer> {
  const empty = { name, source, values: {} };
  const text = readText(source, rules);
  if (text === undefined) return { layer: empty, problems: [] };
  if (typeof text !== 'string') return { layer: empty, problems: [text] };
  const values = await parse(text, source);
  if ('code' in values) return { layer: { ...empty, text }, problems: [values] };
  return { layer: { name, source, values: values.json, text }, problems: [] };
}

async function parse(text: string, path: string): Promise<{ readonly json: JsonObject } | ConfigProblem> {
  if (!hasContent(text)) return { json: {} };
  const parsed = await parseToml(text);
  if (parsed.kind === 'parsed') return parsed;
  const { error } = parsed;
  return {
    code: 'config-syntax',
    message: tomlErrorText(path, text, error),
    next: `Correct line ${error.line} of ${path}.`,
    severity: 'error',
    source: path,
    line: error.line,
  };
}

/** Undefined when there is no such file. */
function readText(path: string, rules: Pick<BoundedReading, 'denies'>): string | undefined | ConfigProblem {
  const file = readBounded(path, { ...rules, maxBytes: readLimits.configBytes });
  if (file.kind === 'missing') return undefined;
  if (file.kind === 'unread') {
    return unreadable(path, file.reason, `Make ${path} a file that you may read, or remove it.`);
  }
  if (!process.getBuiltinModule('node:buffer').isUtf8(file.bytes)) {
    return unreadable(path, 'it is not UTF-8 text', 'Save the file as UTF-8.');
  }
  const text = file.bytes.toString('utf8');
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

function unreadable(path: string, reason: string, next: string): ConfigProblem {
  const message = `${path} cannot be read: ${reason}.`;
  return { code: 'config-unreadable', message, next, severity: 'error', source: path };
}

/** Without a pattern: the first one that a process compiles costs a millisecond of every start. */
function hasContent(text: string): boolean {
  return text.split('\n').some((line) => {
    const written = line.trim();
    return written !== '' && !written.startsWith('#');
  });
}
