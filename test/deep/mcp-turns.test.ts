import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, callTool, hang, say } from '../../src/testing/index.ts';
import { type Place, capstanScript } from '../harness/run-capstan.ts';
import { scene } from '../harness/scene.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';
import { connected, revisions } from '../mcp-server/clients.ts';
import { type RawClient, envelope, greeted, rawClient, toolCall } from '../mcp-server/raw-client.ts';
import { call, until } from '../mcp-server/suite.ts';

// Whole turns, through the real server as hosts start it.

function host(place: Place): Promise<RawClient> {
  return greeted([capstanScript, 'mcp-server'], {
    cwd: place.workspace,
    env: { ...process.env, CAPSTAN_HOME: place.home },
  });
}

async function data(client: RawClient, id: number, name: string, args: JsonObject): Promise<JsonObject> {
  client.send(toolCall(id, name, args));
  const { result } = (await client.answerTo(id)) as { result: { structuredContent: JsonObject } };
  return result.structuredContent;
}

test('a host that is killed in the middle of a turn leaves a thread that can be resumed', async () => {
  const { model, place } = await scene([
    hang({ afterBytes: 0, of: answer({ items: [say('Never.')] }) }),
    answer({ items: [say('Whole.')] }),
  ]);
  const first = await host(place);
  const { thread_id: thread } = await data(first, 1, 'thread_start', {});
  first.send(toolCall(2, 'thread_send', { thread_id: thread, text: 'Speak.' } as JsonObject));
  await until(() => model.requests.length === 1, 30_000);
  first.child.stdin.destroy();
  first.child.stdout.destroy();
  expect(await first.ended).toBe(0);
  expect(place.lines().map(({ payload }) => (payload as JsonObject).type)).toContain('turn_aborted');

  const second = await host(place);
  const args = { thread_id: thread, text: 'Again.' } as JsonObject;
  expect(await data(second, 1, 'thread_send', args)).toMatchObject({ status: 'completed', message: 'Whole.' });
  second.child.stdin.end();
  expect(await second.ended).toBe(0);
});

test.each(['decline', 'cancel', 'accept'])(
  'with the state of an earlier question, %s answers nothing that was asked later; each event comes once',
  async (action) => {
    const outside = (name: string): JsonObject => ({
      cmd: `touch ${name}`,
      sandbox_permissions: 'require_escalated',
      justification: 'May I?',
    });
    const { place } = await scene(
      [
        answer({ items: [callTool('exec_command', outside('one'))] }),
        answer({ items: [callTool('exec_command', outside('two'))] }),
        answer({ items: [say('Done.')] }),
      ],
      'approval_policy = "on-request"\n',
    );
    const client = rawClient([capstanScript, 'mcp-server'], {
      cwd: place.workspace,
      env: { ...process.env, CAPSTAN_HOME: place.home },
    });
    whenTestEnds(() => void client.child.kill('SIGKILL'));
    const start = async (id: number, more: JsonObject): Promise<Asked> => {
      client.send(toolCall(id, 'thread_start', { prompt: 'go' }, { ...more, _meta: envelope }));
      return (await client.answerTo(id))['result'] as unknown as Asked;
    };
    const first = await start(1, {});
    const second = await start(2, again(first, 'accept'));
    const [later = ''] = Object.keys(second.inputRequests);
    const third = await start(3, { requestState: first.requestState, inputResponses: { [later]: { action } } });
    expect(Object.keys(third.inputRequests)).toEqual([later]);
    expect(await start(4, again(third, 'decline'))).toMatchObject({ structuredContent: { status: 'completed' } });
    expect(['one', 'two'].map((name) => existsSync(join(place.workspace, name)))).toEqual([true, false]);
    const ordinals = client.messages.flatMap(({ params }) => ((params ?? {}) as { ordinal?: number }).ordinal ?? []);
    expect(ordinals).toEqual([...new Set(ordinals)]);
    const events = client.messages.map(({ params }) => (params as { event?: JsonObject } | undefined)?.event);
    const decisions = events.filter((event) => event?.type === 'question_answered').map((event) => event?.decision);
    expect(decisions).toEqual(['approved', 'denied']);
  },
);

