import type { EngineRefused } from '../../../engine/engine-refused.ts';
import type { Engine } from '../../../engine/engine.ts';
import type { StoredThreads } from '../../../engine/store/stored-threads.ts';
import { formatCount, plural, formatBytes } from '../../../engine/wording.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { loadCommandEngine, withEngine } from '../../views/command-line/command-engine.ts';
import type { CommandArguments } from '../../views/command-line/command.ts';
import { wrongUsage } from '../../views/command-line/run-command.ts';
import { withProgress } from '../../views/terminal/progress.ts';
import { printResult } from '../../views/terminal/tables.ts';
import { compressCommand, type gcCommand, type reindexCommand } from '../table/threads-read-commands.ts';
import { findThread } from './operations.ts';

type ToCompress = Parameters<Engine['stored']['compress']>[0];
type CompressReport = Exclude<Awaited<ReturnType<Engine['stored']['compress']>>, EngineRefused>;
type Options = CommandArguments<typeof compressCommand>['options'];

export async function runCompress({
  thread,
  options,
}: CommandArguments<typeof compressCommand>): Promise<number | Outcome> {
  const { olderThan } = options;
  if (olderThan === undefined) {
    const found = await findThread({ thread, archived: true });
    return 'code' in found ? found : compress(found.engine, { kind: 'thread', id: found.id }, options);
  }
  const which = ageOf(olderThan);
  if ('code' in which) return which;
  const loaded = await loadCommandEngine();
  return 'code' in loaded ? loaded : compress(loaded.engine, which, options);
}

async function compress({ stored }: Engine, which: ToCompress, options: Options): Promise<number | Outcome> {
  const report = await withProgress({ label: 'Compressing threads' }, (progress) =>
    stored.compress(which, { dryRun: options.dryRun }, progress),
  );
  if ('outcome' in report) return report.outcome;
  return printResult(report, options, () => `${compressionLines(report).join('\n')}\n`);
}

const unitMs = { d: 24 * 60 * 60 * 1000, h: 60 * 60 * 1000, m: 60 * 1000 } as const;

function ageOf(text: string): ToCompress | Outcome<'usage'> {
  const [, count, unit] = /^(\d{1,6})([dhm])$/.exec(text) ?? [];
  return count === undefined
    ? wrongUsage(compressCommand, `${JSON.stringify(text)} is not a time: write 7d, 12h or 30m.`)
    : { kind: 'older', milliseconds: Number(count) * unitMs[unit as keyof typeof unitMs] };
}

function compressionLines({ dryRun, compressed, skipped }: CompressReport): readonly string[] {
  const from = compressed.reduce((sum, one) => sum + one.from, 0);
  const to = compressed.reduce((sum, one) => sum + (one.to ?? 0), 0);
  const files = plural(compressed.length, 'file');
  const size = dryRun ? ` of ${formatBytes(from)}` : ` from ${formatBytes(from)} to ${formatBytes(to)}`;
  return [
    ...compressed.map(({ path }) => path),
    ...skipped.map(({ path, why }) => `Skipped ${path}: ${why}.`),
    compressed.length === 0 ? 'Nothing to compress.' : `${dryRun ? 'Would compress' : 'Compressed'} ${files}${size}.`,
  ];
}

type Collected = Exclude<Awaited<ReturnType<StoredThreads['collect']>>, EngineRefused>;

export const runGc = withEngine<typeof gcCommand>(async ({ options }, { engine: { stored } }) => {
  const { dryRun, reverted } = options;
  const collected = await withProgress({ label: 'Reading threads' }, (report) =>
    stored.collect({ dryRun, reverted }, report),
  );
  if ('outcome' in collected) return collected.outcome;
  return printResult(collected, options, () => `${linesOf(collected).join('\n')}\n`);
});

function linesOf(collected: Collected): readonly string[] {
  const { dryRun, blobs, reverted, busy, unread } = collected;
  const verb = dryRun ? 'Would remove' : 'Removed';
  return [
    ...blobs.overBudget.map(
      ({ sha256, threads }) =>
        `${verb} the whole output ${sha256} of thread ${threads.join(', ')}: all blobs exceed their budget.`,
    ),
    ...reverted.map(({ thread, path, what, bytes }) =>
      what === 'file'
        ? `${verb} what a rollback of thread ${thread} had put aside: ${path} (${formatBytes(bytes)}).`
        : `${verb} the last ${formatBytes(bytes)} of ${path}, put aside by a rollback of thread ${thread}.`,
    ),
    ...busy.map((thread) => `Skipped thread ${thread}: another process is writing it.`),
    ...unread.map(({ path, why }) => `Kept all blobs, because ${path} cannot be read: ${why}`),
    summaryOf(collected),
  ];
}

function summaryOf({ dryRun, freedBytes, blobs, snapshotBytes, ...others }: Collected): string {
  const removed = [
    [blobs.unreferred + blobs.overBudget.length, 'blob'],
    [others.reverted.length, 'file put aside by rollbacks', 'files put aside by rollbacks'],
    [others.lockFiles, 'lock file'],
    [others.temporaryFiles, 'unfinished file'],
  ] as const;
  const parts = removed.flatMap(([number, one, many = `${one}s`]) =>
    number === 0 ? [] : [`${formatCount(number)} ${number === 1 ? one : many}`],
  );
  if (snapshotBytes > 0) parts.push(`${formatBytes(snapshotBytes)} of snapshots`);
  const left = `Blobs take ${formatBytes(blobs.keptBytes)}.`;
  if (parts.length === 0) return `Nothing to remove. ${left}`;
  const [remove, free] = dryRun ? ['Would remove', 'free'] : ['Removed', 'freed'];
  return `${remove} ${parts.join(', ')} and ${free} ${formatBytes(freedBytes)}. ${left}`;
}

export const runReindex = withEngine<typeof reindexCommand>(async ({ options }, { engine: { stored } }) => {
  const done = await withProgress({ label: 'Reading threads' }, (report) =>
    stored.reindex({ anew: !options.changed }, report),
  );
  if ('outcome' in done) return done.outcome;
  const verb = options.changed ? 'Updated the index' : 'Rebuilt the index';
  return printResult({ threads: done.threads }, options, () => `${verb}: ${plural(done.threads, 'thread')}.\n`);
});
