import { createServer, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { defaultAnswerLimits } from '../../src/core/config/defaults.ts';
import { providerDefaults } from '../../src/core/config/providers/provider-config.ts';
import { anthropicFormat } from '../../src/adapters/model/anthropic/client.ts';
import { anthropicReader } from '../../src/adapters/model/anthropic/decode.ts';
import { chatFormat } from '../../src/adapters/model/chat/client.ts';
import { chatReader } from '../../src/adapters/model/chat/decode.ts';
import { commonDialect } from '../../src/adapters/model/chat/dialect.ts';
import { responsesFormat } from '../../src/adapters/model/responses/client.ts';
import { responsesReader } from '../../src/adapters/model/responses/decode.ts';
import type { ModelEvent } from '../../src/ports/model.ts';
import { acceptance } from '../harness/socket-bytes.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';

const idleMs = 500;
const prompt = {
  options: { model: 'm', parallelToolCalls: true, cacheKey: 't', labels: {} },
  instructions: '',
  tools: [],
  input: [],
};

/** Sends the same bytes for as long as the client reads. */
function repeat(socket: Socket, bytes: string | Buffer): void {
  const timer = setInterval(() => socket.write(bytes), 10);
  socket.on('error', () => {}).on('close', () => clearInterval(timer));
}

async function listen(onHead: (socket: Socket, head: string) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).once('data', (head: Buffer) => onHead(socket, head.toString('latin1')));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  whenTestEnds(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return `http://127.0.0.1:${(server.address() as { port: number }).port}/v1`;
}

const formats = { responses: responsesFormat, chat: chatFormat, anthropic: anthropicFormat };

async function failureOf(format: keyof typeof formats, baseUrl: string, supportsWebsockets = false): Promise<unknown> {
  const client = formats[format].client({
    credentials: () => Promise.resolve({ kind: 'none' }),
    environment: {},
    clock: { now: () => Date.now(), sleep: () => Promise.resolve() },
    random: () => 0.5,
    provider: {
      ...providerDefaults,
      id: 'p',
      name: 'Some Place',
      baseUrl,
      requestMaxRetries: 0,
      streamIdleTimeoutMs: idleMs,
      supportsWebsockets,
    },
  });
  whenTestEnds(() => client.close?.());
  let last: ModelEvent | undefined;
  const request = { body: [Buffer.from('{}')], prompt, headers: {} };
  for await (const event of client.stream(request, new AbortController().signal)) last = event;
  return last?.kind === 'failed' ? [last.failure.code, last.failure.message] : last;
}

const alive = ['stream-idle', `The provider sent no event that belongs to an answer for ${idleMs / 1000} seconds.`];
const streamHead = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n';

/** The failure of each format when the server sends the same bytes again and again. */
async function failuresAfter(bytes: string, first = ''): Promise<readonly unknown[]> {
  const url = await listen((socket) => {
    socket.write(`${streamHead}${first}`);
    repeat(socket, bytes);
  });
  return Promise.all([failureOf('responses', url), failureOf('chat', url), failureOf('anthropic', url)]);
}

describe('what keeps a stream alive', () => {
  test.each([
    ['comments', ': OPENROUTER PROCESSING\n\n'],
    ['empty lines', '\n'],
    ['bytes of a line that does not end', 'x', 'data: '],
    ['events of unknown names', 'event: beat\ndata: {"type":"beat"}\n\n'],
  ])('%s do not, in any format', async (_what, bytes, first = '') => {
    expect(await failuresAfter(bytes, first)).toEqual([alive, alive, alive]);
  });

  test('events that are no JSON objects do not, and end an answer that is made of pieces', async () => {
    const broken = ['server-error', 'The provider sent an event that Capstan cannot read.'];
    expect(await failuresAfter('data: 1\n\n')).toEqual([alive, broken, broken]);
  });

  test('bytes of the transfer do not', async () => {
    const url = await listen((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n');
      repeat(socket, '0');
    });
    expect(await failureOf('responses', url)).toEqual([
      'stream-idle',
      `The provider sent nothing for ${idleMs / 1000} seconds.`,
    ]);
  });

  test.each([
    ['pings', Buffer.from([0x89, 0]), `The provider sent nothing for ${idleMs / 1000} seconds.`],
    ['fragments', Buffer.from([0, 0]), `The provider sent nothing for ${idleMs / 1000} seconds.`],
    ['messages of unknown names', Buffer.from([0x81, 15, ...Buffer.from('{"type":"beat"}')]), alive[1]],
  ])('%s over a WebSocket do not', async (what, frame, message) => {
    const url = await listen((socket, head) => {
      socket.write(acceptance(head)!);
      if (what === 'fragments') socket.write(Buffer.from([1, 0]));
      repeat(socket, frame);
    });
    expect(await failureOf('responses', url, true)).toEqual(['stream-idle', message]);
  });

  test('events do that the format has, whether or not they are read', () => {
    const known = (data: object, reader = responsesReader(defaultAnswerLimits)): boolean =>
      reader.event(Buffer.from(JSON.stringify(data))) !== undefined;
    const types = [
      'response.created',
      'response.in_progress',
      'response.queued',
      'keepalive',
      'response.function_call_arguments.delta',
      'response.custom_tool_call_input.delta',
      'response.reasoning_summary_part.added',
      'response.reasoning_text.delta',
      'response.web_search_call.searching',
      'response.image_generation_call.partial_image',
      'codex.rate_limits',
    ];
    expect(types.filter((type) => !known({ type }) || !known({ sequence_number: 1, type }))).toEqual([]);
    const others = ['ping', 'response.beat', 'response.output_text.beat', 'response', ''];
    expect(others.filter((type) => known({ type }) || known({ sequence_number: 1, type }))).toEqual([]);
    const messages = ['ping', 'beat', 'content_block_beat'].map((type) =>
      known({ type }, anthropicReader(defaultAnswerLimits)),
    );
    expect(messages).toEqual([true, false, false]);
    const chunks = [{ choices: [] }, { choices: [{ index: 0, delta: {} }] }, { usage: { prompt_tokens: 1 } }, {}];
    expect(chunks.map((chunk) => known(chunk, chatReader(defaultAnswerLimits, commonDialect)))).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });
});
