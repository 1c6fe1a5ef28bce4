import fc from 'fast-check';
import { afterEach, expect, inject, test } from 'vitest';
import { networkReach } from '../../src/core/policy/paths/access.ts';
import { systemDialer } from '../../src/adapters/sandbox/network/connection-gate.ts';
import { closeStages, get, publicAddress, say, stage, website } from '../harness/proxy-stage.ts';
import { decidedReach, hostCase, hostText, policyOfCommand, statedReach, targets } from '../laws/hosts-law.ts';

afterEach(closeStages);

const runs = 60 * inject('runFactor');

test(`law: the text, the decision and a request through the proxy agree about every host of ${runs} random policies`, async () => {
  const site = await website();
  let cases = 0;
  await fc.assert(
    fc.asyncProperty(hostCase, async (given) => {
      const text = hostText(given);
      const policy = policyOfCommand(given);
      const lists = networkReach(policy) === 'listed' ? policy.lists : undefined;
      const met = new Map<string, string>();
      if (lists !== undefined) {
        const asked = new Set<string>();
        const { port: proxy } = await stage(lists, {
          ways: {
            resolve: async () => [publicAddress],
            connect: (_address, _port, signal) => systemDialer.connect('127.0.0.1', site.port, signal),
          },
          // As the thread answers: a question that may not be asked is none.
          decide: async ({ name, port }) => {
            const decided = decidedReach(given, { host: name, port });
            if (decided !== 'asked') return decided === 'open' ? 'allowed' : 'unasked';
            asked.add(`${name}:${port}`);
            return 'allowed';
          },
        });
        await Promise.all(
          targets.map(async ({ host, port }) => {
            const answer = await say(proxy, get(`http://${host}:${port}/`));
            const isOpen = answer.startsWith('HTTP/1.1 200');
            const place = `${host}:${port}`;
            const closed = answer.startsWith('HTTP/1.1 403') ? 'closed' : answer;
            met.set(place, isOpen ? (asked.has(place) ? 'asked' : 'open') : closed);
          }),
        );
      }
      const rows = targets.map((target) => {
        const place = `${target.host}:${target.port}`;
        return [
          place,
          statedReach(text, target),
          met.get(place) ?? (policy.network === 'enabled' ? 'open' : 'closed'),
        ].join(' ');
      });
      expect(rows).toEqual(
        targets.map((target) => {
          const decided = decidedReach(given, target);
          return [`${target.host}:${target.port}`, decided, decided].join(' ');
        }),
      );
      cases += rows.length;
    }),
    { numRuns: runs },
  );
  expect(cases).toBeGreaterThanOrEqual(runs * targets.length);
}, 120_000);
