import { valueOr } from '../../../base/objects.ts';
import { formatTomlKey } from '../../../core/config/toml/toml-key.ts';
import {
  tomlEditHint,
  withoutBareTable,
  withoutTomlTable,
  withTomlKey,
  withTomlKeys,
  withTomlTable,
  writeToml,
} from '../../../core/config/toml/write-toml.ts';
import { hideSecrets } from '../../../core/policy/secrets.ts';
import type { Locks } from '../../../ports/files.ts';
import type { Clock } from '../../../ports/system.ts';
import { equalJson, isJsonObject, type Json, type JsonObject, valueAt } from '../../../protocol/json.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { fileSystem, isMissing, realPath, diskErrorReason } from '../../disk/file-system.ts';
import { parseToml } from './toml.ts';

export type ConfigEditPorts = { readonly home: string; readonly locks: Locks; readonly clock: Clock };

/**
 * Changes a table in the user's config.toml and nothing else. If the result would not say exactly that, the user has to
 * make the change. Never rejects.
 */
export async function editUserConfig(place: ConfigEditPorts, path: readonly string[], values: JsonObject | undefined) {
  return inLock(place, { path, values }, (text, before) => {
    const without = withoutTomlTable(text, path);
    if (values === undefined) return [without];
    const inPlace = withChangedKeys(text, path, valueAt(before, path), values);
    const bare = inPlace === undefined || Object.keys(values).length > 0 ? [] : [withoutBareTable(inPlace, path)];
    return [...bare, ...(inPlace === undefined ? [] : [inPlace]), withTomlTable(without, path, values)];
  });
}

/** Sets top-level keys of the user's config.toml and leaves everything else unchanged. Never rejects. */
export async function editUserKeys(place: ConfigEditPorts, values: JsonObject): Promise<Outcome | undefined> {
  return inLock(place, { path: [], values }, (text) => [withTomlKeys(text, values)]);
}

type WantedValues = { readonly path: readonly string[]; readonly values: JsonObject | undefined };
/** Candidate texts, best first: the first that parses to the wanted values is taken. */
type Rewrite = (text: string, before: JsonObject) => readonly string[];

async function inLock({ home, locks, clock }: ConfigEditPorts, wanted: WantedValues, rewrite: Rewrite) {
  const named = `${home}/config.toml`;
  try {
    fileSystem.mkdirSync(home, { recursive: true, mode: 0o700 });
    const file = realPath(named) ?? named;
    return await withFileLocked(named, { locks, clock }, () => edit(file, wanted, rewrite));
  } catch (error) {
    const isHeld = error instanceof LockHeld;
    const next = isHeld ? 'Try again.' : 'Make sure that it can be written, then try again.';
    return unwritten(named, { why: diskErrorReason(error), next });
  }
}

const patienceMs = 5000;
const lookAgainMs = 50;

/** Locks `PATH.lock` instead of the file: the program with the lock keeps it open and writes its name into it. */
export async function withFileLocked<Result>(
  path: string,
  { locks, clock }: Pick<ConfigEditPorts, 'clock'> & { readonly locks: Pick<Locks, 'take'> },
  work: () => Result | Promise<Result>,
): Promise<Result> {
  for (const end = clock.now() + patienceMs; ;) {
    const lock = await locks.take(`${path}.lock`);
    if (lock.kind === 'lock') {
      try {
        return await work();
      } finally {
        await lock.release();
      }
    }
    if (clock.now() > end) throw new LockHeld('another process holds its lock');
    await clock.sleep(lookAgainMs);
  }
}

class LockHeld extends Error {}

