import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { liveThreads } from '../../src/engine/live/live-threads.ts';
import { createMcpApp } from '../../src/surfaces/servers/mcp/app.ts';
import type { InputRequired, ToolAnswer } from '../../src/surfaces/servers/mcp/server-interface.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';
import { engineOf, type Served, served, TestClient } from './served.ts';

const config = 'approval_policy = "on-request"\n[sandbox_workspace_write]\nexclude_slash_tmp = true\n';

/** Turns whose message says ASK ask to leave the sandbox. */
async function asking(): Promise<Served & { readonly file: string }> {
  const all: Served = await served(
    ({ body }) => {
      const { type, content } = (body['input'] as readonly JsonObject[]).at(-1)!;
      if (type === 'function_call_output' || !JSON.stringify(content).includes('ASK')) {
        return answer({ items: [say('Done.')] });
      }
      const asked = { sandbox_permissions: 'require_escalated', justification: 'May I?' };
      const cmd = `touch ${join(all.place.root, 'outside/file')}`;
      return answer({ items: [callTool('exec_command', { cmd, ...asked })] });
    },
    { config },
  );
  mkdirSync(join(all.place.root, 'outside'));
  return { ...all, file: join(all.place.root, 'outside/file') };
}

/** A call whose client asks its user and has the answer when the test gives it. */
class AskingCall {
  readonly client: TestClient;
  readonly leaving = new AbortController();
  readonly #call: (again: JsonObject) => Promise<ToolAnswer | InputRequired>;
  asked: InputRequired | undefined;

  constructor({ app }: Pick<Served, 'app'>, name: string, args: JsonObject) {
    this.client = new TestClient(app, () => ({ action: 'decline' }));
    const tool = app.tools.find((each) => each.name === name)!;
    const context = { signal: this.leaving.signal, client: this.client.port, requestId: 1, progress: () => {} };
    this.#call = (again) => tool.call(args, { ...context, ...again } as typeof context);
  }

  async ask(): Promise<this> {
    const asked = await this.#call({});
    if (asked.kind !== 'input-required') throw new Error(asked.text);
    this.asked = asked;
    return this;
  }

  get threadId(): string {
    return String(this.asked?.state['thread_id']);
  }

  get question(): string {
    return Object.keys(this.asked?.questions ?? {})[0]!;
  }

  /** The user answers. */
  async answers(action: 'accept' | 'decline'): Promise<ToolAnswer | InputRequired> {
    const response = action === 'accept' ? { action, content: {} } : { action };
    return this.#call({ responses: { [this.question]: response }, state: this.asked!.state });
  }
}

async function twoAskers() {
  const scene = await asking();
  const owner = await new AskingCall(scene, 'thread_start', { prompt: 'ASK' }).ask();
  const other = await new AskingCall(scene, 'thread_send', { thread_id: owner.threadId, text: 'also' }).ask();
  expect(other.question).toBe(owner.question);
  return { scene, owner, other, thread_id: owner.threadId };
}

async function statusOf({ app }: Pick<Served, 'app'>, thread_id: string): Promise<unknown> {
  const { turns } = await new TestClient(app).data('thread_read', { thread_id });
  return (turns as readonly JsonObject[]).at(-1)!['status'];
}

it('a client that only steered leaves for itself alone: the question stays with the other, whose accept counts', async () => {
  const { scene, owner, other, thread_id } = await twoAskers();
  other.leaving.abort();
  const third = new TestClient(scene.app);
  const approval = { thread_id, question_id: owner.question, decision: 'approved' };
  expect(await third.error('thread_answer', approval)).toMatchObject({ code: 'asked-elsewhere' });
  expect(await owner.answers('accept')).toMatchObject({ kind: 'answer', data: { status: 'completed' } });
  expect(existsSync(scene.file)).toBe(true);
});

