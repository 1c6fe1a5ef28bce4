import { setTimeout as wait } from 'node:timers/promises';
import type { JsonObject } from '../../src/protocol/json.ts';
import type {
  CallContext,
  InputRequired,
  ServerApp,
  ServerTool,
  ToolAnswer,
} from '../../src/surfaces/servers/mcp/server-interface.ts';

const question = {
  message: 'May the command run?',
  schema: {
    type: 'object',
    properties: { decision: { type: 'string', enum: ['once', 'always'] } },
    required: ['decision'],
  },
  extra: { threadId: 't1' },
};

type Call = (args: JsonObject, context: CallContext) => Promise<ToolAnswer | InputRequired>;

function tool(name: string, properties: JsonObject, call: Call, more: Partial<ServerTool> = {}): ServerTool {
  return {
    name,
    title: name,
    description: `Does ${name}.`,
    input: { type: 'object', properties, required: Object.keys(properties).filter((key) => !key.endsWith('_')) },
    output: { type: 'object', properties: { said: { type: 'string' } }, required: ['said'] },
    annotations: { readOnlyHint: true },
    call,
    ...more,
  };
}

function said(text: string): ToolAnswer {
  return { kind: 'answer', text, data: { said: text } };
}

/** An app that shows on standard error, or where its options say, what becomes of its calls. */
export function fakeApp(note: (text: string) => void): ServerApp & { change(uri: string): void } {
  const watched = new Map<string, Set<() => void>>();
  const change = (uri: string): void => watched.get(uri)?.forEach((changed) => changed());
  return {
    instructions: 'For tests.',
    change,
    tools: [
      tool('echo', { text: { type: 'string' }, size_: { type: 'integer' } }, async ({ text }) => said(String(text))),
      tool('old_echo', {}, async () => said('alias'), { isAlias: true }),
      tool('throw', {}, async () => {
        throw new Error('on purpose');
      }),
      tool('fail', {}, async () => ({ kind: 'answer', text: 'no such thread', data: { code: 'none' }, isError: true })),
      tool('ask', { command: { type: 'string' } }, async ({ command }, { client, responses, state }) => {
        if (!client.canAsk) return said('cannot ask');
        if (responses === undefined)
          return { kind: 'input-required', questions: { run: question }, state: { asked: command } };
        return said(`${JSON.stringify(state)} ${JSON.stringify(responses.run)}`);
      }),
      tool('ask_briefly', {}, async (_args, { responses }) => {
        if (responses !== undefined) return said(JSON.stringify(responses.run));
        return { kind: 'input-required', questions: { run: question }, state: {}, answered: AbortSignal.timeout(100) };
      }),
      tool('wait', {}, async (_args, { signal }) => {
        note('waiting');
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        note('aborted');
        return said('over');
      }),
      tool(
        'events',
        { count: { type: 'integer' }, bytes_: { type: 'integer' } },
        async ({ count, bytes_ }, context) => {
          const filler = 'x'.repeat(Number(bytes_ ?? 0));
          for (let index = 0; index < Number(count); index += 1) {
            context.client.notify('notifications/capstan/event', { index, filler });
            context.progress(index, `step ${index}`);
          }
          note('posted');
          // The official client forgets who listens for progress as soon as it has read the answer.
          await wait(50);
          return said('posted');
        },
      ),
      tool(
        'follow',
        { count: { type: 'integer' }, bytes_: { type: 'integer' } },
        async ({ count, bytes_ }, { client, signal }) => {
          const filler = 'x'.repeat(Number(bytes_ ?? 0));
          for (let index = 0; index < Number(count) && !signal.aborted; index += 1) {
            client.notify('notifications/capstan/event', { index, filler });
            await client.ready();
          }
          return said('followed');
        },
      ),
      tool('listen', {}, async (_args, { client }) => {
        client.gone.addEventListener('abort', () => note('listener gone'));
        void wait(100).then(() => client.notify('notifications/capstan/event', { after: 'the call' }));
        return said(client.id);
      }),
      tool('change', { uri: { type: 'string' } }, async ({ uri }) => {
        for (let times = 0; times < 5; times += 1) change(String(uri));
        return said('changed');
      }),
    ],
    resources: {
      templates: [
        { uriTemplate: 'fake://{id}', name: 'fake', title: 'Fake', description: 'Of a test.', mimeType: 'text/plain' },
      ],
      list: async (cursor) =>
        cursor === undefined
          ? { resources: [{ uri: 'fake://1', name: 'one' }], next: 'more' }
          : { resources: [{ uri: 'fake://2', name: 'two' }] },
      read: async (uri) =>
        /^fake:\/\/[12]$/.test(uri) ? [{ uri, mimeType: 'text/plain', text: `content of ${uri}` }] : undefined,
      canFollow: async (uri) => /^fake:\/\/[12]$/.test(uri),
      watch(uri, changed) {
        note(`watch ${uri}`);
        const listeners = watched.get(uri) ?? new Set();
        watched.set(uri, listeners.add(changed));
        return () => {
          note(`unwatch ${uri}`);
          listeners.delete(changed);
        };
      },
      complete: async (_template, _argument, value) => ['1', '2', '10'].filter((id) => id.startsWith(value)),
    },
    close: async () => note('closed'),
  };
}
