import { homedir } from 'node:os';
import { expect, it } from 'vitest';
import { nodeDisk } from '../../src/adapters/disk/node-patch-disk.ts';
import { accessAt } from '../../src/core/policy/paths/access.ts';
import type { AskUser } from '../../src/ports/ask-user.ts';
import type { Answer, Question } from '../../src/protocol/question.ts';
import type { ThreadEvent } from '../../src/protocol/thread-event.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import type { SimulatedDisk } from '../../src/testing/simulated-disk.ts';
import type { PreparedCall, Tool } from '../../src/adapters/tools/tool.ts';
import { requestPermissionsTool } from '../../src/adapters/tools/request-permissions.ts';
import { memorySeals } from '../harness/memory-seals.ts';
import { needyScene } from '../harness/needy-scene.ts';
import { escalating, needy } from '../harness/needy-tools.ts';

// A real folder that commands cannot write, wherever the clone is.
const folder = homedir();
const signal = new AbortController().signal;
const done = answer({ items: [say('Done.')] });
const requests = answer({
  items: [callTool('request_permissions', { permissions: { file_system: { write: [folder] } } })],
});
const reaches = answer({ items: [callTool('reach', { cmd: 'a' })] });
const makes = answer({ items: [callTool('make', {})] });

/** A program that notes whether it may write the folder. */
function program(noted: string[]): Tool {
  const tool = needy('make', { needs: { effect: 'program', argv: ['make'], cwd: '/repo' } });
  return {
    ...tool,
    async prepare(call, step) {
      const prepared = (await tool.prepare(call, step)) as PreparedCall;
      return { ...prepared, run: (running) => (noted.push(accessAt(running.policy, folder)), prepared.run(running)) };
    },
  };
}

/** Answers all questions but the one about leaving the sandbox, until it may. */
function asker(given: Answer, { waits }: { waits: boolean }): AskUser & { asked: Question[] } {
  const asked: Question[] = [];
  const never = new Promise<Answer>(() => {});
  return {
    asked,
    ask: (question) => {
      asked.push(question);
      return waits && question.kind === 'command' ? never : Promise.resolve(given);
    },
  };
}

/** A turn that was granted permissions dies at this moment, and another process opens its thread. */
async function killedAt(moment: (event: ThreadEvent) => boolean, given: Answer = { kind: 'allowed' }) {
  const noted: string[] = [];
  const script = [requests, reaches, makes, done, makes, done];
  const tools = () => [requestPermissionsTool({ disk: nodeDisk() }), escalating(), program(noted)];
  const { live, disk, turn } = await needyScene(script, tools, asker(given, { waits: true }));
  live.settings = { approvals: 'on-request' };
  const survivor = await new Promise<SimulatedDisk>((resolve) => {
    live.onEvent = (event) => (moment(event) ? resolve(disk.kill()) : undefined);
    void turn('go').catch(() => {});
  });
  live.onEvent = () => {};
  live.replaceDisk({ home: '/home', files: survivor, locks: survivor.locks });
  const again = asker(given, { waits: false });
  live.adapt = ((adapt) => (parts) => ({ ...adapt(parts), askUser: again }))(live.adapt);
  return { live, turn, noted, again };
}

const whenReaching = (event: ThreadEvent): boolean =>
  event.kind === 'question-asked' && event.question.kind === 'command';

it('permissions that were granted for the turn hold when it is continued, and not in the next one', async () => {
  const { live, turn, noted, again } = await killedAt(whenReaching);
  expect(await (await live.open()).continue({ signal })).toMatchObject({ kind: 'completed' });
  expect(noted).toEqual(['write']);
  await turn('again');
  expect(noted).toEqual(['write', 'read']);
  expect(again.asked.map(({ kind }) => kind)).toEqual(['command']);
});

it('they do not hold under a policy that is narrower by now', async () => {
  const { live, noted } = await killedAt(whenReaching);
  live.world = { ...live.world, mode: 'read-only' };
  await (await live.open()).continue({ signal });
  expect(noted).toEqual(['read']);
});

it('they do not hold where nothing proves that this home wrote the answer', async () => {
  const { live, noted, turn } = await killedAt(whenReaching);
  live.adapt = ((adapt) => (parts) => ({ ...adapt(parts), seals: memorySeals('another home') }))(live.adapt);
  const thread = await live.open();
  expect([thread.state.openTurn?.grants, thread.isSuspended]).toEqual([undefined, false]);
  await turn('again');
  expect(noted).toEqual(['read']);
});

it.each<Answer>([{ kind: 'allowed' }, { kind: 'allowed', scope: 'session' }])(
  'an answer that grants them is used by its own call after a crash: %j',
  async (given) => {
    const { live, noted } = await killedAt(({ kind }) => kind === 'question-answered', given);
    expect(await (await live.open()).continue({ signal })).toMatchObject({ kind: 'completed' });
    expect(noted).toEqual(['write']);
    const texts = (await live.lines()).map(({ payload }) => String(payload['output'] ?? ''));
    expect(texts.filter((text) => text.includes('is no longer what it would do'))).toEqual([]);
  },
);
