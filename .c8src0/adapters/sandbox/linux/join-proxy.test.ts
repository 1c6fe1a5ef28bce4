import { expect, test } from 'vitest';
import { parseLoopbackServers, limitLoopbackServers } from './join-proxy.ts';

const head = '  sl  local_address rem_address   st tx_queue rx_queue\n';
const row = (local: string, state: string): string =>
  `   0: ${local} ${'0'.repeat(local.indexOf(':'))}:0000 ${state} 00000000:00000000 00:00000000\n`;
const loopback6 = `${'0'.repeat(24)}01000000`;

test('what listens on the loopback or on all addresses is a server of this machine', () => {
  const version4 = [
    head,
    row('0100007F:1F90', '0A'),
    row('0200007F:1F91', '0A'),
    row('00000000:0050', '0A'),
    row('0501A8C0:1F92', '0A'),
    row('0100007F:1F93', '01'),
  ].join('');
  const version6 = [head, row(`${'0'.repeat(32)}:1F90`, '0A'), row(`${loopback6}:1F94`, '0A')].join('');
  expect(parseLoopbackServers(version4, version6)).toEqual([
    { host: '127.0.0.1', port: 8080 },
    { host: '127.0.0.1', port: 8081 },
    { host: '127.0.0.1', port: 80 },
    { host: '::1', port: 8084 },
  ]);
  expect(parseLoopbackServers('', 'garbage')).toEqual([]);
});

test('a machine with many servers has some of them, and the rest is counted', () => {
  const many = Array.from({ length: 1000 }, (_, at) => row(`0100007F:${(4096 + at).toString(16).toUpperCase()}`, '0A'));
  const { servers, leftOut } = limitLoopbackServers(parseLoopbackServers(many.join(''), ''));
  expect([servers.length, leftOut]).toEqual([512, 488]);
  expect(limitLoopbackServers(servers)).toEqual({ servers, leftOut: 0 });
});
