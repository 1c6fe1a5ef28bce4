import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { words } from '../../src/index.ts';
import type { ThreadId } from '../../src/protocol/ids.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { isSuspended } from '../../src/core/state/questions/pending-questions.ts';
import { reduce } from '../../src/core/state/reduce.ts';
import { emptyThreadState } from '../../src/core/state/thread-state.ts';
import {
  answer,
  callTool,
  type ItemDraft,
  type RecordedRequest,
  say,
  type ScriptStep,
  startScriptedModel,
} from '../../src/testing/index.ts';
import { checkpointText, isCompaction, userTexts } from '../compaction/summariser.ts';
import { describeState } from '../harness/describe-state.ts';
import { checkCalls } from './calls-law.ts';
import { checkDown, type DownServers, downServers } from './down-servers-law.ts';
import { hookWords, PlanesScene } from './planes-scene.ts';
import { checkPrefixes, checkRebuilt } from './prefix-law.ts';
import { firstPlanes, type PlaneAction, type PlanesTurn } from './random-planes.ts';
import { checkTurns } from './turns-law.ts';
import { isWorldText, partsOf, readWorld } from './world-reader.ts';

/** Counts of what was met, so that an empty run is not taken for a good one. */
export interface PlanesSeen {
  /** Agents that were started. */
  readonly agents: number;
  /** Calls that reached a server. */
  readonly served: number;
  readonly kills: number;
  readonly checkpoints: number;
  readonly reviews: number;
  readonly hooked: number;
}

/**
 * Plays the turns of a thread with skills, a plugin, hooks, a memory, servers that come and go, and agents, and holds
 * the laws against it and its agents: refold, rebuild, prefix, told.
 */
export async function playPlanes(turns: readonly PlanesTurn[]): Promise<PlanesSeen> {
  const posted: RecordedRequest[] = [];
  const steps: (readonly PlaneAction[])[] = [];
  const counts = new Map<string, number>();
  const problems: unknown[] = [];
  let down: DownServers = new Map();
  let now: PlanesTurn | undefined;
  let [requests, kills, reviews] = [0, 0, 0];
  const model = await startScriptedModel((request) => {
    try {
      return answerTo(request);
    } catch (error) {
      problems.push(error);
      return answer({ items: [] });
    }
  });
  const scene = new PlanesScene(model.url, firstPlanes);
  const answerTo = (request: RecordedRequest): ScriptStep => {
    const id = String(request.headers['thread-id']);
    if (!scene.isKilled) posted.push(request);
    if (isCompaction(request)) {
      const texts = userTexts(request);
      return answer({ items: [say(checkpointText(texts.at(-2) ?? '', texts.slice(-4, -1)))] });
    }
    if (now !== undefined && requests++ === now.killedAt && now.killedAt !== undefined) {
      scene.kill();
      kills++;
    }
    const own = counts.get(id) ?? 0;
    counts.set(id, own + 1);
    if (id === scene.id) {
      const { configured, servers, isKilled } = scene;
      if (!isKilled) down = checkDown(down, request.body, { configured, starts: servers.starts });
      if (requests === 2 && now !== undefined) scene.change(now.meanwhile);
      const items = steps.shift();
      return answer({ items: items === undefined ? [say('Done.')] : items.map(itemOf) });
    }
    const action = now?.agentSteps[own];
    return answer({ items: [action === undefined ? say('The work is done.') : itemOf(action)] });
  };
  try {
    await scene.start();
    for (const turn of turns) {
      scene.change(turn.world);
      now = turn;
      requests = 0;
      steps.splice(0, steps.length, ...turn.steps);
      const thread = await scene.open();
      const end = await thread.run({ input: words(turn.words), signal });
      if (!scene.isKilled) expect(end.kind).toMatch(/^(completed|failed|aborted)$/);
      now = undefined;
      if (problems.length > 0) throw problems[0];
      if (scene.isKilled) await scene.close();
      else await afterTurn(scene, turn, () => (reviews += 1));
    }
    await checkTold(scene, posted, turns.length % 2 === 0);
    if (problems.length > 0) throw problems[0];
    await checkRefold(scene);
    await checkFiles(scene, posted, reviews);
    const told = (kind: string): number => scene.events.filter((event) => event.kind === kind).length;
    const agents = scene.threads().length - 1;
    const hooked = (await scene.lines(scene.id!)).filter(({ type }) => type === 'capstan_hook').length;
    return { agents, served: scene.servers.called, kills, checkpoints: told('checkpoint-installed'), reviews, hooked };
  } finally {
    await scene.end();
    await model.close();
  }
}

const signal = new AbortController().signal;

async function afterTurn(scene: PlanesScene, { afterwards }: PlanesTurn, reviewed: () => void): Promise<void> {
  const thread = scene.thread!;
  switch (afterwards) {
    case 'stays':
      return;
    case 'compacts':
      expect((await thread.compact({ signal })).kind).toMatch(/^(installed|failed)$/);
      return;
    case 'reviews': {
      const target = { kind: 'words', words: 'Look at the tests.' } as const;
      expect(await scene.engine.review({ target, parent: thread, signal })).toMatchObject({ kind: 'reviewed' });
      return reviewed();
    }
    case 'reopens':
      return checkRefold(scene);
  }
}

