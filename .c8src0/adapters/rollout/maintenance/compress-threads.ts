import { join } from 'node:path';
import type { JournalDisk } from '../../../ports/files.ts';
import type { WorkProgress } from '../../../ports/thread-store.ts';
import type { ThreadId } from '../../../protocol/ids.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { type CompressionResult, compressRollout, openRolloutFile } from '../files/compressed-rollouts.ts';
import { withDiskFaults } from '../files/node-files.ts';
import { withOpenFile } from '../files/whole-files.ts';
import { findAllRollouts, type FoundRollout } from '../files/find-threads.ts';
import { historyBase } from '../lines/line-format.ts';
import { type HomePorts, lockPath } from '../files/rollout-paths.ts';
import { readRolloutHead } from '../lines/read-lines.ts';

export interface CompressOptions {
  readonly dryRun: boolean;
  /** In files. */
  readonly progress?: WorkProgress;
}

export type ToCompress =
  | { readonly kind: 'thread'; readonly id: ThreadId }
  | { readonly kind: 'older'; readonly milliseconds: number };

export interface CompressReport {
  readonly dryRun: boolean;
  /** `to` is absent in a dry run. */
  readonly compressed: readonly (Omit<CompressionResult, 'to'> & { readonly thread: ThreadId; readonly to?: number })[];
  readonly skipped: readonly { readonly thread: ThreadId; readonly path: string; readonly why: string }[];
}

/** Compresses rollouts under their locks. Both files of a continuation stay plain: it names a byte offset. */
export async function compressThreads(
  parts: HomePorts,
  which: ToCompress,
  options: CompressOptions,
): Promise<CompressReport | Outcome<'maintenance-busy'>> {
  // Codex also takes this lock while it compresses or rewrites threads.
  const maintenance = await parts.locks.take(join(parts.home, '.tmp', 'rollout-maintenance.lock'));
  if (maintenance.kind === 'held') {
    const message = 'Another program is compressing or rewriting the threads in this home folder.';
    return { code: 'maintenance-busy', message, next: 'Wait until it finishes, then try again.' };
  }
  return compressAll(parts, which, options).finally(() => maintenance.release());
}

async function compressAll(parts: HomePorts, which: ToCompress, { dryRun, progress }: CompressOptions) {
  const { files, home, clock } = parts;
  const heads = await readHeads(files, home);
  const referred = new Set(heads.map(({ base }) => base));
  const compressed: CompressReport['compressed'][number][] = [];
  const skipped: CompressReport['skipped'][number][] = [];
  const wanted = heads.filter(({ name }) => !name.compressed && (which.kind === 'older' || name.threadId === which.id));
  for (const [at, { path, name, isRead, base }] of wanted.entries()) {
    if (at > 0) await progress?.(at, wanted.length);
    const { threadId: thread } = name;
    const facts = await files.describe(path);
    const isYoung = which.kind === 'older' && clock.now() - (facts?.modified ?? 0) < which.milliseconds;
    if (facts === undefined || isYoung) continue;
    const skip = (why: string): number => skipped.push({ thread, path, why });
    if (!isRead) skip('it cannot be read');
    else if (base !== undefined) skip('it continues from another file');
    else if (referred.has(name.rolloutId)) skip('another thread continues from it');
    else if (dryRun) compressed.push({ thread, path, from: facts.size });
    else {
      const done = await compressLocked(parts, { path, name });
      if (typeof done === 'string') skip(done);
      else compressed.push({ thread, ...done });
    }
  }
  return { dryRun, compressed, skipped };
}

async function compressLocked({ files, locks, home }: HomePorts, { path, name }: FoundRollout) {
  const lock = await locks.take(lockPath(home, name.threadId));
  if (lock.kind === 'held') return `${lock.owner ?? 'another program'} is writing it`;
  const done = await compressRollout(files, path).finally(() => lock.release());
  return done ?? 'it changed in the meantime';
}

async function readHeads(files: JournalDisk, home: string) {
  const found = await withDiskFaults('read', home, () => findAllRollouts(files, home));
  const heads: (FoundRollout & { readonly isRead: boolean; readonly base: string | undefined })[] = [];
  for (const rollout of found) {
    // An unreadable one must not stop the others. It is skipped and reported.
    const head = await withOpenFile(openRolloutFile(files, rollout.path), readRolloutHead).catch(() => undefined);
    const meta = head?.kind === 'meta' ? head.meta : undefined;
    heads.push({ ...rollout, isRead: meta !== undefined, base: meta && historyBase(meta)?.rolloutId });
  }
  return heads;
}