async function edit(file: string, wanted: WantedValues, rewrite: Rewrite): Promise<Outcome | undefined> {
  const { path, values } = wanted;
  const obstacle = findConfigFileObstacle(file);
  if (obstacle !== undefined) return unwritten(file, obstacle);
  const text = currentText(file);
  const before = await parseToml(text);
  if (before.kind === 'malformed')
    return unwritten(file, { why: 'it is not valid TOML', next: `Correct line ${before.error.line}, then try again.` });
  const whole = withoutEmpty(path.length === 0 ? { ...before.json, ...values } : withValue(before.json, path, values));
  let next: string | undefined;
  for (const changed of rewrite(text, before.json)) {
    const after = await parseToml(changed);
    if (next === undefined && after.kind === 'parsed' && equalJson(withoutEmpty(after.json), whole)) next = changed;
  }
  if (next === undefined) {
    const why = 'it is written in a way that Capstan cannot change';
    return unwritten(file, { why, next: byHand(text, before.json, wanted) });
  }
  const temporary = `${file}.${process.pid}.new`;
  const mode = text === '' ? 0o600 : fileSystem.statSync(file).mode & 0o777;
  fileSystem.rmSync(temporary, { force: true });
  fileSystem.writeFileSync(temporary, next, { flag: 'wx', mode });
  fileSystem.renameSync(temporary, file);
  return undefined;
}

/** Changes each differing key in its own line, so that comments stay. Undefined: the table has no lines of its own. */
function withChangedKeys(text: string, path: readonly string[], before: Json | undefined, values: JsonObject) {
  const known = isJsonObject(before) ? before : {};
  const keys = [...new Set([...Object.keys(known), ...Object.keys(values)])];
  const changed = keys.filter((key) => !equalJson(known[key], values[key]));
  return changed.reduce<string | undefined>(
    (edited, key) => (edited === undefined ? undefined : withTomlKey(edited, path, key, values[key])),
    text,
  );
}

function currentText(file: string): string {
  try {
    return fileSystem.readFileSync(file, 'utf8');
  } catch (error) {
    if (isMissing(error)) return '';
    throw error;
  }
}

function withValue(
  values: JsonObject,
  [head = '', ...rest]: readonly string[],
  value: JsonObject | undefined,
): JsonObject {
  const { [head]: inner, ...others } = values;
  if (rest.length === 0) return value === undefined ? others : { ...others, [head]: value };
  return { ...others, [head]: withValue(isJsonObject(inner) ? inner : {}, rest, value) };
}

function withoutEmpty(values: JsonObject): JsonObject {
  const kept = Object.entries(values).flatMap(([key, value]): readonly (readonly [string, JsonObject[string]])[] => {
    if (!isJsonObject(value)) return [[key, value]];
    const inner = withoutEmpty(value);
    return Object.keys(inner).length === 0 ? [] : [[key, inner]];
  });
  return Object.fromEntries(kept);
}

/** The text for the user to write into the file instead. */
function byHand(text: string, before: JsonObject, { path, values }: WantedValues): string {
  if (values === undefined) return `Remove the table ${formatTomlKey(path)} yourself.`;
  const nested = path.reduceRight<JsonObject>((inner, part) => ({ [part]: inner }), values);
  return (
    tomlEditHint(text, path, { before, wanted: values }) ??
    `Add this to it yourself:\n${writeToml(hideSecrets(nested))}`
  );
}

function unwritten(file: string, { why, next }: Readonly<Record<'why' | 'next', string>>): Outcome {
  return { code: 'config-unwritten', message: `${file} was not changed: ${why}.`, next };
}

/** The value in config.toml itself. Empty if it cannot be read: a change of the file then reports why. */
export async function userConfigValue({ home }: Pick<ConfigEditPorts, 'home'>, path: readonly string[]) {
  const parsed = await parseToml(readableText(`${home}/config.toml`));
  return parsed.kind === 'parsed' ? valueAt(parsed.json, path) : undefined;
}

function readableText(file: string): string {
  return valueOr('', () => currentText(file));
}

/** Undefined: none. A read-only file could still be replaced, but its owner does not want that. */
function findConfigFileObstacle(file: string) {
  const stats = fileSystem.statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (stats.isDirectory()) return { why: 'it is a folder', next: 'Move that folder away, then try again.' };
  if (!stats.isFile()) return { why: 'it is not a file', next: 'Put a file in its place, then try again.' };
  const make = (what: string): string => `Make ${file} ${what} for you, then try again.`;
  if ((stats.mode & 0o400) === 0) return { why: 'it may not be read', next: make('readable and writable') };
  if ((stats.mode & 0o200) === 0) return { why: 'it is read-only', next: make('writable') };
  return stats.size > mostBytes ? { why: 'it is too large', next: 'Change it yourself.' } : undefined;
}

const mostBytes = 4_000_000;
