import type { Outcome } from '../../protocol/outcome.ts';
import type { Collected } from '../engine/engine-types.ts';
import { loadCommandEngine } from '../commands/command-engine.ts';
import type { CommandArguments } from '../commands/command.ts';
import type { gcCommand } from '../commands/threads-read-commands.ts';
import { withProgress } from '../terminal/with-progress.ts';
import { printResult } from './print-result.ts';
import { countWords, sizeWords } from './size-words.ts';

/** `capstan threads gc` */
export async function run({ options }: CommandArguments<typeof gcCommand>): Promise<number | Outcome> {
  const loaded = await loadCommandEngine();
  if ('code' in loaded) return loaded;
  const { stored } = loaded.engine;
  const collected = await withProgress({ label: 'Reading threads' }, (report) => stored.collect(options, report));
  if ('outcome' in collected) return collected.outcome;
  return printResult(collected, options, () => `${linesOf(collected).join('\n')}\n`);
}

function linesOf(collected: Collected): readonly string[] {
  const { dryRun, freedBytes, blobs, snapshotBytes, lockFiles, temporaryFiles, reverted, busy, unread } = collected;
  const removed = [
    [blobs.unreferred, countWords(blobs.unreferred, 'blob')],
    [snapshotBytes, `${sizeWords(snapshotBytes)} of snapshots`],
    [lockFiles, countWords(lockFiles, 'lock file')],
    [temporaryFiles, countWords(temporaryFiles, 'unfinished file')],
  ] as const;
  const parts = removed.flatMap(([count, words]) => (count === 0 ? [] : [words]));
  const verb = dryRun ? 'Would remove' : 'Removed';
  return [
    parts.length === 0 ? 'Nothing lies around that no thread refers to.' : `${verb} ${parts.join(', ')}.`,
    ...blobs.overBudget.map(
      ({ sha256, threads }) => `${verb}, over the budget: whole output ${sha256} of thread ${threads.join(', ')}.`,
    ),
    ...reverted.map(({ thread, path, what, bytes }) =>
      what === 'file'
        ? `${verb} what a rollback of thread ${thread} had put aside: ${path} (${sizeWords(bytes)}).`
        : `${verb} the last ${sizeWords(bytes)} of ${path}, put aside by a rollback of thread ${thread}.`,
    ),
    ...busy.map((thread) => `Passed over thread ${thread}: it is being written.`),
    ...unread.map(({ path, why }) => `All blobs are kept, because ${path} cannot be read: ${why}`),
    `${dryRun ? 'This would free' : 'Freed'} ${sizeWords(freedBytes)}; blobs take ${sizeWords(blobs.keptBytes)}.`,
  ];
}
