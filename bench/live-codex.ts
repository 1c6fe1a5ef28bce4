import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { stringAt, objectAt } from '../src/protocol/json.ts';
import { Place } from '../test/harness/run-capstan.ts';
import { AppServer } from '../test/oracles/app-server.ts';

/** Memory of threads that are loaded and idle, and the time to load one. */
export interface LoadedFigures {
  /** KB for each thread after the first, of all processes of the program. */
  readonly residentKb: number;
  readonly loadMs: number;
}

/** The memory of a program that did something a moment ago is not what it needs. */
const restMs = 1500;

/** The released Codex, by its app-server: threads with one turn each, then the same in a new process, resumed. */
export async function measureCodex(url: string, count: number): Promise<LoadedFigures> {
  const place = new Place(url);
  try {
    return await measureIn(place, count);
  } finally {
    rmSync(place.root, { recursive: true, force: true });
  }
}

async function measureIn(place: Place, count: number): Promise<LoadedFigures> {
  const first = await AppServer.start(place);
  const ids: string[] = [];
  let [one, all] = [0, 0];
  try {
    while (ids.length < count) {
      ids.push(await threadWithTurn(first, place.workspace));
      if (ids.length === 1) one = await residentKb(first.pid);
    }
    all = await residentKb(first.pid);
  } finally {
    await first.close();
  }
  const second = await AppServer.start(place);
  try {
    const times: number[] = [];
    for (const threadId of ids) {
      const began = performance.now();
      await second.call('thread/resume', { threadId });
      times.push(performance.now() - began);
    }
    return { residentKb: (all - one) / (count - 1), loadMs: middle(times) };
  } finally {
    await second.close();
  }
}

async function threadWithTurn(server: AppServer, cwd: string): Promise<string> {
  const started = await server.call('thread/start', { cwd, approvalPolicy: 'never', sandbox: 'read-only' });
  const threadId = stringAt(objectAt(started, 'thread'), 'id') ?? '';
  const done = server.told((method, params) => method === 'turn/completed' && params['threadId'] === threadId);
  await server.call('turn/start', { threadId, input: [{ type: 'text', text: 'hello' }] });
  await done;
  return threadId;
}

/** Memory of a process and those that it started: the command of Codex starts another program. */
async function residentKb(pid: number): Promise<number> {
  await wait(restMs);
  return family(pid).reduce((sum, each) => sum + residentOf(each), 0);
}

function family(pid: number): readonly number[] {
  const parents = readdirSync('/proc').flatMap((name) => {
    const parent = /^\d+$/.test(name) ? parentOf(name) : undefined;
    return parent === undefined ? [] : [[Number(name), parent] as const];
  });
  const below = (of: number): readonly number[] =>
    parents.flatMap(([child, parent]) => (parent === of ? [child, ...below(child)] : []));
  return [pid, ...below(pid)];
}

/** Undefined: it has ended meanwhile. */
function parentOf(pid: string): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}

/** Nothing of a process that has ended meanwhile. */
function residentOf(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

export function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
