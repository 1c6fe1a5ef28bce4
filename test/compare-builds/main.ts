// Shows that two builds behave the same: runs both programs on scripted runs and compares what they send, store and show.
//
//   node test/compare-builds/main.ts OLD NEW [--only NAME]... [--keep FOLDER]
//
// OLD and NEW are checkouts with a built dist/. `--only` plays one run, by its name; `--keep` writes the compared
// records to FOLDER/old and FOLDER/new. Ids, times, durations and processes are replaced first (normalise.ts); estimates
// of tokens may differ a little (difference.ts); a run that differs is played once more, and its first difference is
// printed in any case. Exit codes: 0 no difference; 1 a difference, or a run that did not work; 2 wrong usage.
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { firstDifference } from './difference.ts';
import { SharedModel } from './model.ts';
import { normalise, type RunRecord } from './normalise.ts';
import type { Run } from './run.ts';
import { removeFolder, World } from './world.ts';
import { commandRuns } from './runs/commands.ts';
import { compactionRuns } from './runs/compaction.ts';
import { formatRuns } from './runs/formats.ts';
import { mcpServerRuns } from './runs/mcp-server.ts';
import { terminalRuns } from './runs/terminal.ts';
import { turnRuns } from './runs/turns.ts';

const runs: readonly Run[] = [
  ...turnRuns,
  ...formatRuns,
  ...compactionRuns,
  ...commandRuns,
  ...mcpServerRuns,
  ...terminalRuns,
];
const usage = 'Usage: node test/compare-builds/main.ts OLD NEW [--only NAME]... [--keep FOLDER]';

interface Counts {
  readonly requests: number;
  readonly lines: number;
  readonly events: number;
  readonly screens: number;
}

const nothing: Counts = { requests: 0, lines: 0, events: 0, screens: 0 };

process.exitCode = await main(process.argv.slice(2));

async function main(words: string[]): Promise<number> {
  const given = readWords(words);
  if (given === undefined) return 2;
  const { values, positionals } = given;
  const [old, fresh] = positionals.map((path) => resolve(path));
  const unknown = (values.only ?? []).filter((name) => !runs.some((run) => run.name === name));
  if (old === undefined || fresh === undefined || positionals.length > 2 || unknown.length > 0) {
    const names = runs.map(({ name }) => name).join(', ');
    console.error([...unknown.map((name) => `There is no run "${name}".`), usage, `Runs: ${names}`].join('\n'));
    return 2;
  }
  const missing = [old, fresh].filter((build) => !existsSync(join(build, 'dist/bin.cjs')));
  if (missing.length > 0) {
    console.error(`No dist/bin.cjs in ${missing.join(' and ')}. Build it with \`npm run build\`.`);
    return 2;
  }
  const root = mkdtempSync(join(tmpdir(), 'capstan-compare-'));
  const model = await SharedModel.start();
  const wanted = runs.filter(({ name }) => values.only?.includes(name) ?? true);
  let total = nothing;
  let failures = 0;
  try {
    const builds = [parkedBuild(old, join(root, 'old')), parkedBuild(fresh, join(root, 'new'))] as const;
    for (const run of wanted) {
      const startedAt = Date.now();
      const setting = { root, model, builds, keep: values.keep };
      let result = await compared(run, setting);
      // Some notices depend on how fast the machine is. A change of the program shows again.
      const atFirst = result.problem;
      if (atFirst !== undefined) result = await compared(run, setting);
      const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
      if (result.problem !== undefined) {
        failures += 1;
        console.log(`DIFFERS  ${run.name}\n${result.problem}\n`);
        continue;
      }
      total = sum(total, result.counts);
      console.log(`same     ${run.name}  ${inWords(result.counts)}  ${seconds} s`);
      if (atFirst !== undefined) console.log(`         only on the second try; at first:\n${atFirst}\n`);
    }
  } finally {
    await model.close();
    removeFolder(root);
  }
  console.log(`\n${wanted.length - failures} of ${wanted.length} runs are the same: ${inWords(total)}.`);
  return failures === 0 ? 0 : 1;
}

