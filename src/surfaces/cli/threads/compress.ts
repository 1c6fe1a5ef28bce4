import type { Outcome } from '../../../protocol/outcome.ts';
import { loadCommandEngine } from '../../views/command-line/command-engine.ts';
import type { CommandArguments } from '../../views/command-line/command.ts';
import type { EngineRefused } from '../../../engine/engine-refused.ts';
import type { Engine } from '../../../engine/engine.ts';
import { wrongUsage } from '../../views/command-line/run-command.ts';
import { compressCommand } from '../table/threads-read-commands.ts';
import { plural, sizeWords } from '../../../engine/wording.ts';
import { withProgress } from '../../views/terminal/progress.ts';
import { printResult } from '../../views/terminal/page.ts';
import { findThread } from './operations.ts';

type ToCompress = Parameters<Engine['stored']['compress']>[0];
type CompressReport = Exclude<Awaited<ReturnType<Engine['stored']['compress']>>, EngineRefused>;
type Options = CommandArguments<typeof compressCommand>['options'];

export async function run({ thread, options }: CommandArguments<typeof compressCommand>): Promise<number | Outcome> {
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
  return printResult(report, options, () => `${linesOf(report).join('\n')}\n`);
}

const unitMs = { d: 24 * 60 * 60 * 1000, h: 60 * 60 * 1000, m: 60 * 1000 } as const;

function ageOf(text: string): ToCompress | Outcome<'usage'> {
  const [, count, unit] = /^(\d{1,6})([dhm])$/.exec(text) ?? [];
  return count === undefined
    ? wrongUsage(compressCommand, `${JSON.stringify(text)} is not a time: write 7d, 12h or 30m.`)
    : { kind: 'older', milliseconds: Number(count) * unitMs[unit as keyof typeof unitMs] };
}

function linesOf({ dryRun, compressed, skipped }: CompressReport): readonly string[] {
  const from = compressed.reduce((sum, one) => sum + one.from, 0);
  const to = compressed.reduce((sum, one) => sum + (one.to ?? 0), 0);
  const files = plural(compressed.length, 'file');
  const size = dryRun ? ` of ${sizeWords(from)}` : ` from ${sizeWords(from)} to ${sizeWords(to)}`;
  return [
    ...compressed.map(({ path }) => path),
    ...skipped.map(({ path, why }) => `Skipped ${path}: ${why}.`),
    compressed.length === 0 ? 'Nothing to compress.' : `${dryRun ? 'Would compress' : 'Compressed'} ${files}${size}.`,
  ];
}
