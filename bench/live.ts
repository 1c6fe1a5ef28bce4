import { fork } from 'node:child_process';
import { createServer } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LiveThread, Engine, liveThreads, words } from '../src/index.ts';
import { type LoadedFigures, measureCodex, middle } from './live-codex.ts';
import { eventStreamParser } from '../src/adapters/model/http/answer-decoder.ts';

// Measures live threads: memory of one that is loaded and idle and the time to load one, beside the app-server of
// Codex, and the rate at which a follower gets previews beside a bare parse of the same stream.
// `node --expose-gc bench/live.ts [THREADS]`

const [deltas, rounds] = [100_000, 5];
const loaded = Number(process.argv[2] ?? 100) || 100;

if (process.argv[2] === 'serve') serve();
else await measure();

/** Answers each request: with many deltas if the user asks for them, else with one message. */
function serve(): void {
  const long = Buffer.from(answerOf(deltas));
  const short = Buffer.from(answerOf(1));
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(body.includes('many deltas') ? long : short);
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as { port: number }).port));
}

function answerOf(count: number): string {
  const event = (type: string, more: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
  const id = 'msg_1';
  const text = Array.from({ length: count }, (_, index) => `word ${index} `);
  const item = { type: 'message', id, role: 'assistant', content: [{ type: 'output_text', text: text.join('') }] };
  const about = { item_id: id, output_index: 0, content_index: 0 };
  const usage = { input_tokens: 100, output_tokens: count, total_tokens: 100 + count };
  return [
    event('response.created', { response: { id: 'resp_1' } }),
    event('response.output_item.added', { output_index: 0, item: { ...item, content: [] } }),
    ...text.map((delta) => event('response.output_text.delta', { ...about, delta })),
    event('response.output_item.done', { output_index: 0, item }),
    event('response.completed', { response: { id: 'resp_1', usage } }),
  ].join('');
}

async function measure(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'capstan-live-bench-'));
  const server = fork(import.meta.filename, ['serve'], { execArgv: [] });
  const port = await new Promise<number>((resolve) => server.once('message', (message) => resolve(Number(message))));
  const url = `http://127.0.0.1:${port}`;
  const engine = await Engine.load({
    env: { ...process.env, CAPSTAN_HOME: home },
    osHome: home,
    cwd: home,
    client: { name: 'bench', version: '0', source: 'cli' },
    config: ['model="gpt-5.5"', 'model_provider="bench"', `model_providers.bench.base_url="${url}"`],
  });
  if (engine.kind === 'refused') throw new Error(engine.outcome.message);
  const threads = liveThreads(engine);
  const start = async (): Promise<LiveThread> => {
    const thread = await threads.start({ cwd: home });
    if (thread.kind === 'refused') throw new Error(thread.outcome.message);
    return thread;
  };
  try {
    await measureMemory(start);
    await measureLoading(engine, await measureCodex(url, loaded));
    await measureRate(start, url);
  } finally {
    await threads.close();
    server.kill();
    rmSync(home, { recursive: true, force: true });
  }
}

/** By what is on the disk: those that were made before, given up and loaded again one after the other. */
async function measureLoading(engine: Engine, codex: LoadedFigures): Promise<void> {
  const threads = liveThreads(engine);
  const ids = threads.loaded.map(({ id }) => id);
  const times: number[] = [];
  for (const id of ids) {
    await engine.thread(id)?.close();
    const began = performance.now();
    await threads.load(id);
    times.push(performance.now() - began);
  }
  console.log(`the same of Codex, all its processes   ${codex.residentKb.toFixed(0)} KB resident`);
  console.log(
    `time to load a thread with one turn   ${middle(times).toFixed(1)} ms, Codex ${codex.loadMs.toFixed(1)} ms`,
  );
}

async function measureMemory(start: () => Promise<LiveThread>): Promise<void> {
  const turn = async (): Promise<LiveThread> => {
    const thread = await start();
    await thread.submit({ input: words('hello') });
    return thread;
  };
  const kept = [await turn()];
  const first = memory();
  while (kept.length < loaded) kept.push(await turn());
  const all = memory();
  const each = (name: 'heap' | 'resident'): number => (all[name] - first[name]) / (loaded - 1) / 1024;
  console.log(
    `idle loaded thread, above the first   ${each('heap').toFixed(0)} KB of heap, ${each('resident').toFixed(0)} KB resident`,
  );
}

function memory(): { readonly heap: number; readonly resident: number } {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heap: heapUsed + external, resident: rss };
}

async function measureRate(start: () => Promise<LiveThread>, url: string): Promise<void> {
  const [bare, followed, most]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < rounds; round++) {
    bare.push(await parseBare(url));
    const thread = await start();
    const { rate, peak } = await followDeltas(thread);
    followed.push(rate);
    most.push(peak);
  }
  const [plain, live] = [middle(bare), middle(followed)];
  console.log(`bare parse of the stream              ${Math.round(plain)} deltas per second`);
  console.log(
    `to a follower                         ${Math.round(live)} deltas per second (${(live / plain).toFixed(2)})`,
  );
  console.log(`heap while it follows, at most        ${(Math.max(...most) / 2 ** 20).toFixed(0)} MB above the start`);
}

async function parseBare(url: string): Promise<number> {
  const began = performance.now();
  const response = await fetch(url, { method: 'POST', body: 'many deltas' });
  const parser = eventStreamParser({ mostEventBytes: Number.POSITIVE_INFINITY });
  let seen = 0;
  for await (const chunk of response.body!) {
    for (const data of parser.push(chunk)) {
      const event = JSON.parse(data.toString()) as { type: string };
      if (event.type === 'response.output_text.delta') seen++;
    }
  }
  if (seen !== deltas) throw new Error(`${seen} deltas`);
  return deltas / ((performance.now() - began) / 1000);
}

async function followDeltas(thread: LiveThread): Promise<{ readonly rate: number; readonly peak: number }> {
  const before = process.memoryUsage().heapUsed;
  let [text, peak] = ['', 0];
  const following = (async () => {
    for await (const news of thread.follow()) {
      if (news.kind === 'preview' && news.event.kind === 'text') text += news.event.text;
      if (news.kind === 'recorded' && news.event.kind === 'turn-completed') return;
    }
  })();
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().heapUsed - before)), 5);
  const began = performance.now();
  const turn = await thread.submit({ input: words('many deltas') });
  await following;
  const rate = deltas / ((performance.now() - began) / 1000);
  clearInterval(watch);
  if (turn.kind !== 'completed' || turn.lastMessage !== text) throw new Error('pieces are lost');
  return { rate, peak };
}