test.each(['accept', 'decline'])(
  'revision 2026-07-28: the server is killed and started again while the form is open, and %s still counts',
  async (action) => {
    const command = { cmd: 'touch one', sandbox_permissions: 'require_escalated', justification: 'May I?' };
    const { place } = await scene(
      [answer({ items: [callTool('exec_command', command)] }), answer({ items: [say('Done.')] })],
      'approval_policy = "on-request"\n',
    );
    const start = async (more: JsonObject) => {
      const client = rawClient([capstanScript, 'mcp-server'], {
        cwd: place.workspace,
        env: { ...process.env, CAPSTAN_HOME: place.home },
      });
      whenTestEnds(() => void client.child.kill('SIGKILL'));
      client.send(toolCall(1, 'thread_start', { prompt: 'go' }, { ...more, _meta: envelope }));
      return { client, response: await client.answerTo(1) };
    };
    const { client: first, response } = await start({});
    first.child.kill('SIGKILL');
    await first.ended;
    const asked = response['result'] as unknown as Asked;
    const { response: second } = await start(again(asked, action));
    expect(second).toMatchObject({ result: { structuredContent: { status: 'completed', message: 'Done.' } } });
    expect(existsSync(join(place.workspace, 'one'))).toBe(action === 'accept');
  },
);

interface Asked {
  readonly inputRequests: JsonObject;
  readonly requestState: string;
}

function again({ inputRequests, requestState }: Asked, action: string): JsonObject {
  const answers = Object.keys(inputRequests).map((key) => [key, { action }]);
  return { requestState, inputResponses: Object.fromEntries(answers) as JsonObject };
}

async function shared(place: Place): Promise<string> {
  const server = spawn(process.execPath, [capstanScript, 'mcp-server', '--http', '0', '--no-token'], {
    cwd: place.workspace,
    env: { ...process.env, CAPSTAN_HOME: place.home },
  });
  whenTestEnds(() => void server.kill('SIGKILL'));
  let said = '';
  server.stderr.setEncoding('utf8').on('data', (piece: string) => (said += piece));
  await until(() => said.includes('/mcp\n'), 30_000);
  return /http:\S+/.exec(said)?.[0] ?? '';
}

async function structured(client: Client, name: string, args: JsonObject): Promise<JsonObject> {
  return (await call(client, name, args)).structuredContent as JsonObject;
}

test('two hosts of two revisions share a server: a conversation each, and one of both', async () => {
  const speak = ({ body }: { readonly body: JsonObject }) => {
    const words =
      JSON.stringify(body['input'])
        .match(/Say (\w+)\./g)
        ?.at(-1) ?? '';
    return answer({ items: [say(words.slice(4, -1))] });
  };
  const { place } = await scene(speak);
  const url = new URL(await shared(place));
  const [one, two] = await Promise.all(
    revisions.map((revision) => connected({ revision }, new StreamableHTTPClientTransport(url))),
  );
  const [a, b] = await Promise.all([
    structured(one!, 'thread_start', { prompt: 'Say apples.' }),
    structured(two!, 'thread_start', { prompt: 'Say pears.' }),
  ]);
  expect([a.message, b.message]).toEqual(['apples', 'pears']);
  const both = await Promise.all([
    structured(one!, 'thread_send', { thread_id: b.thread_id!, text: 'Say plums.' }),
    structured(two!, 'thread_send', { thread_id: b.thread_id!, text: 'Say figs.' }),
  ]);
  expect(both.map(({ status }) => status)).toEqual(['completed', 'completed']);
  await Promise.all([one!.close(), two!.close()]);
});

test.each(revisions)(
  'revision %s: the host asks its user, and an accepted question lets the command run',
  async (revision) => {
    const command = callTool('exec_command', {
      cmd: 'echo out > ../outside',
      sandbox_permissions: 'require_escalated',
      justification: 'To write.',
    });
    const { place } = await scene([answer({ items: [command] }), answer({ items: [say('Done.')] })]);
    const asked: JsonObject[] = [];
    const client = await connected(
      {
        revision,
        answer(params) {
          asked.push(params);
          return { action: 'accept', content: {} };
        },
      },
      new StreamableHTTPClientTransport(new URL(await shared(place))),
    );
    const started = { prompt: 'Write.', approval_policy: 'on-request' };
    expect(await structured(client, 'thread_start', started)).toMatchObject({ status: 'completed', message: 'Done.' });
    expect(asked).toHaveLength(1);
    expect(asked[0]?.message).toContain('echo out');
    await client.close();
  },
);