/** Law: the state that a process ends with is what its file gives. The process is over after it. */
async function checkRefold(scene: PlanesScene): Promise<void> {
  const { thread } = scene;
  if (thread === undefined) return;
  await scene.close();
  const lines = await scene.lines(thread.id);
  // A thread without a turn has no file.
  expect(describeState(lines.reduce(reduce, emptyThreadState))).toBe(describeState(thread.state));
}

/** Law: a reader of a request knows what is there, and a turn in which nothing changed adds no context. */
async function checkTold(scene: PlanesScene, posted: readonly RecordedRequest[], reopens: boolean): Promise<void> {
  const turn = async (): Promise<JsonObject> => {
    const thread = await scene.open();
    expect(await thread.run({ input: words('Go on.'), signal })).toMatchObject({ kind: 'completed' });
    while (thread.agents?.isRunning === true) await pause(5);
    await scene.listed();
    return posted.findLast(({ headers }) => headers['thread-id'] === scene.id)!.body;
  };
  // The newest configuration counts, servers that were down are asked again, and agents end.
  if (scene.thread !== undefined) await checkRefold(scene);
  await turn();
  // Answers of servers that were asked again reach the model in the turn after that.
  await turn();
  const before = await turn();
  if (reopens) await checkRefold(scene);
  const last = await turn();
  const texts = (body: JsonObject): readonly string[] =>
    partsOf(body['input'])
      .filter(isWorldText)
      .map(({ text }) => text);
  expect(texts(last), 'nothing changed, and something was told').toEqual(texts(before));
  const { skills, memory, instructions, mode, personality, hooks, plugin, servers } = scene.world;
  const told = readWorld(partsOf(last['input']));
  expect({
    skills: Object.keys(told.skills?.listed ?? {}).toSorted(),
    memory: told.memory,
    instructions: told.instructions?.text,
    isPlan: told.mode?.name === 'plan',
    personality: told.personality ?? null,
    session: told.session,
    plugins: told.plugins ?? false,
  }).toEqual({
    skills: [...skills, ...(plugin ? ['wool:felt'] : [])].toSorted(),
    memory,
    instructions,
    isPlan: mode === 'plan',
    personality,
    session: hooks ? hookWords : undefined,
    plugins: plugin,
  });
  expect(downServers(last), 'servers that the model knows as down').toEqual(
    servers.filter((name) => !scene.world[name as 'a' | 'b'].isUp).toSorted(),
  );
  const offered = new Set((last['tools'] as readonly JsonObject[]).map(({ name }) => String(name)));
  const announced = Object.keys(told.deferred ?? {});
  for (const name of servers) {
    if (!scene.world[name as 'a' | 'b'].isUp) continue;
    const missing = (scene.servers.listed.get(name) ?? []).filter(
      (tool) => !offered.has(`mcp__${name}__${tool}`) && !announced.includes(`mcp__${name}`),
    );
    expect(missing, `tools of ${name} that the model cannot know`).toEqual([]);
  }
  expect(announced.filter((name) => !servers.includes(name.slice('mcp__'.length)))).toEqual([]);
}

/** Laws about what is in the files of the thread and of its agents. The process is over. */
async function checkFiles(scene: PlanesScene, posted: readonly RecordedRequest[], reviews: number): Promise<void> {
  const kept = scene.threads();
  const root = (await scene.lines(scene.id!)).reduce(reduce, emptyThreadState);
  const known = root.agents.map((agent) => String(agent.id));
  for (const id of kept) {
    const lines = await scene.lines(id);
    const requests = { requests: posted.filter(({ headers }) => headers['thread-id'] === id) };
    await checkRebuilt(requests, lines);
    await checkPrefixes(requests, lines);
    checkCalls(lines);
    await checkTurns(lines);
    if (id !== scene.id) expect(known, 'an agent that its parent does not know').toContain(id);
  }
  for (const { id } of root.agents.filter(({ state }) => state === 'running')) {
    const agent = (await scene.lines(id)).reduce(reduce, emptyThreadState);
    expect(isSuspended(agent), 'an agent that neither works nor waits for the user').toBe(true);
  }
  const others = new Set(
    posted.map(({ headers }) => headers['thread-id'] as ThreadId).filter((id) => !kept.includes(id)),
  );
  expect(others.size, 'threads that sent requests and left no file').toBeLessThanOrEqual(reviews);
}

function itemOf(action: PlaneAction): ItemDraft {
  switch (action.kind) {
    case 'spawn':
      return callTool('spawn_agent', { message: 'Do it.', name: action.name, fork_context: action.fork });
    case 'send':
      return callTool('send_input', { target: action.name, message: 'More.', interrupt: action.interrupt });
    case 'wait':
      return callTool('wait_agent', { until: action.until });
    case 'close':
      return callTool('close_agent', { target: action.name });
    case 'list':
      return callTool('list_agents', {});
    case 'mcp': {
      const name = `mcp__${action.server}__${action.tool}`;
      const given = { what: 'it' };
      return action.by === 'name' ? callTool(name, given) : callTool('call_tool', { name, arguments: given });
    }
    case 'search':
      return callTool('tool_search', { query: action.query });
    case 'ask':
      return callTool('request_user_input', {
        questions: [
          {
            id: 'which',
            header: 'Which',
            question: 'Which one?',
            options: [
              { label: 'This', description: 'This one.' },
              { label: 'That', description: 'That one.' },
            ],
          },
        ],
      });
    case 'plan':
      return callTool('update_plan', { plan: [{ step: 'look', status: 'pending' }] });
    case 'remaining':
      return callTool('get_context_remaining', {});
    case 'say':
      return say(action.text);
  }
}
