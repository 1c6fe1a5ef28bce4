import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { answer, hang, say, type ScriptStep } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';
import { play } from './adversary/play.ts';
import { transcripts } from './adversary/transcripts.ts';
import { requestKinds, says, saysLong, smallLimit, story, talk, task } from './talk.ts';

const filler = `: ${'x'.repeat(1000)}\n\n`;

/** Forwards what is no request for a checkpoint, and answers those with a stream that has no end. */
async function endless(target: string): Promise<{ readonly url: string; readonly seen: { requests: number } }> {
  const seen = { requests: 0 };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const isUnary = (request.url ?? '').endsWith('compact');
      const isForCheckpoint = isUnary || /"tool_choice":"none"|compaction_trigger/.test(String(body));
      if (!isForCheckpoint) return void forward(target, String(request.url), body, response);
      seen.requests += 1;
      const type = isUnary ? 'application/json' : 'text/event-stream';
      response.writeHead(200, { 'content-type': type });
      pour(response);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  whenTestEnds(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, seen };
}

async function forward(target: string, path: string, body: Buffer, response: ServerResponse): Promise<void> {
  const answered = await fetch(target + path.replace(/^\/v1/, ''), {
    method: 'POST',
    body: new Uint8Array(body),
    headers: { 'content-type': 'application/json' },
  });
  response.writeHead(answered.status, { 'content-type': answered.headers.get('content-type') ?? '' });
  response.end(Buffer.from(await answered.arrayBuffer()));
}

function pour(response: ServerResponse): void {
  const more = (): void => {
    while (!response.destroyed && response.write(filler));
  };
  response.on('drain', more);
  more();
}

describe('a stream of a checkpoint that never ends is stopped at compaction.max_bytes', () => {
  test.each([
    ['structured', ''],
    ['plain', 'compaction.strategy = "plain"'],
    ['remote', 'compaction.strategy = "remote"'],
    ['remote, in one piece', 'compaction.strategy = "remote"\nfeatures.remote_compaction_v2 = false'],
  ])('%s: code makes the checkpoint, and the turn continues', async (_, more) => {
    const live = await LiveThread.in(talk([saysLong(), says('Done.')]), `${smallLimit}\n${more}`);
    const { url, seen } = await endless(live.model.url);
    const name = more.includes('remote') ? ['model_providers.scripted.server_capabilities.remote_compaction=true'] : [];
    const overrides = [`model_providers.scripted.base_url="${url}"`, 'compaction.max_bytes=20000', ...name];
    await live.open({ config: overrides }, { compactsAfterTurns: false });
    await live.turn(task);
    expect(await live.turn('Go on.')).toMatchObject({ kind: 'completed', lastMessage: 'Done.' });
    expect(live.told('checkpoint-installed')).toMatchObject([
      {
        report: {
          strategy: 'mechanical',
          why: {
            code: 'answer-too-large',
            message: expect.stringContaining('20000 bytes'),
            next: expect.stringContaining('compaction.max_bytes'),
          },
        },
      },
    ]);
    // No other question follows: its answer might be as long.
    expect(seen.requests).toBe(1);
  });

  test('by hand: nothing is compacted, and history stands as it was', async () => {
    const live = await LiveThread.in(talk([saysLong()]));
    const { url, seen } = await endless(live.model.url);
    await live.open({ config: [`model_providers.scripted.base_url="${url}"`, 'compaction.max_bytes=20000'] });
    await live.turn(task);
    const result = await live.thread.compact({ signal: new AbortController().signal });
    expect(result).toMatchObject({ kind: 'failed', outcome: { code: 'answer-too-large' } });
    expect([seen.requests, story(live).at(-1)]).toEqual([1, 'turn-failed answer-too-large']);
  });
});

describe('a stream of a checkpoint that takes longer than compaction.timeout_ms', () => {
  const stuck: ScriptStep = hang({ afterBytes: 100, of: answer({ items: [say('So far')] }) });

  test.each([
    ['structured', 'structured', undefined],
    ['plain', 'plain', undefined],
    ['remote', 'remote', 'stream'],
    ['remote, in one piece', 'remote', 'unary'],
  ] as const)('is stopped, %s: code makes the checkpoint without another wait', async (_, strategy, remoteForm) => {
    const played = await play({
      transcript: transcripts.work,
      trigger: 'mid-turn',
      does: () => [stuck],
      strategy,
      ...(remoteForm === undefined ? {} : { remoteForm }),
      waits: 'until the deadline',
    });
    expect(played.told).toEqual([{ strategy: 'mechanical', requests: 1, mended: [], why: 'answer-too-slow' }]);
    expect(played.asked).toHaveLength(1);
  });

  test('is stopped by hand, and history stands as it was', async () => {
    const played = await play({
      transcript: transcripts.work,
      trigger: 'manual',
      does: () => [stuck],
      waits: 'until the deadline',
    });
    expect({ told: played.told, posts: played.asked.length }).toEqual({
      told: [{ failed: 'answer-too-slow', paused: false }],
      posts: 1,
    });
  });
});

test('a checkpoint within the limits is made as before', async () => {
  const live = await LiveThread.in(talk([saysLong(), says('Done.')]), smallLimit);
  await live.open({}, { compactsAfterTurns: false });
  await live.turn(task);
  await live.turn('Go on.');
  expect(requestKinds(live)).toEqual(['step', 'checkpoint', 'step']);
});