it('a steering client that comes back from its user still leaves for itself alone', async () => {
  const { scene, owner, other } = await twoAskers();
  // Its answer does not fit, so it is asked again, and leaves then.
  other.asked = { ...other.asked!, questions: { none: Object.values(other.asked!.questions)[0]! } };
  const back = await other.answers('accept');
  expect(back).toMatchObject({ kind: 'input-required', state: { steered: true } });
  other.leaving.abort();
  expect(await owner.answers('accept')).toMatchObject({ data: { status: 'completed' } });
  expect(existsSync(scene.file)).toBe(true);
});

it('the client of the turn takes back its own asking; the question stays open for the other, who answers it', async () => {
  const { scene, owner, other } = await twoAskers();
  owner.leaving.abort();
  expect(await other.answers('accept')).toMatchObject({ data: { status: 'completed', steered: true } });
  expect(existsSync(scene.file)).toBe(true);
});

it('when both are gone the turn is interrupted, and no accept runs anything', async () => {
  const { scene, owner, other, thread_id } = await twoAskers();
  owner.leaving.abort();
  other.leaving.abort();
  await expect.poll(() => statusOf(scene, thread_id)).toBe('interrupted');
  for (const late of [owner, other]) {
    expect(await late.answers('accept')).toMatchObject({ data: { status: 'interrupted' } });
  }
  expect(existsSync(scene.file)).toBe(false);
});

it('after an answer that a suspended turn cannot use, results are those of the calls', async () => {
  const scene = await asking();
  const writing = (name: string): JsonObject => {
    mkdirSync(join(scene.place.root, name));
    return { type: 'workspace-write', writable_roots: [join(scene.place.root, name)], exclude_slash_tmp: true };
  };
  const first = await new TestClient(scene.app).data('thread_start', { prompt: 'ASK', sandbox: writing('one') });
  const { thread_id } = first as { thread_id: string };
  const [question] = first['questions'] as readonly JsonObject[];
  await scene.app.close();
  const engine = await engineOf(scene.place);
  const app = createMcpApp(engine, liveThreads(engine), { cwd: scene.place.workspace });
  whenTestEnds(() => app.close());
  const client = new TestClient(app);
  await client.data('thread_override', { thread_id, sandbox: writing('two') });
  const approval = { thread_id, question_id: question!['id']!, decision: 'approved' };
  const refused = await client.error('thread_answer', approval);
  expect(refused).toMatchObject({
    code: 'policy-changed',
    next: expect.stringMatching(/with thread_override, or end the turn with thread_interrupt/) as string,
  });
  expect(await client.data('thread_interrupt', { thread_id })).toMatchObject({ interrupted: true });
  expect(await client.data('thread_send', { thread_id, text: 'plain' })).toMatchObject({
    status: 'completed',
    message: 'Done.',
  });
  expect(await client.data('thread_send', { thread_id, text: 'ASK' })).toMatchObject({ status: 'waiting' });
  expect(existsSync(scene.file)).toBe(false);
});

it('a fork taken while a call waits for its answer says that the call did not run', async () => {
  const scene = await asking();
  const client = new TestClient(scene.app);
  const { thread_id } = (await client.data('thread_start', { prompt: 'ASK' })) as { thread_id: string };
  const fork = (await client.data('thread_fork', { thread_id }))['thread_id']!;
  expect(await client.data('thread_send', { thread_id: fork, text: 'go on' })).toMatchObject({ status: 'completed' });
  const input = scene.model.requests.at(-1)!.body['input'] as readonly JsonObject[];
  expect(input.find(({ type }) => type === 'function_call_output')).toMatchObject({
    output: expect.stringMatching(/^Not run: this conversation was branched off before the user answered/) as string,
  });
});

it('a decline that comes after an accept is told that it does not count', async () => {
  const { scene, owner, other } = await twoAskers();
  expect(await owner.answers('accept')).toMatchObject({ data: { status: 'completed' } });
  const late = await other.answers('decline');
  expect(late).toMatchObject({ data: { status: 'completed', notice: expect.stringMatching(/does not count\.$/) } });
  expect(late).toMatchObject({ text: expect.stringMatching(/^Done\.\nNote: .* does not count\.$/) });
  expect(existsSync(scene.file)).toBe(true);
  // Giving the same answer again is no contradiction.
  expect(await other.answers('accept')).toMatchObject({ text: 'Done.' });
});
