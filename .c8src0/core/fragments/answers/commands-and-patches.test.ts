import { expect, test } from 'vitest';
import type { DeniedRequest } from '../../../protocol/permissions.ts';
import { commandOutput } from './commands-and-patches.ts';

const budget = { mode: 'bytes', limit: 1000 } as const;
const report = (denied: readonly DeniedRequest[]) =>
  commandOutput({ seconds: 1, end: { kind: 'exited', exitCode: 7 }, output: 'failed\n', denied }, budget).split('\n');

test('names what the proxy refused, before the output', () => {
  const denied: readonly DeniedRequest[] = [
    { host: 'registry.test', port: 443, protocol: 'https', reason: 'not_allowed' },
    { host: '::1', port: 80, protocol: 'http', reason: 'not_allowed_local' },
    { host: 'gone.test', port: 80, protocol: 'http', reason: 'unresolved' },
    { host: 'no.test', port: 80, protocol: 'http', reason: 'declined' },
    { host: 'dns.test', port: 53, protocol: 'socks5_udp', reason: 'policy_denied' },
  ];
  expect(report(denied)).toEqual([
    'Wall time: 1.0000 seconds',
    'Process exited with code 7',
    'Network requests blocked by the policy: registry.test:443 (not on the allow list), [::1]:80 (local or private host), dns.test:53 (UDP: this kind of connection is not allowed)',
    'Allowed by the policy, but the name cannot be resolved: gone.test:80',
    'Original token count: 2',
    'Output:',
    'failed',
    '',
  ]);
});

test('a host that a rule denies is reported with the reason of the rule', () => {
  const refused = { port: 443, protocol: 'https', reason: 'denied' } as const;
  const denied: readonly DeniedRequest[] = [
    { host: 'a.test', ...refused, rule: { host: 'a.test', why: 'Never "there"' } },
    { host: 'b.test', ...refused, rule: { host: 'b.test' } },
    { host: 'c.test', ...refused },
  ];
  expect(report(denied)[2]).toBe(
    String.raw`Network requests blocked by the policy: a.test:443 (denied by a rule: "Never \"there\""), b.test:443 (denied by a rule), c.test:443 (denied)`,
  );
});

test('many and long names take little space', () => {
  const denied = Array.from({ length: 200 }, (_, at): DeniedRequest => {
    return { host: `${at}${'x'.repeat(250)}`, port: 443, protocol: 'https', reason: 'denied' };
  });
  const line = report(denied)[2] ?? '';
  expect(line).toMatch(/, and 195 more$/);
  expect(line.length).toBeLessThan(700);
});

test('nothing refused, nothing said', () => {
  expect(report([])).toHaveLength(6);
});

test('says that the loopback of the command lacked servers of a machine that has very many', () => {
  const told = { seconds: 1, end: { kind: 'exited', exitCode: 0 }, output: 'x', serversLeftOut: 3 } as const;
  expect(commandOutput(told, budget).split('\n')[2]).toBe(
    'This machine has too many servers for the loopback of one command: 3 servers of it cannot be reached there, only through the proxy.',
  );
});
