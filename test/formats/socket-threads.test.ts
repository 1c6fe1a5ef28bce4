import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { OwnTool } from '../../src/index.ts';
import { createDigester } from '../../src/adapters/model/request-digester.ts';
import { responsesEncoder } from '../../src/adapters/model/responses/encode.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { lineType } from '../../src/protocol/line.ts';
import { createRequestComparison } from '../../src/core/replay/compare-requests.ts';
import { rebuildRequests } from '../../src/core/replay/rebuild-requests.ts';
import {
  answer,
  callTool,
  cutAfter,
  hang,
  say,
  type Script,
  type ScriptedModelOptions,
} from '../../src/testing/index.ts';
import { checkThread, FormatThread } from './format-thread.ts';
import { formats } from './formats.ts';

const format = formats.find(({ isSocket }) => isSocket)!;
const lookUp: OwnTool = {
  name: 'look_up',
  description: 'Gives the meaning of a word.',
  parameters: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
  run: ({ word }) => `${String(word)}: a kind of winch`,
};
const asks = answer({ items: [say('I look.'), callTool('look_up', { word: 'capstan' })], deltas: true });
const done = answer({ items: [say('Done.')], deltas: true });
const completed = { kind: 'completed', lastMessage: 'Done.' };

async function open(script: Script, model: ScriptedModelOptions = {}): Promise<FormatThread> {
  return (await FormatThread.in(format, script, { model })).open({ tools: [lookUp] });
}

const kinds = ({ live }: FormatThread): readonly string[] =>
  live.model.requests.map(({ frame }) => frame?.kind ?? 'http');
const recorded = ({ live }: FormatThread): readonly (JsonObject | undefined)[] =>
  live.place.lines().flatMap(({ type, payload }) => (type === lineType.sent ? [payload['frame'] as JsonObject] : []));

describe('a thread over a WebSocket', () => {
  it('keeps its connection over steps and turns, and sends what is new', async () => {
    const thread = await open([asks, done, asks, done]);
    expect(await thread.live.turn('One?')).toEqual(completed);
    expect(await thread.live.turn('Two?')).toEqual(completed);
    expect(kinds(thread)).toEqual(['full', 'incremental', 'incremental', 'incremental']);
    expect(thread.live.model.upgrades).toBe(1);
    expect(thread.live.told('warning')).toEqual([]);
    await checkThread(thread);
    const { frames, requests } = thread.live.model;
    const items = frames.map(({ bytes }) => (JSON.parse(bytes.toString('utf8')) as { input: unknown[] }).input.length);
    const aDigest: unknown = expect.stringMatching(/^[0-9a-f]{8}$/);
    expect(recorded(thread)).toEqual(
      frames.map(({ kind, bytes, previous }, index) => ({
        kind,
        items: items[index],
        bytes: bytes.length,
        ...(previous && { previous, digest: aDigest }),
      })),
    );
    // The output of a call; the user's words.
    expect(items.slice(1)).toEqual([1, 1, 1]);
    expect(requests.map(({ body }) => (body['input'] as unknown[]).length)).toEqual(
      [3, 6, 8, 11].map((n) => n + items[0]! - 3),
    );
  });

  it('sends what is new also where a limit makes each answer shorter', async () => {
    const thread = await FormatThread.in(format, [asks, asks, done]);
    await thread.open({ tools: [lookUp], limits: { turnTokens: 30_000 } });
    expect(await thread.live.turn('One?')).toEqual(completed);
    const most = thread.live.model.requests.map(({ body }) => body['max_output_tokens']);
    expect([new Set(most).size, most.every((each) => typeof each === 'number')]).toEqual([3, true]);
    expect(kinds(thread)).toEqual(['full', 'incremental', 'incremental']);
    await checkThread(thread);
  });

  it('begins anew when another process takes over', async () => {
    const thread = await open([asks, done, done]);
    await thread.live.turn('One?');
    await thread.open({ tools: [lookUp] });
    await thread.live.turn('Two?');
    expect(kinds(thread)).toEqual(['full', 'incremental', 'full']);
    expect(thread.live.model.upgrades).toBe(2);
    await checkThread(thread);
  });

  it.each([
    ['another model', { model: 'gpt-5.4' }],
    ['another effort', { effort: 'low' }],
  ])('sends everything after a change: %s', async (_, change) => {
    const thread = await open([done, done]);
    await thread.live.turn('One?');
    expect(await thread.live.thread.overrideTurnContext(change)).toMatchObject({ kind: 'changed' });
    await thread.live.turn('Two?');
    expect(kinds(thread)).toEqual(['full', 'full']);
    await checkThread(thread);
  });

  it('an answer that breaks off in the middle is there once', async () => {
    const thread = await open([cutAfter({ bytes: 1000, of: asks }), done], { deflates: false });
    expect(await thread.live.turn('One?')).toEqual(completed);
    expect(kinds(thread)).toEqual(['full', 'full']);
    const said = thread.said(1).filter(([who]) => who === 'assistant');
    expect(said).toEqual([['assistant', 'I look.']]);
    expect(thread.live.told('retrying')).toMatchObject([{ outcome: { code: 'stream-cut' } }]);
    await checkThread(thread);
  });

  it('an answer that the server forgot is not built on, and both frames are recorded', async () => {
    const thread = await open([{ ...asks, forgotten: true }, done]);
    expect(await thread.live.turn('One?')).toEqual(completed);
    expect(thread.live.told('retrying')).toEqual([]);
    await checkThread(thread);
    expect(recorded(thread)).toMatchObject([{ kind: 'full' }, { kind: 'incremental' }, { kind: 'full' }]);
  });

  it('an interrupted turn leaves nothing to build on', async () => {
    const thread = await open([done, hang({ afterBytes: 60, of: asks }), done]);
    await thread.live.turn('One?');
    const stop = new AbortController();
    const turn = thread.live.turn('Two?', { signal: stop.signal });
    await thread.live.model.request(1);
    stop.abort();
    expect(await turn).toMatchObject({ kind: 'aborted' });
    expect(await thread.live.turn('Three?')).toEqual(completed);
    expect(kinds(thread)).toEqual(['full', 'incremental', 'full']);
    await checkThread(thread);
  });

  it('continues over HTTP where there is none, and says so once', async () => {
    const thread = await FormatThread.in({ ...format, isSocket: true }, [asks, done, done], {
      model: { upgrade: () => ({ status: 426 }) },
    });
    await thread.open({ tools: [lookUp] });
    expect(await thread.live.turn('One?')).toEqual(completed);
    expect(await thread.live.turn('Two?')).toEqual(completed);
    expect(kinds(thread)).toEqual(['http', 'http', 'http']);
    expect(thread.live.model.upgrades).toBe(1);
    expect(thread.live.told('warning')).toEqual([
      {
        kind: 'warning',
        outcome: {
          code: 'websocket-unavailable',
          message:
            'Capstan sends requests over HTTP, because no WebSocket could be opened: scripted answered with status 426.',
          next: 'Nothing is lost, and Capstan tries again later. To use HTTP only, set model_providers.scripted.supports_websockets = false.',
        },
      },
    ]);
    expect(recorded(thread)).toEqual([undefined, undefined, undefined]);
  });

  it('a gate switches it off', async () => {
    const thread = await FormatThread.in(format, [done]);
    await thread.open({}, { config: ['features.responses_websockets=false'] });
    await thread.live.turn('One?');
    expect([kinds(thread), thread.live.model.upgrades]).toEqual([['http'], 0]);
  });
});

