import type { Files, OpenFile } from '../../ports/files.ts';
import type { Wanted } from '../../ports/rollout-store.ts';
import type { ChoiceAmong, ChosenThread, NoThread, ThreadChoice } from '../../ports/thread-directory.ts';
import { parseThreadId, type ThreadId } from '../../protocol/ids.ts';
import { objectAt, stringAt } from '../../protocol/json.ts';
import { isStartedByThread, sourceWord } from '../../protocol/thread-source.ts';
import { lineType } from '../../protocol/line.ts';
import { isCompressed, openRolloutFile } from '../compressed/compressed-file.ts';
import { onDisk } from '../disk/disk-fault.ts';
import { fileWindow, withOpen } from '../disk/open-file.ts';
import { findActiveRollouts, findAllRollouts, type FoundRollout } from './find-rollout.ts';
import { isIdBeginning, namedElsewhere, noneNamed, noThreadYet, sharedBeginning, sharedName } from './no-thread.ts';
import { readBack } from '../lines/read.ts';
import { readHead } from '../lines/read-head.ts';
import { threadNames } from './thread-names.ts';

/** The thread that is meant: by id, by the beginning of an id, by name, or as the one that was used last. */
export async function chooseThread(files: Files, home: string, choice: ThreadChoice): Promise<ChosenThread | NoThread> {
  if (choice.kind === 'last') return lastThread(files, home, choice);
  const found = await namedThread(files, home, choice);
  if (found.kind === 'chosen' || found.code === 'thread-ambiguous' || choice.archived === true) return found;
  // An archived thread is chosen as by its whole id: what cannot be done with it is then refused with the reason.
  const archived = await namedThread(files, home, { ...choice, archived: true });
  return archived.kind === 'chosen' ? archived : found;
}

function rolloutsAmong(files: Files, home: string, { archived }: ChoiceAmong): Promise<readonly FoundRollout[]> {
  return archived === true ? findAllRollouts(files, home) : findActiveRollouts(files, home);
}

function threadsOf(rollouts: readonly FoundRollout[]): readonly ThreadId[] {
  return [...new Set(rollouts.map(({ name }) => name.threadId))];
}

async function lastThread(files: Files, home: string, among: ChoiceAmong): Promise<ChosenThread | NoThread> {
  const found = await rolloutsAmong(files, home, among);
  const dated = await Promise.all(
    found.map(async (rollout) => ({ ...rollout, modified: (await files.modified(rollout.path)) ?? 0 })),
  );
  const newestFirst = dated.toSorted((a, b) => b.modified - a.modified);
  return (
    (await firstOf(files, newestFirst, { ...among, startedBy: 'user' })) ??
    noThreadYet(among.cwd, await firstElsewhere(files, newestFirst, { ...among, startedBy: 'user' }))
  );
}

async function namedThread(
  files: Files,
  home: string,
  { name, ...among }: ChoiceAmong & { readonly name: string },
): Promise<ChosenThread | NoThread> {
  const whole = parseThreadId(name);
  if (whole !== undefined) return { kind: 'chosen', id: whole };
  if (isIdBeginning(name)) {
    const ids = threadsOf(await rolloutsAmong(files, home, among)).filter((id) => id.startsWith(name.toLowerCase()));
    if (ids.length > 1) return sharedBeginning(name, ids);
    if (ids[0] !== undefined) return { kind: 'chosen', id: ids[0] };
  }
  const names = await threadNames(files, home);
  const all = await rolloutsAmong(files, home, among);
  const found = all.filter((one) => names.get(one.name.threadId) === name);
  const threads = threadsOf(found);
  if (among.unique === true && threads.length > 1) return sharedName(name, threads);
  const first = await firstOf(files, found, among);
  if (first !== undefined) return first;
  const elsewhere = await firstElsewhere(files, found, among);
  return elsewhere === undefined || among.cwd === undefined
    ? noneNamed(
        name,
        among.cwd,
        all.flatMap((one) => names.get(one.name.threadId) ?? []),
      )
    : namedElsewhere(name, among.cwd, elsewhere);
}

/** Of threads of which none works in the folder, the first that can be read, for a message. */
async function firstElsewhere(files: Files, rollouts: readonly FoundRollout[], { cwd, ...sought }: Sought) {
  const first = cwd === undefined ? undefined : await firstOf(files, rollouts, sought);
  const path = rollouts.find(({ name }) => name.threadId === first?.id)?.path;
  if (first === undefined || path === undefined) return undefined;
  const look = async (file: OpenFile): Promise<string | undefined> => {
    const newest = isCompressed(path) ? undefined : await newestFolder(file);
    const head = await readHead(file);
    return newest ?? (head.kind === 'meta' ? stringAt(head.meta, 'cwd') : undefined);
  };
  const folder = await onDisk('open', path, () => withOpen(openRolloutFile(files, path), look));
  return folder === undefined ? undefined : { id: first.id, folder };
}

/** `startedBy`: threads that other threads started do not count. */
type Sought = Pick<ChoiceAmong, 'cwd'> & { readonly startedBy?: 'user' };

const mostAtOnce = 16;

/** The first that works in the folder. Mostly it is one of the first few; where none is, there may be thousands. */
async function firstOf(
  files: Files,
  rollouts: readonly FoundRollout[],
  sought: Sought,
): Promise<ChosenThread | undefined> {
  for (let from = 0, count = 1; from < rollouts.length; from += count, count = Math.min(count * 4, mostAtOnce)) {
    const some = rollouts.slice(from, from + count);
    const fits = await Promise.allSettled(some.map(({ path }) => isOf(files, path, sought)));
    for (const [index, fit] of fits.entries()) {
      // Only behind the one that is meant it does not matter.
      if (fit.status === 'rejected') throw fit.reason;
      if (fit.value) return { kind: 'chosen', id: some[index]!.name.threadId };
    }
  }
  return undefined;
}

/** What the disk refuses is not ignored: that could resume another thread than the one that is meant. */
function isOf(files: Files, path: string, { cwd, startedBy }: Sought): Promise<boolean> {
  const look = async (file: OpenFile): Promise<boolean> => {
    // The end of a packed file cannot be had without the rest.
    const newest = cwd === undefined || isCompressed(path) ? undefined : await newestFolder(file);
    if (newest !== undefined && newest !== cwd) return false;
    const head = await readHead(file);
    if (head.kind !== 'meta' || (cwd !== undefined && (newest ?? head.meta['cwd']) !== cwd)) return false;
    return startedBy === undefined || !isStartedByThread({ source: sourceWord(head.meta['source']) });
  };
  return onDisk('open', path, () => withOpen(openRolloutFile(files, path), look));
}

/** A turn says where it works before it does anything. After one that wrote more than this, the first line counts. */
const mostRead = 4 * 1024 * 1024;

const saysFolder: Wanted = ({ type, payloadType }) =>
  type === lineType.turnContext || (type === lineType.event && payloadType === 'thread_settings_applied');

/** Where the thread works since its last turn or setting, if the end of its file says so. */
async function newestFolder(file: OpenFile): Promise<string | undefined> {
  const size = await file.size();
  const end = fileWindow(file, Math.max(0, size - mostRead), size);
  for await (const { type, payload } of readBack(end, saysFolder)) {
    const cwd = stringAt(type === lineType.turnContext ? payload : (objectAt(payload, 'thread_settings') ?? {}), 'cwd');
    if (cwd?.startsWith('/') === true) return cwd;
  }
  return undefined;
}
