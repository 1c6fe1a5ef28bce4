import type { EngineRefused } from '../../../engine/engine-refused.ts';
import type { StoredThreads } from '../../../engine/store/stored-threads.ts';
import { withEngine } from '../../views/command-line/command-engine.ts';
import type { gcCommand } from '../table/threads-read-commands.ts';
import { formatCount, sizeWords } from '../../../engine/wording.ts';
import { printResult } from '../../views/terminal/page.ts';
import { withProgress } from '../../views/terminal/progress.ts';

type Collected = Exclude<Awaited<ReturnType<StoredThreads['collect']>>, EngineRefused>;

export const run = withEngine<typeof gcCommand>(async ({ options }, { engine: { stored } }) => {
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
        ? `${verb} what a rollback of thread ${thread} had put aside: ${path} (${sizeWords(bytes)}).`
        : `${verb} the last ${sizeWords(bytes)} of ${path}, put aside by a rollback of thread ${thread}.`,
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
  if (snapshotBytes > 0) parts.push(`${sizeWords(snapshotBytes)} of snapshots`);
  const left = `Blobs take ${sizeWords(blobs.keptBytes)}.`;
  if (parts.length === 0) return `Nothing to remove. ${left}`;
  const [remove, free] = dryRun ? ['Would remove', 'free'] : ['Removed', 'freed'];
  return `${remove} ${parts.join(', ')} and ${free} ${sizeWords(freedBytes)}. ${left}`;
}
