import { hash } from 'node:crypto';
import {
  toNodePath,
  fileSystem,
  listFolderNames,
  realPath,
  realPathSoFar,
  readSystemFile,
} from '../../disk/file-system.ts';
import { makeOwnFolder, writeOwnFile } from '../../disk/own-files.ts';
import { isAlive, processNamespace, processStartTime } from '../../disk/processes.ts';
import { readTextIfPossible } from '../../disk/regular-files.ts';
import type { LandlockWriter } from '../../../core/config/project-trust.ts';
import { mayHaveProcessMark } from '../../../core/policy/profiles/landlock-policy.ts';
import { isWithin } from '../../../core/policy/paths/absolute-paths.ts';
import { arrayAt, isJsonObject, type JsonObject, numberAt, parseJsonObject, stringAt } from '../../../protocol/json.ts';
import { folderAndParents, withTrailingSeparator } from '../files/project-folders.ts';

export interface WritableRoot {
  /** With links resolved. */
  readonly root: string;
  /** Devices and inodes, including mounts inside: a folder mounted twice or renamed has other paths. */
  readonly ids: readonly string[];
}

interface Registration {
  readonly file: string;
  readonly pid: number;
  readonly startedAt: string;
  readonly namespace: string;
  readonly roots: readonly RegisteredRoot[];
}

interface RegisteredRoot extends WritableRoot {
  /** When this engine began to use the folder, no other process could write it under Landlock. */
  readonly alone?: true;
}

export function writableRootAt(path: string): WritableRoot {
  const root = realPathSoFar(path);
  const mounted = root === '/' ? [] : mountPoints().filter((each) => isWithin(each, root));
  const ids = [root, ...mounted.slice(0, mostMounts)].map(idOf).filter((id) => id !== undefined);
  return { root, ids: [...new Set(ids)] };
}

const mostMounts = 100;

function mountPoints(): readonly string[] {
  const escaped = readSystemFile('/proc/self/mountinfo')
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '');
  return escaped.map((each) =>
    each.replaceAll(/\\(\d{3})/g, (_, code: string) => String.fromCharCode(parseInt(code, 8))),
  );
}

/** An unreadable record may have been about any folder. */
export function readWritableRoot(value: JsonObject | undefined): WritableRoot {
  const ids = (arrayAt(value, 'ids') ?? []).filter((id) => typeof id === 'string');
  return { root: stringAt(value, 'root') ?? '/', ids };
}

export type OverlapTest = (root: WritableRoot) => boolean;

/** Tells whether a root contains the path or lies in it: by name, with links resolved, or by inode. */
export function createOverlapTest(path: string): OverlapTest {
  const names = [...new Set([path, realPath(path) ?? path])];
  let ids: ReadonlySet<string | undefined> | undefined;
  return ({ root, ids: known }) => {
    if (names.some((name) => isWithin(name, root) || isWithin(root, name))) return true;
    const above = (ids ??= new Set(names.flatMap((name) => [...folderAndParents(name)].map(idOf))));
    return known.some((id) => above.has(id));
  };
}

