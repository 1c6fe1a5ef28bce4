import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { Line } from '../../src/protocol/line.ts';
import { readUsage } from '../../src/core/state/drafts/usage-and-failure-fields.ts';
import { reduce } from '../../src/core/state/reduce.ts';
import { emptyThreadState, type ThreadState } from '../../src/core/state/thread-state.ts';
import {
  answer,
  callTool,
  type ItemDraft,
  type RecordedRequest,
  say,
  type ScriptStep,
} from '../../src/testing/index.ts';
import { builtProgram } from '../harness/built-program.ts';
import { variablesWithCompiled } from '../harness/compiled-once.ts';
import type { Place } from '../harness/run-capstan.ts';
import { Random } from '../harness/random.ts';
import { scene } from '../harness/scene.ts';
import { testSeed } from '../harness/seed.ts';

const script = new URL('agents-writer.ts', import.meta.url).pathname;
const library = builtProgram({ built: 'dist/index.js', source: 'src/index.ts' });
/** The usage of one request. */
const cost = { input: 9000, output: 100 };
const names = ['a', 'b', 'c', 'd', 'e'];

/** Says what comes next by what stands in the request: a process that dies leaves no other memory. */
function model(file: string) {
  let calls = 0;
  const mark = (): ItemDraft => callTool('exec_command', { cmd: `echo ${++calls} >> ${file}` });
  return ({ body }: RecordedRequest): ScriptStep => {
    const items = body['input'] as unknown as readonly JsonObject[];
    const said = JSON.stringify(items);
    const asked = items.map(({ role, content }) =>
      role === 'user' ? String((content as readonly JsonObject[])[0]?.['text'] ?? '') : '',
    );
    const isAgent = asked.some((text) => text.startsWith('TASK '));
    const last = asked.findLastIndex((text) => /^(Turn|TASK) /.test(text));
    const since = items.slice(last + 1).filter(({ type }) => type === 'function_call');
    const usage = { ...cost, cachedInput: 0, cacheWriteInput: 0, reasoningOutput: 0 };
    if (isAgent) {
      const step = since.length < 2 ? mark() : say('The work is done.');
      return answer({ items: [step], usage, firstByteDelayMs: 20 });
    }
    const known = new Set([...said.matchAll(/\/root\/([a-e])\b/g)].map(([, name]) => name));
    const give = (name: string): ItemDraft =>
      known.has(name)
        ? callTool('send_input', { target: name, message: 'TASK again' })
        : callTool('spawn_agent', { message: 'TASK first', name });
    if (since.length === 0) return answer({ items: [...names.map(give), mark()], usage });
    if (since.length < 8) return answer({ items: [callTool('wait_agent', { until: 'all' })], usage });
    return answer({ items: [say('Done.')], usage });
  };
}

/** A moment in the work of a process: so long after its thread was opened, or after it has sent so many requests. */
interface Moment {
  readonly requests: number;
  readonly ms: number;
}

/** Most are in the middle of the work of several agents, some before its begin: 18 requests are about one turn. */
function randomMoment(random: Random): Moment {
  return { requests: random.happens(0.1) ? 0 : random.below(40), ms: random.below(80) };
}

interface Asked {
  /** Told when so many more requests have come. */
  after(requests: number): Promise<void>;
}

async function run(place: Place, id: string | undefined, killed?: Moment & Asked): Promise<string> {
  const words = [script, library, place.home, place.workspace, id ?? 'new', ...(killed === undefined ? ['1'] : [])];
  const child = spawn(process.execPath, words, { env: variablesWithCompiled(), stdio: ['ignore', 'pipe', 'pipe'] });
  let [output, errors] = ['', ''];
  const speaks = Promise.withResolvers<void>();
  child.stdout.on('data', (data) => {
    output += String(data);
    speaks.resolve();
  });
  child.stderr.on('data', (data) => (errors += String(data)));
  const closed = once(child, 'close');
  await Promise.race([speaks.promise, closed]);
  if (killed !== undefined) {
    await Promise.race([killed.after(killed.requests), closed]);
    setTimeout(() => child.kill('SIGKILL'), killed.ms);
  }
  await closed;
  if (errors !== '') throw new Error(errors);
  return output;
}

function fold(path: string): { readonly state: ThreadState; readonly lines: readonly Line[] } {
  const texts = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  const lines = texts.map((text) => JSON.parse(text) as Line);
  return { state: lines.reduce(reduce, emptyThreadState), lines };
}

