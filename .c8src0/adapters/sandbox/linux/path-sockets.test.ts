import { expect, test } from 'vitest';
import { findHiddenSockets, parseListedSockets, socketsInVariables } from './path-sockets.ts';

test("the kernel's list names paths, also with spaces, and no abstract sockets", () => {
  const list = `Num       RefCount Protocol Flags    Type St Inode Path
0000000000000000: 00000002 00000000 00010000 0001 01 21540 /run/docker.sock
0000000000000000: 00000002 00000000 00010000 0005 01 10471 /run/with space.sock
0000000000000000: 00000003 00000000 00000000 0001 03 25512
0000000000000000: 00000002 00000000 00010000 0001 01 21541 @/tmp/.X11-unix/X0
0000000000000000: 00000002 00000000 00000000 0002 01 11111 relative.sock
`;
  expect(parseListedSockets(list)).toEqual(['/run/docker.sock', '/run/with space.sock']);
});

test('variables name sockets in several forms', () => {
  const variables = {
    SSH_AUTH_SOCK: '/tmp/ssh-x/agent.1',
    DOCKER_HOST: 'unix:///home/u/.docker/run/docker.sock',
    DBUS_SESSION_BUS_ADDRESS: 'unix:path=/run/user/1/bus,guid=1;unix:path=/run/other',
    PATH: '/usr/bin:/bin',
  };
  expect(socketsInVariables(variables)).toEqual([
    '/tmp/ssh-x/agent.1',
    '/home/u/.docker/run/docker.sock',
    '/run/user/1/bus',
    '/run/other',
  ]);
});

test('all but the listed ones are hidden, at the place where their links lead', () => {
  const places: Readonly<Record<string, string | undefined>> = {
    '/var/run/docker.sock': '/run/docker.sock',
    '/run/docker.sock': '/run/docker.sock',
    '/run/bus': '/run/bus',
    '/tmp/own/a': '/tmp/own/a',
    '/secret/socket': undefined,
  };
  const all = Object.keys(places);
  const hidden = (listed: readonly string[]) => findHiddenSockets(all, listed, (path) => places[path]);
  expect(hidden([])).toEqual(['/run/bus', '/run/docker.sock', '/tmp/own/a']);
  expect(hidden(['/var/run/docker.sock'])).toEqual(['/run/bus', '/tmp/own/a']);
  expect(hidden(['/run/docker.sock', '/tmp/own'])).toEqual(['/run/bus']);
  expect(hidden(['/run/b', '/tmp/own/a'])).toEqual(['/run/bus', '/run/docker.sock']);
});