function idOf(path: string): string | undefined {
  try {
    const { dev, ino } = fileSystem.statSync(toNodePath(path), { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

const folderOf = (home: string): string => `${withTrailingSeparator(home)}capstan/landlock/running`;

const ownFile = (home: string): string =>
  `${folderOf(home)}/${processNamespace().replaceAll(/\D/g, '')}-${process.pid}.json`;

/** Tells other processes that commands of this one may write the folders. Throws if the home cannot be written. */
export function registerLandlockWriter(home: string, roots: readonly WritableRoot[]): void {
  const known = registrations(home).find(isOwn)?.roots ?? [];
  const fresh = roots.filter(({ root }) => !known.some((each) => isWithin(root, each.root)));
  if (fresh.length === 0) return;
  const folder = folderOf(home);
  if (!makeOwnFolder(folder, 'readable')) throw new Error(`${folder} cannot be made, or others can write it.`);
  const file = ownFile(home);
  const save = (roots: readonly RegisteredRoot[]): void => {
    const own = { pid: process.pid, startedAt: processStartTime(process.pid) ?? '', namespace: processNamespace() };
    writeOwnFile(file, `${file}.new`, JSON.stringify({ ...own, roots }));
  };
  if (registered.size === 0) process.on('exit', forgetAll);
  registered.add(home);
  // Register before looking for others: of two engines that begin together, at least one sees the other.
  save([...known, ...fresh]);
  const isBusy = ({ root }: WritableRoot): boolean => otherWriter(home, [createOverlapTest(root)]) !== undefined;
  save([...known, ...fresh.map((each): RegisteredRoot => (isBusy(each) ? each : { ...each, alone: true }))]);
}

const registered = new Set<string>();

function forgetAll(): void {
  for (const home of registered) forgetLandlockWriter(home);
}

/** Called when an engine closes. Its entry stays while its commands' processes run: other containers must see it. */
export function forgetLandlockWriter(home: string): void {
  if (!registered.delete(home)) return;
  if (registered.size === 0) process.off('exit', forgetAll);
  if (heldProcesses(home).length === 0) removeQuietly(ownFile(home));
}

/** If removing fails, other processes later see that the registration is a dead process's. */
function removeQuietly(file: string): void {
  try {
    fileSystem.rmSync(file, { force: true });
  } catch {
    // The home cannot be written now.
  }
}

/**
 * Finds another process that may write one of the places under Landlock. Leaves out folders that this process had to
 * itself: its own threads share them.
 */
export function findLandlockWriter(home: string, places: readonly OverlapTest[]): LandlockWriter | undefined {
  const own = registrations(home)
    .filter(isOwn)
    .flatMap(({ roots }) => roots.filter(({ alone }) => alone === true));
  const shared = places.filter((overlaps) => !own.some(overlaps));
  return shared.length === 0 ? undefined : otherWriter(home, shared);
}

function otherWriter(home: string, places: readonly OverlapTest[]): LandlockWriter | undefined {
  const known = registrations(home);
  const here = processNamespace();
  const other = known.find(
    (each) => !isOwn(each) && each.roots.some((root) => places.some((overlaps) => overlaps(root))),
  );
  if (other !== undefined) return other.namespace === here ? { pid: other.pid } : { pid: other.pid, file: other.file };
  const engines = new Set(known.filter((each) => each.namespace === here).map(({ pid }) => pid));
  // Process 1 adopts orphans in most containers, so a process below it need not come from that engine.
  engines.delete(1);
  return heldProcesses(home).find(({ pid }) => !hasAncestor(pid, engines));
}

/** Engines that appear to be alive. Removes registrations of dead ones. */
function registrations(home: string): readonly Registration[] {
  const folder = folderOf(home);
  const names = listFolderNames(folder).filter((name) => name.endsWith('.json'));
  const here = processNamespace();
  return names.flatMap((name) => {
    const file = `${folder}/${name}`;
    const value = parseJsonObject(readTextIfPossible(file, { maxBytes: 1_000_000 }) ?? '');
    const pid = numberAt(value, 'pid') ?? Number(/-(\d+)\.json$/.exec(name)?.[1]);
    const startedAt = stringAt(value, 'startedAt') ?? '';
    const namespace = stringAt(value, 'namespace') ?? here;
    const now = processStartTime(namespace === here ? pid : process.pid);
    const isDead =
      namespace === here
        ? now === undefined || (startedAt !== '' && now !== startedAt)
        : startedAt.split(' ')[0] !== now?.split(' ')[0];
    if (isDead) removeQuietly(file);
    const roots = (arrayAt(value, 'roots') ?? [{} as JsonObject]).filter(isJsonObject).map((each) => ({
      ...readWritableRoot(each),
      alone: each['alone'] === true || undefined,
    }));
    return isDead ? [] : [{ file, pid, startedAt, namespace, roots }];
  });
}

const isOwn = ({ pid, namespace }: Registration): boolean => pid === process.pid && namespace === processNamespace();

/**
 * Marks processes under Landlock for this home: 1 to 65,536, or 0 without one. Derived from its inode, since containers
 * may have the home at another path.
 */
export function landlockProcessMark(home: string): number {
  const id = idOf(home);
  return id === undefined ? 0 : 1 + hash('sha256', id, 'buffer').readUInt16BE(0);
}

/** Finds processes under Landlock for the home, regardless of who started them and what they did since. */
function heldProcesses(home: string): readonly LandlockWriter[] {
  const mark = landlockProcessMark(home);
  const pids = listFolderNames('/proc').filter((name) => /^\d+$/.test(name));
  return pids
    .filter((pid) => {
      const limits = readSystemFile(`/proc/${pid}/limits`);
      const [queues, time] = [hardLimit(limits, 'msgqueue size'), hardLimit(limits, 'realtime timeout')];
      return mayHaveProcessMark({ queues, time }, mark);
    })
    .filter((pid) => /^NoNewPrivs:\s+1$/m.test(readSystemFile(`/proc/${pid}/status`)) && isAlive(Number(pid)))
    .map((pid) => ({ pid: Number(pid) }));
}

const hardLimit = (limits: string, name: string): number =>
  Number(new RegExp(`^Max ${name} +\\S+ +(\\d+) `, 'm').exec(limits)?.[1] ?? Infinity);

function hasAncestor(pid: number, wanted: ReadonlySet<number>): boolean {
  for (let at = pid; at > 1; at = Number(/^PPid:\s+(\d+)$/m.exec(readSystemFile(`/proc/${at}/status`))?.[1] ?? 0))
    if (wanted.has(at)) return true;
  return false;
}