function readWords(args: string[]) {
  try {
    const options = { only: { type: 'string', multiple: true }, keep: { type: 'string' } } as const;
    return parseArgs({ args, allowPositionals: true, options });
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n${usage}`);
    return undefined;
  }
}

interface Setting {
  readonly root: string;
  readonly model: SharedModel;
  readonly builds: readonly [old: ParkedBuild, fresh: ParkedBuild];
  readonly keep: string | undefined;
}

/** A build that waits for its turn at the path where both run. */
interface ParkedBuild {
  readonly source: string;
  readonly parked: string;
}

/** A copy of what the program needs at run time: paths of the build are in requests, and their length in estimates. */
function parkedBuild(source: string, parked: string): ParkedBuild {
  mkdirSync(parked);
  cpSync(join(source, 'dist'), join(parked, 'dist'), { recursive: true });
  cpSync(join(source, 'package.json'), join(parked, 'package.json'));
  symlinkSync(join(source, 'node_modules'), join(parked, 'node_modules'));
  return { source, parked };
}

type Sides = readonly [old: readonly RunRecord[], fresh: readonly RunRecord[]];

async function compared(
  run: Run,
  setting: Setting,
): Promise<{ readonly counts: Counts; readonly problem: string | undefined }> {
  const sides = await played(run, setting);
  if (typeof sides === 'string') return { counts: nothing, problem: sides };
  return { counts: countsOf(sides[0]), problem: problemIn(run, sides) };
}

/** Both builds, one after the other at the same path; a sentence if one of them could not play the run. */
async function played(run: Run, setting: Setting): Promise<Sides | string> {
  const sides: (readonly RunRecord[])[] = [];
  for (const [index, build] of setting.builds.entries()) {
    const side = index === 0 ? 'old' : 'new';
    const { records, problem } = await playOne(run, build, setting);
    if (setting.keep !== undefined) keepRecords(join(setting.keep, side, run.name), records);
    if (problem !== undefined) return `${build.source}: ${problem}`;
    sides.push(records);
  }
  return sides as unknown as Sides;
}

interface Played {
  readonly records: readonly RunRecord[];
  readonly problem: string | undefined;
}

async function playOne(run: Run, { parked }: ParkedBuild, { root, model }: Setting): Promise<Played> {
  const from = Date.now();
  model.begin(run.speeches);
  const build = join(root, 'build');
  renameSync(parked, build);
  const world = new World(join(root, 'world'), build, model);
  world.configure(run.configuration ?? {});
  let problem: string | undefined;
  try {
    await run.play(world);
  } catch (error) {
    problem = error instanceof Error ? error.message : String(error);
  } finally {
    await world.close();
    renameSync(build, parked);
  }
  const problems = [...(problem === undefined ? [] : [problem]), ...model.problems()];
  const records = normalise(world.records(), { from, to: Date.now() });
  return { records, problem: problems.length === 0 ? undefined : problems.join('\n') };
}

/** A run that left nothing to compare is no proof. */
function problemIn(run: Run, [old, fresh]: Sides): string | undefined {
  const difference = firstDifference(old, fresh);
  if (difference !== undefined) return `${difference.kind} ${difference.name}\n${difference.diff}`;
  const expected = run.expects ?? ['request', 'file'];
  const empty = expected.filter((kind) => !old.some((record) => record.kind === kind && isProof(record)));
  return empty.length === 0 ? undefined : `Nothing to compare of the kinds: ${empty.join(', ')}.`;
}

/** Shows that the program did something: other files are there before it starts. */
function isProof({ kind, name, text }: RunRecord): boolean {
  return text.trim() !== '' && (kind !== 'file' || name.includes('rollout-'));
}

function keepRecords(folder: string, records: readonly RunRecord[]): void {
  removeFolder(folder);
  mkdirSync(folder, { recursive: true });
  for (const [index, { kind, name, text }] of records.entries()) {
    const fileName = `${String(index + 1).padStart(3, '0')} ${kind} ${name}`.replaceAll(/[^\w. -]+/g, '_');
    writeFileSync(join(folder, fileName.slice(0, 200)), text);
  }
}

function countsOf(records: readonly RunRecord[]): Counts {
  const of = (...kinds: readonly RunRecord['kind'][]): readonly RunRecord[] =>
    records.filter(({ kind }) => kinds.includes(kind));
  const lines = (some: readonly RunRecord[]): number =>
    some.reduce((count, { text }) => count + text.split('\n').filter((line) => line !== '').length, 0);
  return {
    requests: of('request').length,
    lines: lines(of('file', 'output')),
    events: lines(of('event')),
    screens: of('screen').length,
  };
}

function sum(one: Counts, other: Counts): Counts {
  return {
    requests: one.requests + other.requests,
    lines: one.lines + other.lines,
    events: one.events + other.events,
    screens: one.screens + other.screens,
  };
}

function inWords({ requests, lines, events, screens }: Counts): string {
  return `${requests} requests, ${lines} lines, ${events} events, ${screens} screens`;
}
