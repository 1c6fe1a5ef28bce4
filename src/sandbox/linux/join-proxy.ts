import { Server } from 'node:net';
import type { PlainCommand, RunnableCommand } from '../../ports/sandbox.ts';
import { defined } from '../../protocol/defined.ts';
import type { NetworkLists } from '../../protocol/network-lists.ts';
import { createCommandProxy } from '../network/command-proxy.ts';
import { proxyPort, proxyVariables } from '../network/proxy-variables.ts';
import { starterArguments, type StarterMessage, starterNode } from './starter-script.ts';

/** A command that reaches the network through a proxy of its own. */
export interface JoinedProxy extends Required<Pick<RunnableCommand, 'handover' | 'denied'>> {
  /** What bubblewrap starts. It becomes the command. */
  readonly argv: readonly string[];
  /** Options that show it to the sandbox. */
  readonly mounts: readonly string[];
  close(): void;
}

export function joinProxy({ argv, env, answerHost }: PlainCommand, lists: NetworkLists): JoinedProxy {
  const proxy = createCommandProxy({ lists, ...defined({ decide: answerHost }) });
  // As bubblewrap does it: neither can stand in an environment.
  const variables = Object.entries(env).filter(([name]) => name !== '' && !name.includes('='));
  const message: StarterMessage = {
    argv: [...argv],
    env: { ...Object.fromEntries(variables), ...proxyVariables(lists) },
    port: proxyPort,
  };
  return {
    argv: starterArguments(),
    mounts: ['--ro-bind', process.execPath, starterNode],
    handover: {
      message,
      received(handle) {
        if (handle instanceof Server) proxy.serve(handle);
      },
    },
    denied: () => proxy.denied(),
    close: () => proxy.close(),
  };
}
