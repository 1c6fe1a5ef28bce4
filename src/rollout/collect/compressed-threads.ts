import { join } from 'node:path';
import type { Clock } from '../../ports/clock.ts';
import type { Files, Locks } from '../../ports/files.ts';
import { defined } from '../../protocol/defined.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { openRolloutFile } from '../compressed/compressed-file.ts';
import { type Compressed, compressRollout } from '../compressed/compressed-rollout.ts';
import { diskFault } from '../disk/disk-fault.ts';
import { findAllRollouts, type FoundRollout } from '../find/find-rollout.ts';
import { historyBase } from '../lines/history-base.ts';
import { lockPath } from '../find/names.ts';
import { type Head, readHead } from '../lines/read-head.ts';

export interface CompressParts {
  readonly home: string;
  readonly files: Files;
  readonly locks: Locks;
  readonly clock: Clock;
}

/** One thread, or all that have not been written to for so long. */
export type ToCompress =
  | { readonly kind: 'thread'; readonly id: ThreadId }
  | { readonly kind: 'older'; readonly milliseconds: number };

export interface CompressReport {
  readonly dryRun: boolean;
  /** Without `to` when nothing was done. */
  readonly compressed: readonly (Omit<Compressed, 'to'> & { readonly thread: ThreadId; readonly to?: number })[];
  readonly skipped: readonly { readonly thread: ThreadId; readonly path: string; readonly why: string }[];
}

/**
 * Compresses rollouts, each under the lock of its thread. Skipped are those that are being written, that continue from
 * another rollout or that another continues from: such a place is a byte of a plain file.
 */
export async function compressThreads(
  parts: CompressParts,
  which: ToCompress,
  { dryRun }: { readonly dryRun: boolean },
): Promise<CompressReport | Outcome<'maintenance-busy'>> {
  // Codex holds it, too, while it compresses or rewrites.
  const maintenance = await parts.locks.take(join(parts.home, '.tmp', 'rollout-maintenance.lock'));
  if (maintenance.kind === 'held') {
    const message = 'Another program is compressing or rewriting the threads of this home.';
    return { code: 'maintenance-busy', message, next: 'Wait until it has ended and try again.' };
  }
  try {
    return await compressAll(parts, which, dryRun);
  } finally {
    await maintenance.release();
  }
}

async function compressAll(parts: CompressParts, which: ToCompress, dryRun: boolean): Promise<CompressReport> {
  const { files, home, clock } = parts;
  const heads = await readHeads(files, home);
  const referred = new Set(heads.flatMap(({ base }) => base ?? []));
  const compressed: CompressReport['compressed'][number][] = [];
  const skipped: CompressReport['skipped'][number][] = [];
  for (const { found, head, base } of heads) {
    const { path, name } = found;
    const { threadId: thread } = name;
    if (name.compressed || (which.kind === 'thread' && thread !== which.id)) continue;
    const facts = await files.describe(path);
    const isYoung = which.kind === 'older' && clock.now() - (facts?.modified ?? 0) < which.milliseconds;
    if (facts === undefined || isYoung) continue;
    const skip = (why: string): number => skipped.push({ thread, path, why });
    if (head?.kind !== 'meta') skip('it cannot be read');
    else if (base !== undefined) skip('it continues from another file');
    else if (referred.has(name.rolloutId)) skip('another thread continues from it');
    else if (dryRun) compressed.push({ thread, path, from: facts.size });
    else {
      const done = await compressLocked(parts, found);
      if (typeof done === 'string') skip(done);
      else compressed.push({ thread, ...done });
    }
  }
  return { dryRun, compressed, skipped };
}

async function compressLocked(
  { files, locks, home }: CompressParts,
  { path, name }: FoundRollout,
): Promise<Compressed | string> {
  const lock = await locks.take(lockPath(home, name.threadId));
  if (lock.kind === 'held') return `it is being written by ${lock.owner ?? 'another program'}`;
  try {
    return (await compressRollout(files, path)) ?? 'it has changed meanwhile';
  } finally {
    await lock.release();
  }
}

interface FoundHead {
  readonly found: FoundRollout;
  /** Absent when the file cannot be read. */
  readonly head?: Head;
  /** The rollout that it continues from. */
  readonly base?: string;
}

async function readHeads(files: Files, home: string): Promise<readonly FoundHead[]> {
  const heads: FoundHead[] = [];
  for (const found of await findAllRollouts(files, home).catch((error: unknown) => {
    throw diskFault(error, 'read', home);
  })) {
    const head = await headOf(files, found.path);
    const base = head?.kind === 'meta' ? historyBase(head.meta)?.rolloutId : undefined;
    heads.push({ found, ...defined({ head, base }) });
  }
  return heads;
}

async function headOf(files: Files, path: string): Promise<Head | undefined> {
  try {
    const file = await openRolloutFile(files, path);
    return await readHead(file).finally(() => file.close());
  } catch {
    // One that cannot be read does not stop the others. It is skipped, and that is reported.
    return undefined;
  }
}
