import { expect, it } from 'vitest';
import { describeGrants } from './reviewer-verdict.ts';
import { commandKey, fileKey, hostKey, permissionKeys } from '../grants/grants.ts';

it('names everything that earlier answers allow, once', () => {
  const host = { name: 'A.test', port: 443, protocol: 'https' } as const;
  const keys = [
    commandKey({ command: 'make', cwd: '/r', where: 'outside' }),
    fileKey('/etc/x'),
    hostKey(host),
    hostKey({ ...host, protocol: 'socks5_tcp' }),
    ...permissionKeys({ network: true, read: ['/a'], write: ['/b'] }),
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
