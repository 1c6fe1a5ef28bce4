// npm run bench: Capstan beside its peers and beside the least that is possible, in one run.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readMachine } from './machine.ts';
import { ModelProcess } from './model/model-process.ts';
import { type BenchOptions, parseOptions, usage } from './options.ts';
import { installPeers, peerVersion } from './peers.ts';
import { evaluateGoals } from './report/goals.ts';
import { resultsPage, type Report } from './report/results-page.ts';
import { summarise, type Samples } from './report/summary.ts';
import { goalTable, plainTable, summaryTable } from './report/table.ts';
import { type Bench, runScenarios } from './run-scenarios.ts';
import { runSandbox, sandboxRepetitions } from './run-sandbox.ts';
import { runSteps, stepRepetitions } from './run-steps.ts';
import { runTerminal, terminalRepetitions } from './run-terminal.ts';
import { runVersion, versionRepetitions } from './run-version.ts';
import { SampleBook } from './sample-book.ts';
import { isNeeded, neededMarks, scenarioGroups } from './scenarios.ts';

const root = join(import.meta.dirname, '..');
const say = (line: string): void => console.error(line);

const options = parseOptions(process.argv.slice(2));
if (typeof options === 'string') {
  say(`${options}\n\n${usage}`);
  process.exit(2);
}
if (process.platform !== 'linux') {
  say('The bench reads /proc and runs on Linux only.');
  process.exit(1);
}
installPeers(say);
const machine = readMachine(new Date());
if (machine.isBusy) say(`The machine is busy (load ${machine.load.toFixed(2)}): times will be too long.`);

const { samples, missing } = await measure(options);
const summary = summarise(samples);
const goals = evaluateGoals(summary);
const report: Report = {
  machine,
  versions: {
    Capstan: versionIn(join(root, 'package.json')),
    Codex: peerVersion('@openai/codex'),
    pi: peerVersion('@earendil-works/pi-coding-agent'),
    Node: process.versions.node,
  },
  effort: options.effort,
  repetitions: repetitions(options),
  summary,
  goals,
  missing,
};
console.log(`${plainTable(summaryTable(summary))}\n${plainTable(goalTable(goals))}`);
for (const line of missing) console.log(`Not measured: ${line}`);
if (options.only.length === 0) writeFileSync(join(import.meta.dirname, 'RESULTS.md'), resultsPage(report));
if (options.json !== undefined) writeFileSync(options.json, toJson(report, samples));
const missed = goals.filter(({ verdict }) => verdict === 'not met');
if (missed.length > 0) {
  say(`Not met: ${missed.map(({ text }) => text).join('; ')}.`);
  process.exitCode = 1;
}

async function measure({ effort, only }: BenchOptions): Promise<{ samples: Samples; missing: readonly string[] }> {
  const folder = join(root, '.local/bench');
  mkdirSync(folder, { recursive: true });
  const model = await ModelProcess.start();
  const bench: Bench = { model, folder, effort, book: new SampleBook(), missing: [], say };
  try {
    for (const group of scenarioGroups) {
      const needed = group.filter((scenario) => isNeeded(scenario, only));
      if (needed.length > 0) await runScenarios(needed, bench);
    }
    runSteps(bench, only);
    await runSandbox(bench, only);
    await runTerminal(bench, only);
    if (only.length === 0 || only.includes('version')) await runVersion(bench);
  } finally {
    model.close();
  }
  const wanted = (mark: string): boolean => only.length === 0 || neededMarks(only).some((needed) => needed === mark);
  return {
    samples: new Map([...bench.book.samples].filter(([mark]) => wanted(mark))),
    missing: bench.missing,
  };
}

function repetitions({ effort }: BenchOptions): string {
  const turns = scenarioGroups.flat().map((scenario) => {
    const calls = scenario.calls[effort];
    return `${scenario.repetitions[effort]} × ${scenario.title}${calls === 0 ? '' : ` (${calls} calls)`}`;
  });
  const steps = `${stepRepetitions[effort]} × context of a step`;
  const commands = `${sandboxRepetitions[effort]} × a sandboxed command`;
  const screens = `${terminalRepetitions[effort]} × a conversation on a terminal`;
  return `${[...turns, steps, commands, screens, `${versionRepetitions[effort]} × \`--version\``].join(', ')}.`;
}

function versionIn(file: string): string {
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version;
}

function toJson({ summary, ...report }: Report, samples: Samples): string {
  const plain = { ...report, summary: Object.fromEntries(summary), samples: nested(samples) };
  return `${JSON.stringify(plain, undefined, 2)}\n`;
}

function nested(samples: Samples): Readonly<Record<string, Readonly<Record<string, readonly number[]>>>> {
  return Object.fromEntries([...samples].map(([mark, rows]) => [mark, Object.fromEntries(rows)]));
}
