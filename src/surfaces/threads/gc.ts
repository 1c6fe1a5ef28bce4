import type { Outcome } from '../../protocol/outcome.ts';
import type { Collected } from '../../rollout/collect.ts';
import { type CommandForm, type ParsedWords, wrongUsage } from '../command-words.ts';
import { print } from '../print.ts';
import { runCommand } from '../run-command.ts';
import { loadLookingEngine } from './looking-engine.ts';
import { countWords, sizeWords } from './size-words.ts';

export const form: CommandForm = {
  name: 'threads gc',
  summary: 'Removes what no thread refers to: blobs, lock files that nobody holds, files that were never finished.',
  forms: ['[OPTIONS]'],
  options: [
    { key: 'dry-run', names: ['--dry-run'], help: 'only say what would be removed' },
    {
      key: 'reverted',
      names: ['--reverted'],
      help: 'also turns that rollbacks have put aside; those rollbacks can then not be undone',
    },
    { key: 'json', names: ['--json'], help: 'print the result as JSON' },
  ],
  notes:
    'Threads that are being written are not touched. If blobs take more than blobs.max_bytes of the configuration, the oldest whole outputs go, too, and their threads are named; what the model saw of them stays in the threads.',
};

/** `capstan threads gc`. 0: done; 1: not possible; 2: wrong usage. */
export function run(words: readonly string[]): Promise<number> {
  return runCommand(form, words, collect);
}

async function collect({ flags, positional }: ParsedWords): Promise<number | Outcome> {
  if (positional.length > 0) return wrongUsage(form, 'it takes options only.');
  const looking = await loadLookingEngine();
  if ('code' in looking) return looking;
  const collected = await looking.engine.collect({ dryRun: flags.has('dry-run'), reverted: flags.has('reverted') });
  if (flags.has('json')) print(`${JSON.stringify(collected)}\n`, 'json');
  else print(`${linesOf(collected).join('\n')}\n`, 'text');
  return 0;
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
