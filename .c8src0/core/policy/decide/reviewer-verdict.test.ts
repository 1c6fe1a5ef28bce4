import { expect, it } from 'vitest';
import { describeGrants } from './reviewer-verdict.ts';
import { commandGrantKey, fileGrantKey, hostGrantKey, permissionGrantKeys } from '../grants/grants.ts';

it('names everything that earlier answers allow, once', () => {
  const host = { name: 'A.test', port: 443, protocol: 'https' } as const;
  const keys = [
    commandGrantKey({ command: 'make', cwd: '/r', where: 'outside' }),
    fileGrantKey('/etc/x'),
    hostGrantKey(host),
    hostGrantKey({ ...host, protocol: 'socks5_tcp' }),
    ...permissionGrantKeys({ network: true, read: ['/a'], write: ['/b'] }),
    '{',
    '["host","https","x"]',
    '["command",1]',
  ];
  expect(describeGrants([...keys, ...keys.slice(0, 2)].map((key) => ({ key })))).toEqual({
    network: true,
    read: ['/a'],
    write: ['/b'],
    commands: [{ command: 'make', cwd: '/r', where: 'outside' }],
    files: ['/etc/x'],
    hosts: ['a.test:443'],
  });
  expect(describeGrants([])).toEqual({});
});
