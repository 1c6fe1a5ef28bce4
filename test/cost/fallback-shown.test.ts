import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, callTool, httpError, say } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { scene } from '../harness/scene.ts';
import { served, TestClient } from '../mcp-tools/served.ts';

const noCredit = httpError({
  status: 429,
  body: { error: { message: 'You exceeded your current quota.', code: 'insufficient_quota' } },
});
const plan = answer({ items: [callTool('update_plan', { plan: [] })] });
const done = answer({ items: [say('Done.')] });
const fallback = 'model_fallback = "gpt-5.4"\n';
const quota = expect.stringContaining('You exceeded your current quota.');

describe('a turn that another model continues', () => {
  it('exec --json: one start and one end; the failure is an error on the way', async () => {
    const { place } = await scene([plan, noCredit, done], fallback);
    const { code, stdout } = await place.run('exec', '--json', 'go');
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as JsonObject);
    const kinds = events.map(({ type, item }) => {
      const { type: of } = (item ?? {}) as JsonObject;
      return of === undefined ? String(type) : `${String(type)} ${String(of)}`;
    });
    expect(kinds.filter((kind) => !kind.includes('todo_list'))).toEqual([
      'thread.started',
      'turn.started',
      'error',
      'item.completed error',
      'item.completed agent_message',
      'turn.completed',
    ]);
    expect(events.find(({ type }) => type === 'error')).toEqual({ type: 'error', message: quota });
    expect(events.find(({ item }) => (item as JsonObject | undefined)?.['type'] === 'error')).toMatchObject({
      item: { message: expect.stringMatching(/gpt-5\.5 .* cannot answer; gpt-5\.4 .* continues/) },
    });
    expect(code).toBe(0);
  });

  it('exec --json: if the other model fails as well, that is the end', async () => {
    const { place } = await scene([noCredit, noCredit], fallback);
    const { code, stdout } = await place.run('exec', '--json', 'go');
    const types = stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as JsonObject)['type']);
    expect(types.filter((type) => type === 'turn.started' || type === 'turn.failed')).toEqual([
      'turn.started',
      'turn.failed',
    ]);
    expect(types.at(-1)).toBe('turn.failed');
    expect(code).toBe(1);
  });

  it('exec: the command that resumes the thread is for turns that are over', async () => {
    const { place } = await scene([plan, noCredit, done], fallback);
    const { stdout, stderr, code } = await place.run('exec', 'go');
    expect([code, stdout]).toEqual([0, 'Done.\n']);
    expect(stderr).toContain('You exceeded your current quota.');
    expect(stderr).not.toContain('exec resume');
    // Both requests that were answered, of 90 each.
    expect(stderr).toContain('tokens used: 180\n');
  });

  it('MCP: the call waits for the answer of the other model', async () => {
    const { app } = await served([noCredit, done], { config: fallback });
    const client = new TestClient(app);
    expect(await client.data('thread_start', { prompt: 'Go' })).toMatchObject({
      status: 'completed',
      message: 'Done.',
    });
    expect(client.events.filter(({ type }) => type === 'turn_failed')).toMatchObject([{ continued_by: 'gpt-5.4' }]);
  });

  it('MCP, codex/event: one start and one end, of one task', async () => {
    const { app } = await served([noCredit, done, done], { config: fallback });
    const client = new TestClient(app);
    const call = async (name: string, args: JsonObject) => {
      const from = client.notes.length;
      const { data } = await client.call(name, args);
      const params = client.notes.slice(from).map((note) => note.params as unknown as { id: string; msg: JsonObject });
      return { data: data as JsonObject, params };
    };
    const { data, params } = await call('codex', { prompt: 'Go' });
    const lifecycle = params.filter(({ msg }) => /^(?:task_|stream_error|error)/.test(String(msg['type'])));
    expect(lifecycle.map(({ msg }) => msg['type'])).toEqual(['task_started', 'stream_error', 'task_complete']);
    const [task] = lifecycle.map(({ id }) => id);
    expect(new Set(params.map(({ id }) => id))).toEqual(new Set(['', task]));
    expect([lifecycle[0]!.msg, lifecycle[2]!.msg]).toMatchObject([{ turn_id: task }, { turn_id: task }]);
    const next = await call('codex-reply', { threadId: data['threadId']!, prompt: 'And?' });
    expect(next.params.filter(({ msg }) => msg['type'] === 'task_started')).toHaveLength(1);
  });

  it('the thread says so to those who read it later', async () => {
    const live = await LiveThread.in([noCredit, done], fallback);
    await live.turn('go');
    const failed = { kind: 'turn-failed', continuedBy: 'gpt-5.4' };
    expect(live.events.filter(({ kind }) => kind === 'turn-failed')).toMatchObject([failed]);
    expect(live.place.lines().filter(({ payload }) => payload['error'] !== undefined)).toMatchObject([
      { payload: { type: 'task_complete', capstan: { continued_by: 'gpt-5.4' } } },
    ]);
  });
});
