import { valueOr } from '../../../base/objects.ts';
import { decideHost, readHostLists } from '../../../core/policy/network/host-lists.ts';
import type { PlainCommand, RunnableCommand } from '../../../ports/sandbox.ts';
import type { NetworkLists } from '../../../protocol/permissions.ts';
import { createCommandProxy, proxyPort, proxyVariables } from '../network/command-proxy.ts';
import { readUpTo, withRegularFile } from '../../disk/regular-files.ts';
import { Server } from 'node:net';

export function connectCommandToProxy({ argv, env, answerHost }: PlainCommand, lists: NetworkLists) {
  const proxy = createCommandProxy({ lists, decide: answerHost });
  const { servers, leftOut } = limitLoopbackServers(serversInReach(lists));
  // An environment cannot contain such names; `environmentOptions` drops them as well.
  const variables = Object.entries(env).filter(([name]) => name !== '' && !name.includes('='));
  const message = {
    argv: [...argv],
    env: { ...Object.fromEntries(variables), ...proxyVariables(lists) },
    // Listening places. The first is the proxy's.
    places: [{ host: '127.0.0.1', port: proxyPort }, ...servers],
  };
  const extras: Pick<RunnableCommand, 'handover' | 'denied' | 'serversLeftOut'> = {
    handover: {
      message,
      received(handle, index) {
        if (handle instanceof Server) proxy.serve(handle, servers[index - 1]);
      },
    },
    denied: () => proxy.denied(),
    serversLeftOut: leftOut || undefined,
  };
  return {
    extras,
    // `process.execve` is experimental, and its warning would end up in the command's output.
    argv: [sandboxedNodePath, '--no-warnings', '-e', starterScript],
    mounts: ['--ro-bind', process.execPath, sandboxedNodePath],
    close: () => proxy.close(),
  };
}

/** This machine's loopback servers that the lists allow. In the sandbox, the proxy listens at their ports instead. */
function serversInReach(lists: NetworkLists): readonly LoopbackServer[] {
  if (!lists.local || lists.methods !== 'any') return [];
  const rules = readHostLists(lists);
  const servers = parseLoopbackServers(tableAt('/proc/net/tcp'), tableAt('/proc/net/tcp6'));
  return servers.filter((server) => server.port !== proxyPort && decideHost(rules, server).kind !== 'blocked');
}

type LoopbackServer = { readonly host: '127.0.0.1' | '::1'; readonly port: number };
/** Each is a socket of this process while the command runs. */
const mostServers = 512;
/** The tables list listening sockets first, then every connection. */
const mostBytes = 256 * 1024;

/** A server at all IPv6 addresses is assumed to answer IPv4 too, as is the default. */
export function parseLoopbackServers(version4: string, version6: string): readonly LoopbackServer[] {
  const byVersion4 = listening(version4).filter(({ address }) => /^(?:0{8}|.{6}7F)$/.test(address));
  const everywhere = listening(version6).filter(({ address }) => /^0{32}$/.test(address));
  const byVersion6 = listening(version6).filter(({ address }) => /^0{24}01000000$/.test(address));
  const ports = new Set([...byVersion4, ...everywhere].map(({ port }) => port));
  return [
    ...[...ports].map((port) => ({ host: '127.0.0.1', port }) as const),
    ...byVersion6.map(({ port }) => ({ host: '::1', port }) as const),
  ];
}

export function limitLoopbackServers(servers: readonly LoopbackServer[]) {
  return { servers: servers.slice(0, mostServers), leftOut: Math.max(0, servers.length - mostServers) };
}

function listening(table: string): readonly { readonly address: string; readonly port: number }[] {
  return table.split('\n').flatMap((line) => {
    const [, address, port] = /^ *\d+: ([0-9A-F]+):([0-9A-F]{4}) [0-9A-F]+:0000 0A /.exec(line) ?? [];
    return address === undefined || port === undefined ? [] : [{ address, port: Number.parseInt(port, 16) }];
  });
}

/** Empty if the kernel lacks this version of the protocol. */
function tableAt(path: string): string {
  const limits = { most: mostBytes, expected: mostBytes };
  const read = (file: number): string => readUpTo(file, limits).toString('latin1');
  return valueOr('', () => withRegularFile(path, { links: 'followed' }, read));
}

/** Path of Node inside the sandbox: the policy may hide its real place. */
const sandboxedNodePath = '/dev/capstan-node';

/**
 * Becomes the command inside the sandbox. Before that it opens the proxy's listening sockets, which only a process
 * inside can do, and sends them out for the engine to answer. When the channel closes, the command replaces it, so
 * nothing attackable is left. Resets caught signals: Node ignores SIGPIPE and SIGXFSZ, which the command would inherit.
 */
const starterScript = `
const { createServer } = process.getBuiltinModule('node:net');
const { accessSync, closeSync, constants, openSync, readSync, statSync, writeSync } = process.getBuiltinModule('node:fs');
const isProgram = (path) => {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
};
const isBare = (path) => {
  try {
    const file = openSync(path);
    const start = Buffer.alloc(4);
    readSync(file, start, 0, 4, 0);
    closeSync(file);
    return !start.toString('latin1').startsWith('#!') && start.toString('latin1') !== '\\x7fELF';
  } catch {
    return false;
  }
};
process.once('message', ({ argv, env, places }) => {
  const open = (index) => {
    if (index < 0) return;
    const listener = createServer();
    if (index > 0) listener.on('error', () => open(index - 1));
    listener.listen({ ...places[index], backlog: 128 }, () => process.send(index, listener, () => open(index - 1)));
  };
  open(places.length - 1);
  process.once('disconnect', () => {
    const { NODE_CHANNEL_FD, NODE_CHANNEL_SERIALIZATION_MODE, ...own } = process.env;
    const variables = { ...own, ...env };
    const [name] = argv;
    const folders = (variables.PATH ?? '/bin:/usr/bin').split(':');
    const program = (name.includes('/') ? [name] : folders.map((folder) => (folder || '.') + '/' + name)).find(isProgram);
    if (program === undefined) {
      writeSync(2, 'capstan: ' + name + ': no such program\\n');
      process.exit(127);
    }
    for (const signal of ['SIGPIPE', 'SIGXFSZ']) process.on(signal, () => {});
    if (isBare(program)) process.execve('/bin/sh', ['sh', program, ...argv.slice(1)], variables);
    process.execve(program, argv, variables);
  });
});
`;
