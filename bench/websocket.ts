import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { Engine, words } from '../src/index.ts';
import { answer, callTool, say, startScriptedModel } from '../src/testing/index.ts';
import type { ThreadId } from '../src/protocol/ids.ts';
import { exchangesOf } from './history/exchange.ts';
import { rolloutName, rolloutText } from './history/rollout.ts';
import { startPacedRelay } from './model/paced-relay.ts';
import { Place } from './process/place.ts';
import { distribution } from './report/statistics.ts';

// Times a tool round trip over a slow link, over HTTP and over a WebSocket: `node bench/websocket.ts [ROUNDS]`.

const rounds = Number(process.argv[2] ?? 5);
const calls = 8;
const historyBytes = 1_000_000;
const bitsPerSecond = 10_000_000;
const thread = { id: '019b8d00-1111-7000-8000-000000000001', cwd: '/workspace', provider: 'scripted' };
const ways = ['http', 'websocket, plain', 'websocket'] as const;

type Way = (typeof ways)[number];
interface Trip {
  readonly milliseconds: number;
  readonly bytes: number;
}

const trips = new Map<Way, Trip[]>(ways.map((way) => [way, []]));
for (let round = 0; round < rounds; round++) {
  for (const way of ways) trips.get(way)!.push(...(await measure(way)));
}
console.log(`A tool round trip at ${historyBytes / 1e6} MB of history over ${bitsPerSecond / 1e6} Mbit/s:`);
const medians = ways.map((way) => {
  const time = distribution(trips.get(way)!.map(({ milliseconds }) => milliseconds));
  const { median: bytes } = distribution(trips.get(way)!.map((trip) => trip.bytes));
  const range = `${time.p10.toFixed(1)} – ${time.p90.toFixed(1)}`;
  console.log(`${way.padEnd(18)}${time.median.toFixed(1).padStart(8)} ms (${range}), ${bytes.toFixed(0)} bytes sent`);
  return time.median;
});
const ratio = medians.at(-1)! / medians[0]!;
console.log(
  `A WebSocket costs ${ratio.toFixed(3)} of HTTP. The goal is at most 0.5: ${ratio <= 0.5 ? 'met' : 'missed'}.`,
);
process.exitCode = ratio <= 0.5 ? 0 : 1;

/** One turn of some calls in a thread of that size. The first request, which is whole in any case, is not counted. */
async function measure(way: Way): Promise<readonly Trip[]> {
  const marks: { readonly at: number; readonly bytes: number }[] = [];
  const model = await startScriptedModel(
    () => {
      marks.push({ at: performance.now(), bytes: relay.upBytes });
      if (marks.length > calls) return answer({ items: [say('Done.')] });
      return answer({ items: [callTool('note', { word: `word ${marks.length}` })] });
    },
    { deflates: way === 'websocket' },
  );
  const { port, pathname } = new URL(model.url);
  const relay = await startPacedRelay(Number(port), bitsPerSecond);
  const place = new Place(join(tmpdir(), `capstan-websocket-${process.pid}`));
  try {
    place.write(rolloutName(thread), rolloutText({ ...thread, cwd: place.workspace }, exchangesOf(historyBytes)));
    place.write('config.toml', config(`http://127.0.0.1:${relay.port}${pathname}`, way));
    await runTurn(place);
  } finally {
    relay.close();
    await model.close();
    rmSync(place.root, { recursive: true, force: true, maxRetries: 50 });
  }
  return marks.slice(1).map(({ at, bytes }, index) => {
    const before = marks[index]!;
    return { milliseconds: at - before.at, bytes: bytes - before.bytes };
  });
}

async function runTurn(place: Place): Promise<void> {
  const engine = await Engine.load({
    env: { PATH: process.env['PATH'], CAPSTAN_HOME: place.home },
    osHome: place.osHome,
    cwd: place.workspace,
    client: { name: 'bench', version: '0', source: 'exec' },
    config: [],
    systemFolders: [],
  });
  if (engine.kind === 'refused') throw new Error(engine.outcome.message);
  const note = {
    name: 'note',
    description: 'Takes a note.',
    parameters: { type: 'object', properties: { word: { type: 'string' } } },
    run: () => 'Noted.',
  };
  const opened = await engine.resume(thread.id as ThreadId, { tools: [note] });
  if (opened.kind === 'refused') throw new Error(opened.outcome.message);
  const result = await opened.thread.run({ input: words('Take notes.'), signal: new AbortController().signal });
  await opened.thread.close();
  if (result.kind !== 'completed') throw new Error(JSON.stringify(result));
}

function config(baseUrl: string, way: Way): string {
  return `model = "vast"
model_provider = "scripted"
model_context_window = 100000000
approval_policy = "never"

[model_providers.scripted]
name = "scripted"
base_url = "${baseUrl}"
supports_websockets = ${way !== 'http'}
`;
}