it('at 1 MB of history, a round trip of a tool sends what is new and at most 2 KB', async () => {
  // Noise: nothing of it can be compressed, but for what the form of text wastes.
  let noted = 0;
  const noise = (): string => createHash('sha512').update(`${noted++}`).digest('base64');
  const read: OwnTool = { ...lookUp, name: 'read', run: () => Array.from({ length: 240 }, noise).join('') };
  const reads = answer({ items: [callTool('read', { word: 'a' })] });
  const count = 55;
  const thread = await FormatThread.in(format, [...Array.from({ length: count }, () => reads), asks, done, done]);
  await thread.open(
    { tools: [lookUp, read] },
    { config: ['model="vast"', 'model_context_window=9000000', 'tool_output_token_limit=20000'] },
  );
  expect(await thread.live.turn('Read.')).toEqual(completed);
  expect(await thread.live.turn('Thanks.')).toEqual(completed);
  const { frames, requests } = thread.live.model;
  expect(requests.at(-1)!.bytes.length).toBeGreaterThan(1024 * 1024);
  expect(frames.map(({ kind }) => kind)).toEqual(['full', ...Array.from({ length: count + 2 }, () => 'incremental')]);
  const newBytes = ({ bytes }: { readonly bytes: Buffer }): number =>
    Buffer.byteLength(JSON.stringify((JSON.parse(bytes.toString('utf8')) as JsonObject)['input']));
  const over = frames.slice(1).map((frame) => frame.wireBytes - newBytes(frame));
  expect(Math.max(...over)).toBeLessThan(2048);
});

it('replay finds a frame that is not the one that was sent', async () => {
  const thread = await open([asks, done]);
  await thread.live.turn('One?');
  await thread.live.close();
  const verdicts = async (change: (frame: JsonObject) => JsonObject) => {
    const lines = thread.live.place.lines().map((line) => {
      const frame = line.payload['frame'] as JsonObject | undefined;
      return line.type === lineType.sent && frame?.['previous'] !== undefined
        ? { ...line, payload: { ...line.payload, frame: change(frame) } }
        : line;
    });
    const verdictOn = createRequestComparison(createDigester());
    const found = [];
    for await (const request of rebuildRequests(lines, () => responsesEncoder())) found.push(verdictOn(request));
    return found;
  };
  const same = { kind: 'same' };
  const other = { kind: 'different', first: { part: 'frame', index: 0 } };
  expect(await verdicts((frame) => frame)).toEqual([same, same]);
  expect(await verdicts((frame) => ({ ...frame, previous: 'resp_9' }))).toEqual([same, other]);
  expect(await verdicts((frame) => ({ ...frame, items: 2 }))).toEqual([same, other]);
  expect(await verdicts((frame) => ({ ...frame, bytes: 1 }))).toEqual([same, other]);
});
