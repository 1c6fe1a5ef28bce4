import type { JournalDisk, OpenFile } from '../../../ports/files.ts';
import type { ThreadChoiceScope, ChosenThread, NoThread, ThreadChoice, Wanted } from '../../../ports/thread-store.ts';
import { parseThreadId, type ThreadId } from '../../../protocol/ids.ts';
import { objectAt, stringAt } from '../../../protocol/json.ts';
import { lineType } from '../../../protocol/line.ts';
import { isStartedByThread, threadSourceName } from '../../../protocol/thread.ts';
import { readRolloutHead, readRolloutLinesBack } from '../lines/read-lines.ts';
import {
  isIdBeginning,
  threadNamedElsewhere,
  noThreadNamed,
  noThreadYet,
  ambiguousIdBeginning,
  ambiguousThreadName,
} from '../store/refusals.ts';
import { isCompressed, openRolloutFile } from './compressed-rollouts.ts';
import { withDiskFaults } from './node-files.ts';
import { viewOfFileRange, withOpenFile } from './whole-files.ts';
import { archiveFolder, parseRolloutName, type RolloutName, sessionsFolder } from './rollout-paths.ts';
import { threadNames } from './thread-names.ts';
import { join } from 'node:path';

type Choosing = Promise<ChosenThread | NoThread>;

/** Finds a thread by id, by the beginning of an id, by name, or as the last one used. */
export async function chooseThread(files: JournalDisk, home: string, choice: ThreadChoice): Choosing {
  if (choice.kind === 'last') return lastThread(files, home, choice);
  const found = await namedThread(files, home, choice);
  if (found.kind === 'chosen' || found.code === 'thread-ambiguous' || choice.archived === true) return found;
  // Looks for an archived one, too, as for a whole id: operations that it does not allow then give the reason.
  const archived = await namedThread(files, home, { ...choice, archived: true });
  return archived.kind === 'chosen' ? archived : found;
}

const rolloutsAmong = (files: JournalDisk, home: string, { archived }: ThreadChoiceScope) =>
  archived === true ? findAllRollouts(files, home) : findActiveRollouts(files, home);

const threadsOf = (rollouts: readonly FoundRollout[]) => [...new Set(rollouts.map(({ name }) => name.threadId))];

async function lastThread(files: JournalDisk, home: string, among: ThreadChoiceScope): Choosing {
  const found = await rolloutsAmong(files, home, among);
  const dated = await Promise.all(
    found.map(async (rollout) => ({ ...rollout, modified: (await files.modified(rollout.path)) ?? 0 })),
  );
  const newestFirst = dated.toSorted((a, b) => b.modified - a.modified);
  const sought = { ...among, startedBy: 'user' } as const;
  const first = await firstOf(files, newestFirst, sought);
  return first ?? noThreadYet(among.cwd, await firstElsewhere(files, newestFirst, sought));
}

async function namedThread(
  files: JournalDisk,
  home: string,
  { name, ...among }: ThreadChoiceScope & { readonly name: string },
): Choosing {
  const whole = parseThreadId(name);
  if (whole !== undefined) return { kind: 'chosen', id: whole };
  if (isIdBeginning(name)) {
    const ids = threadsOf(await rolloutsAmong(files, home, among)).filter((id) => id.startsWith(name.toLowerCase()));
    if (ids.length > 1) return ambiguousIdBeginning(name, ids);
    if (ids[0] !== undefined) return { kind: 'chosen', id: ids[0] };
  }
  const names = await threadNames(files, home);
  const all = await rolloutsAmong(files, home, among);
  const found = all.filter((one) => names.get(one.name.threadId) === name);
  const threads = threadsOf(found);
  if (among.unique === true && threads.length > 1) return ambiguousThreadName(name, threads);
  const first = await firstOf(files, found, among);
  if (first !== undefined) return first;
  const elsewhere = await firstElsewhere(files, found, among);
  if (elsewhere !== undefined && among.cwd !== undefined) return threadNamedElsewhere(name, among.cwd, elsewhere);
  const existing = all.flatMap((one) => names.get(one.name.threadId) ?? []);
  return noThreadNamed(name, among.cwd, existing);
}