function tree(place: Place, id: string) {
  const files = place.rollouts().filter((path) => readFileSync(path, 'utf8').includes('\n'));
  const root = files.find((path) => path.includes(id));
  const agents = files.filter((path) => path !== root).map((path) => ({ path, ...fold(path) }));
  return { root: root === undefined ? undefined : fold(root), agents };
}

/** Checks the rules that hold whenever a process may have died. */
function checkTree(place: Place, id: string): void {
  const { root, agents } = tree(place, id);
  if (root === undefined) return;
  const known = root.state.agents.map((agent) => String(agent.id));
  expect(known.length).toBe(new Set(known).size);
  for (const { state } of agents) {
    // The line that starts an agent stands before the agent exists.
    expect(known).toContain(state.meta['id']);
    expect(state.meta['parent_thread_id']).toBe(id);
  }
  for (const agent of known) {
    const given = root.lines.filter(({ type, payload }) => type === 'capstan_agent' && payload['id'] === agent).length;
    expect(reportsOf(root.lines, agent)).toBeLessThanOrEqual(given);
  }
}

function reportsOf(lines: readonly Line[], agent: string): number {
  const about = (payload: JsonObject): unknown => (payload['report'] as JsonObject | undefined)?.['agentId'];
  return lines.filter(({ type, payload }) => type === 'capstan_waiting' && about(payload) === agent).length;
}

async function killed(kills: number, limit: number) {
  const { model: server, place } = await scene([], `[features]\nmulti_agent = true\n[agents]\nmax_tokens = ${limit}\n`);
  const file = join(place.workspace, 'calls');
  writeFileSync(
    join(place.home, 'config.toml'),
    readFileSync(join(place.home, 'config.toml'), 'utf8').replace('workspace-write', 'danger-full-access'),
  );
  const says = model(file);
  let [requests, wanted, reached] = [0, Infinity, () => {}];
  for (let request = 0; request < 20_000; request++) {
    server.push((asked) => {
      requests += 1;
      if (requests >= wanted) reached();
      return says(asked);
    });
  }
  const after = (more: number): Promise<void> =>
    new Promise((resolve) => {
      [wanted, reached] = [requests + more, resolve];
      if (more === 0) resolve();
    });
  const random = new Random(testSeed);
  let id: string | undefined;
  for (let kill = 0; kill < kills; kill++) {
    const output = await run(place, id, { ...randomMoment(random), after });
    // A thread without a turn has no file.
    const known = output.split('\n')[0];
    if (id === undefined && place.rollouts().length > 0) id = known;
    if (id !== undefined) checkTree(place, id);
  }
  await run(place, id);
  const { root, agents } = tree(place, id!);
  checkTree(place, id!);
  return { root: root!, agents, file };
}

it(`a parent with five agents, killed at 50 random moments (seed ${testSeed}), resumes to a consistent tree and repeats no call`, async () => {
  const { root, agents, file } = await killed(50, 100_000_000);
  expect(root.state.agents.map(({ state }) => state)).toEqual(root.state.agents.map(() => 'idle'));
  for (const { id, used } of root.state.agents) {
    const own = agents.find(({ state }) => state.meta['id'] === id);
    expect(used.total).toBe(own?.state.usage.total.total ?? 0);
    const notes = root.lines.filter(({ type, payload }) => type === 'capstan_agent' && payload['id'] === id);
    expect(reportsOf(root.lines, id)).toBe(notes.length);
  }
  // Each call writes a number of its own.
  const marks = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  expect(marks.length).toBeGreaterThan(50);
  expect(new Set(marks).size).toBe(marks.length);
}, 900_000);

it(`the budget of tokens holds over kills (seed ${testSeed})`, async () => {
  const limit = 200_000;
  const { agents } = await killed(12, limit);
  const spent = agents.map(({ lines }) => ownTokens(lines));
  const all = spent.reduce((sum, tokens) => sum + tokens, 0);
  // Requests that were under way when the limit was reached may exceed it.
  expect(all).toBeLessThanOrEqual(limit + names.length * (cost.input + cost.output));
  expect(all).toBeGreaterThan(limit / 2);
}, 600_000);

function ownTokens(lines: readonly Line[]): number {
  const counts = lines.flatMap(({ payload }) => (payload['type'] === 'token_count' ? [payload['info']] : []));
  const newest = counts.findLast((info) => info !== undefined && info !== null) as JsonObject | undefined;
  return readUsage(newest?.['total_token_usage']).total;
}
