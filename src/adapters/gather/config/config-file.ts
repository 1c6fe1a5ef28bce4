import { configKeySource } from '../../../core/config/layer-order.ts';
import type { ConfigLayer, ConfigProblem, LayerName } from '../../../core/config/layer-order.ts';
import { type ConfigOverride, overrideValues } from '../../../core/config/flag-overrides.ts';
import { isFileUrl } from '../../../core/config/keys/key-kinds.ts';
import type { ConfigKeyKind, SchemaKeys, NamedTablesKind } from '../../../core/config/keys/key-kinds.ts';
import { configSchema } from '../../../core/config/keys/key-table.ts';
import { isJsonObject, type Json, type JsonObject, valueAt } from '../../../protocol/json.ts';
import { kindOfEntry, listFolderNames } from '../../disk/file-system.ts';
import { type BoundedReading, readBounded } from '../../disk/regular-files.ts';
import { readLimits } from '../files/read-guard.ts';
import { parseToml, maskedTomlLine, type TomlProblem } from './toml.ts';
import { dirname, join, resolve } from 'node:path';

export type LoadedLayer = { readonly layer: ConfigLayer; readonly problems: readonly ConfigProblem[] };

interface ConfigFile extends Pick<BoundedReading, 'denies'>, Readonly<Record<'path' | 'osHome', string>> {
  readonly name: LayerName;
}

/** Reads a TOML file as a layer. Relative paths in it start from its folder. */
export async function loadConfigFile({ name, path, osHome, denies }: ConfigFile): Promise<LoadedLayer> {
  const { layer, problems } = await loadTomlFile(name, path, { denies });
  return { layer: { ...layer, values: resolveConfigPaths(layer.values, { base: dirname(path), osHome }) }, problems };
}

/** Like `loadConfigFile`, but leaves paths as written. */
export async function loadTomlFile(
  name: LayerName,
  source: string,
  rules: Pick<BoundedReading, 'denies'> = {},
): Promise<LoadedLayer> {
  const empty = { name, source, values: {} };
  const text = readUtf8(source, rules);
  if (text === undefined) return { layer: empty, problems: [] };
  if (typeof text !== 'string')
    return { layer: empty, problems: [{ code: 'config-unreadable', ...text, severity: 'error', source }] };
  const parsed = hasContent(text) ? await parseToml(text) : ({ kind: 'parsed', json: {} } as const);
  if (parsed.kind === 'parsed') return { layer: { ...empty, values: parsed.json, text }, problems: [] };
  const { line } = parsed.error;
  const message = tomlErrorText(source, text, parsed.error);
  const next = `Correct line ${line} of ${source}.`;
  const problem: ConfigProblem = { code: 'config-syntax', message, next, severity: 'error', source, line };
  return { layer: { ...empty, text }, problems: [problem] };
}