/** For a message when no thread works in the folder: the first readable one elsewhere. */
async function firstElsewhere(files: JournalDisk, rollouts: readonly FoundRollout[], { cwd, ...sought }: Sought) {
  const first = cwd === undefined ? undefined : await firstOf(files, rollouts, sought);
  const path = rollouts.find(({ name }) => name.threadId === first?.id)?.path;
  if (first === undefined || path === undefined) return undefined;
  const folder = await lookInto(files, path, async (file) => {
    const newest = isCompressed(path) ? undefined : await newestFolder(file);
    const head = await readRolloutHead(file);
    return newest ?? (head.kind === 'meta' ? stringAt(head.meta, 'cwd') : undefined);
  });
  return folder === undefined ? undefined : { id: first.id, folder };
}

/** `startedBy`: excludes threads that other threads started. */
type Sought = Pick<ThreadChoiceScope, 'cwd'> & { readonly startedBy?: 'user' };
const mostAtOnce = 16;

/** The first that works in the folder, usually among the first few; without one there may be thousands to check. */
async function firstOf(files: JournalDisk, rollouts: readonly FoundRollout[], sought: Sought) {
  for (let from = 0, count = 1; from < rollouts.length; from += count, count = Math.min(count * 4, mostAtOnce)) {
    const some = rollouts.slice(from, from + count);
    const fits = await Promise.allSettled(some.map(({ path }) => isOf(files, path, sought)));
    for (const [index, fit] of fits.entries()) {
      // A thread that cannot be read may be the right one, unless a match comes before it.
      if (fit.status === 'rejected') throw fit.reason;
      if (fit.value) return { kind: 'chosen', id: some[index]!.name.threadId } as const;
    }
  }
  return undefined;
}

/** Disk errors are not ignored: another thread than the intended one could be resumed. */
const isOf = (files: JournalDisk, path: string, { cwd, startedBy }: Sought): Promise<boolean> =>
  lookInto(files, path, async (file) => {
    // The end of a packed file cannot be read without the rest.
    const newest = cwd === undefined || isCompressed(path) ? undefined : await newestFolder(file);
    if (newest !== undefined && newest !== cwd) return false;
    const head = await readRolloutHead(file);
    if (head.kind !== 'meta' || (cwd !== undefined && (newest ?? head.meta['cwd']) !== cwd)) return false;
    return startedBy === undefined || !isStartedByThread({ source: threadSourceName(head.meta['source']) });
  });

const lookInto = <Found>(files: JournalDisk, path: string, look: (file: OpenFile) => Promise<Found>) =>
  withDiskFaults('open', path, () => withOpenFile(openRolloutFile(files, path), look));

/** A turn records its folder before it does anything. After a turn that wrote more than this, the first line counts. */
const mostRead = 4 * 1024 * 1024;
const saysFolder: Wanted = ({ type, payloadType }) =>
  type === lineType.turnContext || (type === lineType.event && payloadType === 'thread_settings_applied');

async function newestFolder(file: OpenFile): Promise<string | undefined> {
  const size = await file.size();
  const end = viewOfFileRange(file, Math.max(0, size - mostRead), size);
  for await (const { type, payload } of readRolloutLinesBack(end, saysFolder)) {
    const cwd = stringAt(type === lineType.turnContext ? payload : objectAt(payload, 'thread_settings'), 'cwd');
    if (cwd?.startsWith('/') === true) return cwd;
  }
  return undefined;
}

export type FoundRollout = { readonly path: string; readonly name: RolloutName };

/** Files of one thread, newest first. The archive is searched only when no file is active. */
export interface FoundRollouts {
  readonly kind: 'active' | 'archived' | 'none';
  readonly rollouts: readonly FoundRollout[];
}

const dayMs = 24 * 60 * 60 * 1000;

/** Finds the rollouts of a thread by file name only: needs no index and opens no file. */
export async function findRollouts(files: JournalDisk, home: string, id: ThreadId): Promise<FoundRollouts> {
  const root = sessionsFolder(home);
  const born = uuidTime(id);
  // No file of a thread is older than its id, so the search can stop there. One extra day is for folders named by local
  // time. An id made with a wrong clock needs the second, full search.
  const since = born === undefined ? '' : dayOf(born - dayMs);
  let active = await rolloutsIn(files, await dayFolders(files, root, since), id);
  if (active.length === 0 && since !== '') active = await rolloutsIn(files, await dayFolders(files, root, ''), id);
  if (active.length > 0) return { kind: 'active', rollouts: active };
  const archived = await rolloutsIn(files, [archiveFolder(home)], id);
  return { kind: archived.length > 0 ? 'archived' : 'none', rollouts: archived };
}

