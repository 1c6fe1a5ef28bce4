import type { Outcome } from '../../protocol/outcome.ts';
import type { CompressReport, ToCompress } from '../engine/engine-types.ts';
import { loadCommandEngine } from '../commands/command-engine.ts';
import type { CommandArguments } from '../commands/command.ts';
import { wrongUsage } from '../commands/parse-command.ts';
import { compressCommand } from '../commands/threads-read-commands.ts';
import type { Engine } from '../engine/engine.ts';
import { print } from '../terminal/print.ts';
import { findThread } from './find-thread.ts';
import { countWords, sizeWords } from './size-words.ts';

/** `capstan threads compress` */
export async function run(given: CommandArguments<typeof compressCommand>): Promise<number | Outcome> {
  const { dryRun, json } = given.options;
  const chosen = await choose(given);
  if ('code' in chosen) return chosen;
  const report = await chosen.engine.stored.compress(chosen.which, { dryRun });
  if ('outcome' in report) return report.outcome;
  if (json) print(`${JSON.stringify(report)}\n`, 'json');
  else print(`${linesOf(report).join('\n')}\n`, 'text');
  return 0;
}

async function choose({
  thread,
  options: { olderThan },
}: CommandArguments<typeof compressCommand>): Promise<
  { readonly engine: Engine; readonly which: ToCompress } | Outcome
> {
  if (olderThan === undefined) {
    const found = await findThread({ thread, archived: true });
    return 'code' in found ? found : { engine: found.engine, which: { kind: 'thread', id: found.id } };
  }
  const which = ageOf(olderThan);
  if ('code' in which) return which;
  const loaded = await loadCommandEngine();
  return 'code' in loaded ? loaded : { engine: loaded.engine, which };
}

const unitMs = { d: 24 * 60 * 60 * 1000, h: 60 * 60 * 1000, m: 60 * 1000 } as const;

function ageOf(text: string): ToCompress | Outcome<'usage'> {
  const [, count, unit] = /^(\d{1,6})([dhm])$/.exec(text) ?? [];
  if (count === undefined) {
    return wrongUsage(compressCommand, `${JSON.stringify(text)} is no time: write 7d, 12h or 30m.`);
  }
  return { kind: 'older', milliseconds: Number(count) * unitMs[unit as keyof typeof unitMs] };
}

function linesOf({ dryRun, compressed, skipped }: CompressReport): readonly string[] {
  const from = compressed.reduce((sum, one) => sum + one.from, 0);
  const to = compressed.reduce((sum, one) => sum + (one.to ?? 0), 0);
  const files = countWords(compressed.length, 'file');
  return [
    ...compressed.map(({ path }) => path),
    ...skipped.map(({ path, why }) => `Passed over ${path}: ${why}.`),
    dryRun
      ? `Would compress ${files} of ${sizeWords(from)}.`
      : `Compressed ${files}: ${sizeWords(from)} are now ${sizeWords(to)}.`,
  ];
}
