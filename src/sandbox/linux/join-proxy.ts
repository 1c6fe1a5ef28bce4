import { Server } from 'node:net';
import type { PlainCommand, RunnableCommand } from '../../ports/sandbox.ts';
import { defined } from '../../protocol/defined.ts';
import type { NetworkLists } from '../../protocol/network-lists.ts';
import { decideHost, readHostLists } from '../../policy/network/decide-host.ts';
import { createCommandProxy } from '../network/command-proxy.ts';
import { proxyPort, proxyVariables } from '../network/proxy-variables.ts';
import { type LoopbackServer, loopbackServers, withinLimit } from './loopback-servers.ts';
import { starterArguments, type StarterMessage, starterNode } from './starter-script.ts';

/** A command that reaches the network through a proxy of its own. */
export interface JoinedProxy
  extends Required<Pick<RunnableCommand, 'handover' | 'denied'>>, Pick<RunnableCommand, 'serversLeftOut'> {
  /** What bubblewrap starts. It becomes the command. */
  readonly argv: readonly string[];
  /** Options that show it to the sandbox. */
  readonly mounts: readonly string[];
  close(): void;
}

export function joinProxy({ argv, env, answerHost }: PlainCommand, lists: NetworkLists): JoinedProxy {
  const proxy = createCommandProxy({ lists, ...defined({ decide: answerHost }) });
  const { servers, leftOut } = withinLimit(serversInReach(lists));
  // As bubblewrap does it: neither can stand in an environment.
  const variables = Object.entries(env).filter(([name]) => name !== '' && !name.includes('='));
  const message: StarterMessage = {
    argv: [...argv],
    env: { ...Object.fromEntries(variables), ...proxyVariables(lists) },
    places: [{ host: '127.0.0.1', port: proxyPort }, ...servers.map((server) => ({ ...server }))],
  };
  return {
    argv: starterArguments(),
    mounts: ['--ro-bind', process.execPath, starterNode],
    handover: {
      message,
      received(handle, index) {
        if (handle instanceof Server) proxy.serve(handle, servers[index - 1]);
      },
    },
    denied: () => proxy.denied(),
    ...(leftOut === 0 ? {} : { serversLeftOut: leftOut }),
    close: () => proxy.close(),
  };
}

/**
 * Servers of this machine that the lists leave open. A command expects them on the loopback, and its own hides them: the
 * proxy stands in for them there.
 */
function serversInReach(lists: NetworkLists): readonly LoopbackServer[] {
  if (!lists.local || lists.methods !== 'any') return [];
  const rules = readHostLists(lists);
  return loopbackServers().filter(
    (server) => server.port !== proxyPort && decideHost(rules, server).kind !== 'blocked',
  );
}