export const findThreadFiles = async (files: JournalDisk, home: string, id: ThreadId) =>
  rolloutsIn(files, [...(await dayFolders(files, sessionsFolder(home), '')), archiveFolder(home)], id);

/** The file of one rollout, archived or not. Most are in the folder of the day when their id was made. */
export async function findRolloutFile(files: JournalDisk, home: string, rolloutId: string) {
  const root = sessionsFolder(home);
  const born = uuidTime(rolloutId);
  const days = born === undefined ? [] : [-dayMs, 0, dayMs].map((shift) => join(root, dayOf(born + shift)));
  const findIn = async (folders: readonly string[]): Promise<FoundRollout | undefined> =>
    (await rolloutsIn(files, folders, '', rolloutId)).find(({ name }) => name.rolloutId === rolloutId);
  return (
    (await findIn(days)) ?? (await findIn([archiveFolder(home)])) ?? (await findIn(await dayFolders(files, root, '')))
  );
}

const dayOf = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10).replaceAll('-', '/');
/** All rollouts that are not archived. Plain files hide compressed ones of the same name. */
const findActiveRollouts = async (files: JournalDisk, home: string): Promise<readonly FoundRollout[]> =>
  rolloutsIn(files, await dayFolders(files, sessionsFolder(home), ''), '');

/** All rollouts including archived ones, which other threads may continue from. */
export const findAllRollouts = async (files: JournalDisk, home: string): Promise<readonly FoundRollout[]> => [
  ...(await findActiveRollouts(files, home)),
  ...(await rolloutsIn(files, [archiveFolder(home)], '')),
];

/** The folders `YYYY/MM/DD` from the given day on, newest first. */
export async function dayFolders(files: JournalDisk, root: string, since: string): Promise<readonly string[]> {
  let days = [''];
  for (const pattern of [/^\d{4}$/, /^\d\d$/, /^\d\d$/]) {
    const lists = await Promise.all(
      days.map(async (parent) => {
        const names = (await files.list(join(root, parent))).filter((name) => pattern.test(name));
        return names.map((name) => (parent === '' ? name : `${parent}/${name}`));
      }),
    );
    days = lists.flat().filter((day) => day >= since.slice(0, day.length));
  }
  const newestFirst = days.toSorted().toReversed();
  return newestFirst.map((day) => join(root, day));
}

async function rolloutsIn(files: JournalDisk, folders: readonly string[], id: ThreadId | '', part: string = id) {
  const lists = await Promise.all(
    folders.map(async (folder) => {
      // Parsing every name of a large home would cost more than listing it.
      const names = (await files.list(folder)).filter((name) => name.toLowerCase().includes(part));
      const plain = new Set(names);
      return names.flatMap((text) => {
        const name = parseRolloutName(text);
        const hidden = name?.compressed === true && plain.has(text.slice(0, -'.zst'.length));
        const isWanted = name !== undefined && (id === '' || name.threadId === id) && !hidden;
        return isWanted ? [{ path: join(folder, text), name, text }] : [];
      });
    }),
  );
  const sorted = lists.flat().toSorted(newestFirst);
  return sorted.map(({ path, name }) => ({ path, name }));
}

/** Orders files of a thread: the one begun last is authoritative. */
export const newestFirst = (one: NamedRollout, other: NamedRollout): number =>
  startTime(other.name) - startTime(one.name) || (one.text < other.text ? 1 : -1);
type NamedRollout = { readonly name: RolloutName; readonly text: string };

/** Names carry local time, which jumps with the time zone; the time inside a rollout id does not. */
function startTime(name: RolloutName): number {
  const [date = '', time = ''] = name.startedAt.split('T');
  const named = Date.parse(`${date}T${time.replaceAll('-', ':')}Z`);
  return uuidTime(name.rolloutId) ?? (Number.isNaN(named) ? 0 : named);
}

function uuidTime(uuid: string): number | undefined {
  const digits = uuid.slice(0, 8) + uuid.slice(9, 13);
  return uuid[14] === '7' && /^[0-9a-f]{12}$/i.test(digits) ? Number.parseInt(digits, 16) : undefined;
}
