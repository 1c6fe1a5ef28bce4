import type { Outcome } from '../../protocol/outcome.ts';
import type { CompressReport, ToCompress } from '../../rollout/compressed-threads.ts';
import { type CommandForm, type ParsedWords, wrongUsage } from '../command-words.ts';
import type { Engine } from '../engine/engine.ts';
import { print } from '../print.ts';
import { lastOption, runCommand, threadNamed } from '../run-command.ts';
import { loadLookingEngine } from './looking-engine.ts';
import { countWords, sizeWords } from './size-words.ts';

export const form: CommandForm = {
  name: 'threads compress',
  summary: 'Packs the files of threads. They are read as before, and unpacked when they go on.',
  forms: ['THREAD [OPTIONS]', '--last [OPTIONS]', '--older-than TIME [OPTIONS]'],
  options: [
    {
      key: 'older',
      names: ['--older-than'],
      value: 'TIME',
      help: 'all that nobody has written to for so long: 7d, 12h',
    },
    lastOption,
    { key: 'dry-run', names: ['--dry-run'], help: 'only say what would be done' },
    { key: 'json', names: ['--json'], help: 'print the result as JSON' },
  ],
  notes: 'Threads that are being written stay as they are, and so do forks and what they go on from.',
};

/** `capstan threads compress`. 0: done; 1: not possible; 2: wrong usage. */
export function run(words: readonly string[]): Promise<number> {
  return runCommand(form, words, compress);
}

async function compress(asked: ParsedWords): Promise<number | Outcome> {
  const age = ageOf(asked);
  const named = age === undefined ? threadNamed(form, asked) : undefined;
  if (age !== undefined && 'code' in age) return age;
  if (named !== undefined && 'code' in named) return named;
  const looking = await loadLookingEngine();
  if ('code' in looking) return looking;
  const which = age ?? (await meant(looking.engine, named?.name, looking.cwd));
  if ('code' in which) return which;
  const report = await looking.engine.compress(which, { dryRun: asked.flags.has('dry-run') });
  if ('outcome' in report) return report.outcome;
  if (asked.flags.has('json')) print(`${JSON.stringify(report)}\n`, 'json');
  else print(`${linesOf(report).join('\n')}\n`, 'text');
  return 0;
}

async function meant(engine: Engine, name: string | undefined, cwd: string): Promise<ToCompress | Outcome> {
  const choice =
    name === undefined ? ({ kind: 'last', cwd } as const) : ({ kind: 'named', name, archived: true } as const);
  const chosen = await engine.choose(choice);
  return chosen.kind === 'none' ? chosen : { kind: 'thread', id: chosen.id };
}

const unitMs = { d: 24 * 60 * 60 * 1000, h: 60 * 60 * 1000, m: 60 * 1000 } as const;

function ageOf({ values, flags, positional }: ParsedWords): ToCompress | Outcome<'usage'> | undefined {
  const text = values.get('older')?.at(-1);
  if (text === undefined) return undefined;
  if (flags.has('last') || positional.length > 0) return wrongUsage(form, '--older-than is about all threads.');
  const [, count, unit] = /^(\d{1,6})([dhm])$/.exec(text) ?? [];
  if (count === undefined) return wrongUsage(form, `${JSON.stringify(text)} is no time: write 7d, 12h or 30m.`);
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