/** Undefined if there is no file. */
export function readUtf8(path: string, rules: Pick<BoundedReading, 'denies'>) {
  const file = readBounded(path, { ...rules, maxBytes: readLimits.configBytes });
  const fault = (reason: string, next: string) => ({ message: `${path} cannot be read: ${reason}.`, next });
  if (file.kind === 'missing') return undefined;
  if (file.kind === 'unread') return fault(file.reason, `Make ${path} a readable file, or delete it.`);
  if (!process.getBuiltinModule('node:buffer').isUtf8(file.bytes))
    return fault('it is not UTF-8 text', 'Save the file as UTF-8.');
  const text = file.bytes.toString('utf8');
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

/** No regular expression: the first one that a process compiles adds a millisecond to every start. */
const hasContent = (text: string): boolean =>
  text.split('\n').some((line) => {
    const written = line.trim();
    return written !== '' && !written.startsWith('#');
  });

const widest = 100;
const before = 60;

function tomlErrorText(path: string, text: string, problem: TomlProblem): string {
  const { line, column, reason } = problem;
  const head = `${path}:${line}:${column}: ${reason}.`;
  // The message ends up in terminals and logs, so it must not quote values, which may be secrets.
  const excerpt = maskedTomlLine(text, problem);
  if (excerpt === undefined) return head;
  const from = column > widest ? column - before : 0;
  const number = `${line} | `;
  // The column counts a tab as one character.
  const shown = excerpt.slice(from, from + widest).replaceAll('\t', ' ');
  return `${head}\n${number}${shown}\n${' '.repeat(number.length + column - 1 - from)}^`;
}

const ending = '.config.toml';

/** Loads `NAME.config.toml` from the home folder. It must exist. */
export async function loadProfileFile(
  profile: string,
  { home, osHome, user }: { readonly home: string; readonly osHome: string; readonly user: ConfigLayer },
): Promise<LoadedLayer> {
  const path = join(home, `${profile}${ending}`);
  const empty: ConfigLayer = { name: 'profile', source: path, values: {} };
  // Otherwise the name could lead to any file.
  if (!/^[A-Za-z0-9_-]+$/.test(profile)) {
    const message = `${JSON.stringify(profile)} is not a valid profile name.`;
    const refused = problem(home, message, 'Use only letters, digits, "-" and "_".');
    return { layer: { ...empty, source: home }, problems: [refused] };
  }
  if (kindOfEntry(path) !== 'missing') return loadConfigFile({ name: 'profile', path, osHome });
  const message = `There is no profile ${JSON.stringify(profile)}: ${path} does not exist.`;
  return { layer: empty, problems: [problem(path, message, advice(profile, { home, user }))] };
}

function advice(profile: string, { home, user }: { readonly home: string; readonly user: ConfigLayer }): string {
  const old = ['profiles', profile];
  if (valueAt(user.values, old) !== undefined)
    return `Create that file and move the keys of [profiles.${profile}] (${configKeySource(user, old)}) into it.`;
  const known = profilesIn(home);
  const others = known.length === 0 ? '' : ` Existing profiles: ${known.join(', ')}.`;
  return `Create that file with the keys of the profile.${others}`;
}

/** Loads files of the home that do not count in this run. They may hold keys, or name variables that hold keys. */
export async function loadUnusedConfigFiles(
  home: string,
  { osHome, used }: { readonly osHome: string; readonly used: readonly string[] },
): Promise<readonly LoadedLayer[]> {
  const paths = listFolderNames(home)
    .filter((name) => name === 'config.toml' || name.endsWith(ending))
    .map((name) => join(home, name))
    .filter((path) => !used.includes(path));
  return Promise.all(paths.slice(0, mostUnused).map((path) => loadConfigFile({ name: 'profile', path, osHome })));
}

const mostUnused = 200;

const profilesIn = (home: string): readonly string[] =>
  listFolderNames(home)
    .filter((name) => name.endsWith(ending) && name !== ending)
    .map((name) => name.slice(0, -ending.length))
    .toSorted();

function problem(source: string, message: string, next: string): ConfigProblem {
  return { code: 'config-profile', message, next, severity: 'error', source };
}

export interface PathBase {
  /** Relative paths start here: the folder of the file, or the working folder for flags. */
  readonly base: string;
  readonly osHome: string;
}

/** Makes every path in the values absolute. Leaves values of a wrong type to the check that reports them. */
const resolveConfigPaths = (values: JsonObject, base: PathBase): JsonObject =>
  resolveTokenCommands(resolveTable(configSchema.keys, values, base), base);

/** Commands that print keys: a relative program path starts from the command's `cwd`, else from the file's folder. */
function resolveTokenCommands(values: JsonObject, base: PathBase): JsonObject {
  const providers = values['model_providers'];
  if (!isJsonObject(providers)) return values;
  const resolved = Object.entries(providers).map(([id, provider]) => {
    const auth = isJsonObject(provider) ? provider['auth'] : undefined;
    if (!isJsonObject(provider) || !isJsonObject(auth)) return [id, provider] as const;
    const { command, cwd } = auth;
    if (typeof command !== 'string' || !command.includes('/')) return [id, provider] as const;
    const from = typeof cwd === 'string' ? { ...base, base: cwd } : base;
    return [id, { ...provider, auth: { ...auth, command: toAbsolutePath(command, from) } }] as const;
  });
  return { ...values, model_providers: Object.fromEntries(resolved) };
}

export function flagsLayer(overrides: readonly ConfigOverride[], base: PathBase): ConfigLayer {
  return { name: 'flags', source: 'command line', values: resolveConfigPaths(overrideValues(overrides), base) };
}

const resolveTable = (keys: SchemaKeys, values: JsonObject, base: PathBase): JsonObject =>
  Object.fromEntries(
    Object.entries(values).map(([key, value]) => {
      const kind = Object.hasOwn(keys, key) ? keys[key] : undefined;
      return [key, value === undefined ? undefined : resolveValue(kind, value, base)];
    }),
  );

function resolveValue(kind: ConfigKeyKind | undefined, value: Json, base: PathBase): Json {
  switch (kind?.type) {
    case 'path':
      return toAbsolutePath(value, base);
    case 'path-list':
      return Array.isArray(value) ? value.map((member: Json) => toAbsolutePath(member, base)) : value;
    case 'table':
      return isJsonObject(value) ? resolveTable(kind.keys, value, base) : value;
    case 'named-tables':
      return isJsonObject(value) ? resolveNamed(kind, value, base) : value;
    default:
      return value;
  }
}

export function toAbsolutePath(value: Json, { base, osHome }: PathBase): Json {
  if (typeof value !== 'string' || value === '' || isFileUrl(value)) return value;
  return fromHome(value, osHome) ?? resolve(base, value);
}

function fromHome(path: string, osHome: string): string | undefined {
  if (path === '~') return osHome;
  return path.startsWith('~/') ? join(osHome, path.slice(2)) : undefined;
}

/** In names only `~` is replaced: a relative path could mean any folder. */
const resolveNamed = ({ names, keys }: NamedTablesKind<SchemaKeys>, values: JsonObject, base: PathBase): JsonObject =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      (names === 'folders' ? fromHome(name, base.osHome) : undefined) ?? name,
      isJsonObject(value) ? resolveTable(keys, value, base) : value,
    ]),
  );
