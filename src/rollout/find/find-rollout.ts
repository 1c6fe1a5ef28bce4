import { join } from 'node:path';
import type { Files } from '../../ports/files.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import { archiveFolder, parseRolloutName, sessionsFolder, type RolloutName } from './names.ts';

export interface FoundRollout {
  readonly path: string;
  readonly name: RolloutName;
}

/** The files of one thread, newest first. The archive is looked at only when no file is active. */
export interface FoundRollouts {
  readonly kind: 'active' | 'archived' | 'none';
  readonly rollouts: readonly FoundRollout[];
}

const dayMs = 24 * 60 * 60 * 1000;

/** Finds the rollouts of a thread by their names alone: no index is needed, and no file is opened. */
export async function findRollouts(files: Files, home: string, id: ThreadId): Promise<FoundRollouts> {
  const root = sessionsFolder(home);
  const born = uuidTime(id);
  // No file of a thread is older than its id, so the search need not go further back. The day to spare is for folders
  // named by local time. An id that was not made by a good clock gets the second, full search.
  const since = born === undefined ? '' : dayOf(born - dayMs);
  let active = await rolloutsIn(files, await dayFolders(files, root, since), id);
  if (active.length === 0 && since !== '') active = await rolloutsIn(files, await dayFolders(files, root, ''), id);
  if (active.length > 0) return { kind: 'active', rollouts: active };
  const archived = await rolloutsIn(files, [archiveFolder(home)], id);
  return { kind: archived.length > 0 ? 'archived' : 'none', rollouts: archived };
}

/** All files of a thread wherever they lie, newest first. */
export async function findThreadFiles(files: Files, home: string, id: ThreadId): Promise<readonly FoundRollout[]> {
  const folders = [...(await dayFolders(files, sessionsFolder(home), '')), archiveFolder(home)];
  return rolloutsIn(files, folders, id);
}

/** The file of one rollout, archived or not. Most lie in the folder of the day on which their id was made. */
export async function findRolloutFile(
  files: Files,
  home: string,
  rolloutId: string,
): Promise<FoundRollout | undefined> {
  const root = sessionsFolder(home);
  const born = uuidTime(rolloutId);
  const days = born === undefined ? [] : [-dayMs, 0, dayMs].map((shift) => join(root, dayOf(born + shift)));
  const findIn = async (folders: readonly string[]): Promise<FoundRollout | undefined> =>
    (await rolloutsIn(files, folders, '', rolloutId)).find(({ name }) => name.rolloutId === rolloutId);
  return (
    (await findIn(days)) ?? (await findIn([archiveFolder(home)])) ?? (await findIn(await dayFolders(files, root, '')))
  );
}

function dayOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10).replaceAll('-', '/');
}

/** All rollouts that are not archived. Plain files hide compressed ones of the same name. */
export async function findActiveRollouts(files: Files, home: string): Promise<readonly FoundRollout[]> {
  return rolloutsIn(files, await dayFolders(files, sessionsFolder(home), ''), '');
}

/** All rollouts, archived ones too: threads that continue from an archived one still need it. */
export async function findAllRollouts(files: Files, home: string): Promise<readonly FoundRollout[]> {
  return [...(await findActiveRollouts(files, home)), ...(await rolloutsIn(files, [archiveFolder(home)], ''))];
}

/** The folders `YYYY/MM/DD` from the given day on, newest first. */
export async function dayFolders(files: Files, root: string, since: string): Promise<readonly string[]> {
  let days = [''];
  for (const pattern of [/^\d{4}$/, /^\d\d$/, /^\d\d$/]) {
    const lists = await Promise.all(
      days.map(async (parent) =>
        (await files.list(join(root, parent)))
          .filter((name) => pattern.test(name))
          .map((name) => (parent === '' ? name : `${parent}/${name}`)),
      ),
    );
    days = lists.flat().filter((day) => day >= since.slice(0, day.length));
  }
  return days
    .toSorted()
    .toReversed()
    .map((day) => join(root, day));
}

async function rolloutsIn(
  files: Files,
  folders: readonly string[],
  id: ThreadId | '',
  part: string = id,
): Promise<readonly FoundRollout[]> {
  const lists = await Promise.all(
    folders.map(async (folder) => {
      // Parsing every name of a large home would cost more than listing it.
      const names = (await files.list(folder)).filter((name) => name.toLowerCase().includes(part));
      const plain = new Set(names);
      return names.flatMap((text) => {
        const name = parseRolloutName(text);
        const hidden = name?.compressed === true && plain.has(text.slice(0, -'.zst'.length));
        return name !== undefined && (id === '' || name.threadId === id) && !hidden
          ? [{ path: join(folder, text), name, text }]
          : [];
      });
    }),
  );
  return lists
    .flat()
    .toSorted(newestFirst)
    .map(({ path, name }) => ({ path, name }));
}

/** Orders files of a thread: the one that was begun last is the one that counts. */
export function newestFirst(one: NamedRollout, other: NamedRollout): number {
  return startTime(other.name) - startTime(one.name) || (one.text < other.text ? 1 : -1);
}

/** `text` is the file's whole name. */
type NamedRollout = { readonly name: RolloutName; readonly text: string };

/** Names carry local time, which jumps with the time zone; the time inside a rollout id does not. */
function startTime(name: RolloutName): number {
  const [date = '', time = ''] = name.startedAt.split('T');
  const named = Date.parse(`${date}T${time.replaceAll('-', ':')}Z`);
  return uuidTime(name.rolloutId) ?? (Number.isNaN(named) ? 0 : named);
}

/** When a UUID of version 7 was made. */
function uuidTime(uuid: string): number | undefined {
  const digits = uuid.slice(0, 8) + uuid.slice(9, 13);
  return uuid[14] === '7' && /^[0-9a-f]{12}$/i.test(digits) ? Number.parseInt(digits, 16) : undefined;
}
