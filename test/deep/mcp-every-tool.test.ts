import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { checkpointText, isCompaction, saysCheckpoint } from '../compaction/summariser.ts';
import { scene } from '../harness/scene.ts';
import type { Place } from '../harness/run-capstan.ts';
import { type ClientSetup, revisions } from '../mcp-server/clients.ts';
import { OfficialHost } from '../mcp-tools/official.ts';

const closed =
  'approval_policy = "on-request"\n[sandbox_workspace_write]\nexclude_slash_tmp = true\nexclude_tmpdir_env_var = true\n';

const transports = {
  'standard streams': (place: Place, setup: ClientSetup) => OfficialHost.in(place, setup, '--compat'),
  HTTP: (place: Place, setup: ClientSetup) => OfficialHost.overHttp(place, setup),
};
type TransportName = keyof typeof transports;
const ways = revisions.flatMap((revision) =>
  (Object.keys(transports) as TransportName[]).map((name) => [name, revision] as const),
);

describe.each(ways)('over %s, revision %s', (name, revision) => {
  /** A turn whose prompt says so asks to leave the sandbox first. */
  async function begin(answers?: ClientSetup['answer']) {
    const { model, place } = await scene((request) => {
      if (isCompaction(request)) return saysCheckpoint(checkpointText('one', []));
      const said = JSON.stringify(request.body['input']);
      const isAsked = said.includes('leave-now') && !said.includes('function_call_output');
      if (!isAsked) return answer({ items: [say('Done. '.repeat(400))] });
      mkdirSync(join(place.root, 'outside'));
      const cmd = `touch ${join(place.root, 'outside', 'file')}`;
      return answer({
        items: [callTool('exec_command', { cmd, sandbox_permissions: 'require_escalated', justification: 'May I?' })],
      });
    }, closed);
    const host = await transports[name](place, { revision, ...(answers && { answer: answers }) });
    return { model, place, host };
  }

  it('the official client drives every tool, and every answer fits its schema', async () => {
    const { place, host } = await begin();
    const { tools } = await host.client.listTools();
    const listed = tools.filter(({ name: each }) => each.startsWith('thread_'));
    expect(Buffer.byteLength(JSON.stringify({ tools: listed }))).toBeLessThan(12_000);
    const used = new Set<string>();
    const data = (tool: string, args: JsonObject): Promise<JsonObject> => {
      used.add(tool);
      return host.data(tool, args);
    };
    const { thread_id } = (await data('thread_start', { prompt: 'one' })) as { thread_id: string };
    await data('thread_send', { thread_id, text: 'two' });
    await data('thread_turn', { thread_id, text: 'three', effort: 'low' });
    await data('thread_override', { thread_id, cwd: place.root });
    await data('thread_compact', { thread_id });
    await data('thread_interrupt', { thread_id });
    const asked = await data('thread_start', { prompt: 'leave-now' });
    const [question] = asked['questions'] as readonly JsonObject[];
    const answered = await data('thread_answer', {
      thread_id: asked['thread_id']!,
      question_id: question!['id']!,
      decision: 'denied',
    });
    expect([asked['status'], answered['status']]).toEqual(['waiting', 'completed']);
    for (const tool of ['thread_list', 'thread_search'])
      await data(tool, tool === 'thread_list' ? {} : { query: 'two' });
    for (const tool of [
      'thread_read',
      'thread_fork',
      'thread_rollback',
      'thread_undo_rollback',
      'thread_pin',
      'thread_context',
      'thread_envelope',
      'thread_replay',
    ])
      await data(tool, { thread_id });
    expect([...used].toSorted()).toEqual(listed.map(({ name: each }) => each).toSorted());

    const { conversationId } = (await data('newConversation', { cwd: place.workspace })) as { conversationId: string };
    const listening = data('addConversationListener', { conversationId });
    // A client without connections cannot be sent anything later.
    const staysConnected = name !== 'HTTP' || revision === '2025-11-25';
    const problem = await listening.then(() => '', String);
    expect(problem).toContain(staysConnected ? '' : 'no connection');
    const items = [{ type: 'text', data: { text: 'hi' } }];
    await data('sendUserMessage', { conversationId, items });
    await data('sendUserTurn', {
      conversationId,
      items,
      cwd: place.workspace,
      approvalPolicy: 'never',
      sandboxPolicy: { type: 'read-only' },
      model: 'gpt-5.5',
      summary: 'auto',
    });
    await data('overrideTurnContext', { conversationId, cwd: place.root });
    await data('compactConversation', { conversationId });
    await data('interruptConversation', { conversationId });
    if (staysConnected) {
      const { subscriptionId } = await listening;
      await data('removeConversationListener', { subscriptionId: subscriptionId! });
    }
    const { threadId } = await data('codex', { prompt: 'hi' });
    expect(await data('codex-reply', { threadId: threadId!, prompt: 'more' })).toMatchObject({
      threadId,
      content: expect.stringContaining('Done.') as string,
    });

    for (const [tool, args, what] of [
      ['thread_send', { text: 'no thread' }, 'thread_id'],
      ['thread_read', { thread_id, after: -5 }, 'after'],
      ['sendUserTurn', { conversationId, items, cwd: '/' }, 'sandboxPolicy'],
      ['thread_start', { promt: 'x' }, 'prompt'],
    ] as const) {
      const refused = await host.call(tool, args);
      expect([tool, refused.isError, refused.text]).toEqual([tool, true, expect.stringContaining(what)]);
    }
  });

  it('a question reaches the user of the host, and an accept lets the call run', async () => {
    const questions: JsonObject[] = [];
    const { place, host } = await begin((params) => {
      questions.push(params);
      return { action: 'accept', content: {} };
    });
    expect(await host.data('thread_start', { prompt: 'leave-now' })).toMatchObject({ status: 'completed' });
    expect(questions).toMatchObject([{ message: expect.stringContaining('touch ') as string }]);
    expect(existsSync(join(place.root, 'outside', 'file'))).toBe(true);
    expect(host.events.some(({ type, decision }) => type === 'question_answered' && decision === 'approved')).toBe(
      true,
    );
  });
});
