import type { Files } from '../../ports/files.ts';
import type { ChoiceAmong, ChosenThread, NoThread, ThreadChoice } from '../../ports/thread-directory.ts';
import { parseThreadId, type ThreadId } from '../../protocol/ids.ts';
import { isCompressed, openRolloutFile } from '../compressed/compressed-file.ts';
import { diskFault } from '../disk/disk-fault.ts';
import { findActiveRollouts, findAllRollouts, type FoundRollout } from './find-rollout.ts';
import { newestFolder } from './newest-folder.ts';
import { isIdBeginning, noneNamed, noThreadYet, sharedBeginning, sharedName } from './no-thread.ts';
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

async function namedThread(
  files: Files,
  home: string,
  choice: ChoiceAmong & { readonly name: string },
): Promise<ChosenThread | NoThread> {
  const whole = parseThreadId(choice.name);
  if (whole !== undefined) return { kind: 'chosen', id: whole };
  const begun = await byBeginning(files, home, choice);
  if (begun.length === 1) return { kind: 'chosen', id: begun[0]! };
  if (begun.length > 1) return sharedBeginning(choice.name, begun);
  return byName(files, home, choice);
}

function rolloutsAmong(files: Files, home: string, { archived }: ChoiceAmong): Promise<readonly FoundRollout[]> {
  return archived === true ? findAllRollouts(files, home) : findActiveRollouts(files, home);
}

async function byBeginning(
  files: Files,
  home: string,
  { name, ...among }: ChoiceAmong & { readonly name: string },
): Promise<readonly ThreadId[]> {
  if (!isIdBeginning(name)) return [];
  const found = await rolloutsAmong(files, home, among);
  return [...new Set(found.map((rollout) => rollout.name.threadId))].filter((id) => id.startsWith(name.toLowerCase()));
}

async function lastThread(files: Files, home: string, among: ChoiceAmong): Promise<ChosenThread | NoThread> {
  const { cwd } = among;
  const found = await rolloutsAmong(files, home, among);
  const dated = await Promise.all(
    found.map(async (rollout) => ({ ...rollout, modified: (await files.modified(rollout.path)) ?? 0 })),
  );
  const newest = await firstOf(
    files,
    dated.toSorted((a, b) => b.modified - a.modified),
    cwd,
  );
  if (newest !== undefined) return newest;
  return noThreadYet(cwd);
}

async function byName(
  files: Files,
  home: string,
  { name, ...among }: ChoiceAmong & { readonly name: string },
): Promise<ChosenThread | NoThread> {
  const { cwd } = among;
  const names = await threadNames(files, home);
  const ids = [...names].filter(([, known]) => known === name).map(([id]) => id);
  const found = (await rolloutsAmong(files, home, among)).filter((rollout) => ids.includes(rollout.name.threadId));
  const threads = [...new Set(found.map((rollout) => rollout.name.threadId))];
  if (among.unique === true && threads.length > 1) return sharedName(name, threads);
  const first = await firstOf(files, found, cwd);
  if (first !== undefined) return first;
  return noneNamed(name, cwd);
}

const mostAtOnce = 16;

/** The first that works in the folder. Mostly it is one of the first few; where none is, there may be thousands. */
async function firstOf(
  files: Files,
  rollouts: readonly FoundRollout[],
  cwd: string | undefined,
): Promise<ChosenThread | undefined> {
  for (let from = 0, count = 1; from < rollouts.length; from += count, count = Math.min(count * 4, mostAtOnce)) {
    const some = rollouts.slice(from, from + count);
    const fits = await Promise.allSettled(some.map(({ path }) => isOf(files, path, cwd)));
    for (const [index, fit] of fits.entries()) {
      // Only behind the one that is meant it does not matter.
      if (fit.status === 'rejected') throw fit.reason;
      if (fit.value) return { kind: 'chosen', id: some[index]!.name.threadId };
    }
  }
  return undefined;
}

async function isOf(files: Files, path: string, cwd: string | undefined): Promise<boolean> {
  try {
    const file = await openRolloutFile(files, path);
    try {
      // The end of a packed file cannot be had without the rest.
      const newest = cwd === undefined || isCompressed(path) ? undefined : await newestFolder(file);
      if (newest !== undefined && newest !== cwd) return false;
      const head = await readHead(file);
      return head.kind === 'meta' && (cwd === undefined || (newest ?? head.meta['cwd']) === cwd);
    } finally {
      await file.close();
    }
  } catch (error) {
    // Ignoring it could resume another thread than the one that is meant.
    throw diskFault(error, 'open', path);
  }
}
