import { join } from 'node:path';
import { arrayAt, isJsonObject, type JsonObject, stringAt } from '../src/protocol/json.ts';
import type { Contender, Setting } from './contenders/contender.ts';
import type { ModelProcess } from './model/model-process.ts';
import type { Piece } from './model/piece.ts';
import { Place } from './process/place.ts';
import { type MeasuredTurn, runTurn } from './process/run-turn.ts';
import { differences } from './report/statistics.ts';
import type { SampleBook } from './sample-book.ts';
import type { Scenario } from './scenarios.ts';

export interface Bench {
  readonly model: ModelProcess;
  /** A folder for places and recorded bodies. */
  readonly folder: string;
  readonly effort: 'full' | 'quick';
  readonly book: SampleBook;
  /** Gets a sentence for each contender that could not be measured. */
  readonly missing: string[];
  readonly say: (line: string) => void;
}

interface Entrant {
  readonly scenario: Scenario;
  readonly contender: Contender;
  readonly setting: Setting;
}

/**
 * Every contender once without measuring, then every contender in turn, again and again. Scenarios whose numbers are
 * compared with each other are given together, so that they share the good and the bad moments of the machine.
 */
export async function runScenarios(scenarios: readonly Scenario[], bench: Bench): Promise<void> {
  let entrants: readonly Entrant[] = [];
  for (const scenario of scenarios) {
    for (const contender of scenario.contenders) {
      const entrant = await attempt(scenario, contender, bench, () => enter(scenario, contender, bench));
      if (entrant !== undefined) entrants = [...entrants, entrant];
    }
  }
  // The runs of one contender stand side by side: a difference between them is then one of the scenarios.
  const order = [...new Set(entrants.map(({ contender }) => contender))];
  entrants = entrants.toSorted((a, b) => order.indexOf(a.contender) - order.indexOf(b.contender));
  const rounds = Math.max(...scenarios.map(({ repetitions }) => repetitions[bench.effort]));
  const title = scenarios.map((scenario) => scenario.title).join(', ');
  for (let round = 1; round <= rounds; round++) {
    bench.say(`${title}: ${round} of ${rounds}`);
    for (const entrant of entrants) {
      const { scenario, contender } = entrant;
      const turn = await attempt(scenario, contender, bench, () => runEntrant(entrant, bench));
      if (turn === undefined) entrants = entrants.filter((other) => other !== entrant);
      else record(scenario, contender, turn, bench.book);
    }
  }
}

async function runEntrant({ scenario, contender, setting }: Entrant, bench: Bench): Promise<MeasuredTurn> {
  const calls = scenario.calls[bench.effort];
  setting.place.restore();
  return checked(contender, calls, await runTurn(contender.turn(setting), stage(contender, { calls }, bench, setting)));
}

/** Prepares the place of a contender and lets it run once, so that caches and indexes are there. */
async function enter(scenario: Scenario, contender: Contender, bench: Bench): Promise<Entrant> {
  const place = new Place(join(bench.folder, scenario.id, contender.id));
  const firstBody = join(bench.folder, scenario.id, 'first-body.json');
  const exchanges = scenario.history?.();
  const thread = { id: '019b8d00-1111-7000-8000-000000000001', cwd: place.workspace, provider: 'scripted' };
  const setting: Setting = {
    place,
    modelUrl: bench.model.url,
    firstBody,
    ...(exchanges === undefined ? {} : { history: { thread, exchanges } }),
  };
  await contender.prepare(setting);
  const calls = Math.min(scenario.calls[bench.effort], 2);
  const piece = contender.id === 'capstan' ? { calls, keepFirstBody: firstBody } : { calls };
  checked(contender, calls, await runTurn(contender.turn(setting), stage(contender, piece, bench, setting)));
  place.snapshot();
  return { scenario, contender, setting };
}

function stage(
  { call }: Contender,
  piece: Pick<Piece, 'calls' | 'keepFirstBody'>,
  { model }: Bench,
  { place }: Setting,
) {
  return { model, piece: { ...call, ...piece }, logs: place.root };
}

/** Fast because nothing was done is not fast: the commands of the turn must have run. */
function checked(contender: Contender, calls: number, turn: MeasuredTurn): MeasuredTurn {
  const body = JSON.parse(turn.lastBody) as JsonObject;
  const outputs = (arrayAt(body, 'input') ?? []).flatMap((item) =>
    isJsonObject(item) && item['type'] === 'function_call_output' ? [stringAt(item, 'output') ?? ''] : [],
  );
  const last = calls === 0 ? [] : outputs.slice(-calls);
  const bad = last.find((output) => !contender.succeeded(output));
  if (bad !== undefined) throw new Error(`a command did not succeed: ${bad.slice(0, 500)}`);
  if (last.length !== calls) throw new Error(`${calls} commands were asked for, ${last.length} ran.`);
  return turn;
}

function record({ marks }: Scenario, { id }: Contender, turn: MeasuredTurn, book: SampleBook): void {
  const { arrivals, startedAt, usage } = turn;
  const times = arrivals.map(({ at }) => at);
  book.add(marks.firstArrival, id, [(times[0] ?? 0) - startedAt]);
  book.add(marks.firstBytes, id, [(arrivals[0]?.bytes ?? 0) / 1000]);
  book.add(marks.roundTrip, id, differences(times));
  book.add(marks.peakMemory, id, [usage.peakBytes / 1e6]);
  book.add(marks.cpu, id, [usage.cpuSeconds]);
}

/** A contender that fails is reported and left out; the others go on. */
async function attempt<Result>(
  scenario: Scenario,
  contender: Contender,
  { book, missing, say }: Bench,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    const reason = `${contender.name}, ${scenario.title}: ${(error as Error).message.trim()}`;
    say(reason);
    missing.push(reason.split('\n')[0] ?? reason);
    for (const mark of Object.values(scenario.marks)) book.remove(mark, contender.id);
    return undefined;
  }
}
