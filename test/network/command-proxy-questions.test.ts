import { afterEach, describe, expect, test } from 'vitest';
import { systemWays } from '../../src/sandbox/network/dial.ts';
import type { GateOptions } from '../../src/sandbox/network/gate.ts';
import { closeStages, get, names, publicAddress, say, stage, website } from '../harness/proxy-stage.ts';

afterEach(closeStages);

describe('a host that no list names', () => {
  const ask = (decide: GateOptions['decide'], more: Partial<GateOptions> = {}) =>
    stage({ allow: ['ok.test'], deny: ['bad.test'] }, { names, ...more, ...(decide && { decide }) });

  test('is asked about once, however often it is wanted', async () => {
    const asked: unknown[] = [];
    const { port, proxy } = await ask(async (host) => (asked.push(host), 'allow'), {
      ways: {
        resolve: async () => [publicAddress],
        connect: (_, to, signal) => systemWays.connect('127.0.0.1', to, signal),
      },
    });
    const site = await website();
    const wanted = get(`http://new.test:${site.port}/`);
    const answers = await Promise.all([say(port, wanted), say(port, wanted)]);
    for (const answer of [...answers, await say(port, wanted)]) expect(answer).toContain('200 OK');
    expect(asked).toEqual([{ name: 'new.test', port: site.port, protocol: 'http' }]);
    expect(proxy.denied()).toEqual([]);
  });

  test.each<[string, GateOptions['decide']]>([
    ['the answer is no', async () => 'deny'],
    ['the question fails', () => Promise.reject(new Error('gone'))],
    [
      'the question throws',
      () => {
        throw new Error('gone');
      },
    ],
    ['no one answers in time', () => new Promise(() => {})],
  ])('is refused when %s', async (_, decide) => {
    const { port, traffic } = await ask(decide, { decideMs: 30 });
    expect(await say(port, get('http://new.test/'))).toContain('"reason":"not_allowed"');
    expect(traffic).toEqual([]);
  });

  test('an answer opens neither what is denied nor what is local', async () => {
    const { port } = await ask(async () => 'allow');
    expect(await say(port, get('http://bad.test/'))).toContain('"reason":"denied"');
    expect(await say(port, get('http://127.0.0.1/'))).toContain('"reason":"not_allowed_local"');
    expect(await say(port, get('http://inside.test/'))).toContain('"reason":"not_allowed_local"');
  });

  test('a command cannot ask without end', async () => {
    let asked = 0;
    const { port } = await ask(async () => (++asked, 'deny'));
    await Promise.all(Array.from({ length: 30 }, (_, at) => say(port, get(`http://new${at}.test/`))));
    expect(asked).toBe(20);
  });
});
