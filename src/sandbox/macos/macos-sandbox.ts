import { networkReach } from '../../policy/network/network-reach.ts';
import type { PlainCommand, RunnableCommand, SandboxRefused } from '../../ports/sandbox.ts';
import type { ResolvedPolicy } from '../../protocol/resolved-policy.ts';
import { viewHostDisk } from '../common/host-disk.ts';
import { movedWorkspace } from '../common/unenforceable.ts';
import { seatbeltProfile } from './seatbelt-profile.ts';

/** Only this path: a program of the same name earlier on the PATH could be anything. */
const program = '/usr/bin/sandbox-exec';

/** The command under Seatbelt. The profile is tested as text; it has not been run on a Mac yet. */
export async function planMacos(
  command: PlainCommand,
  policy: ResolvedPolicy,
): Promise<RunnableCommand | SandboxRefused> {
  const disk = viewHostDisk();
  const moved = movedWorkspace(policy.files, command.cwd, disk);
  if (moved !== undefined) return moved;
  // Hosts by list need a proxy, and none is bridged here yet: without a port nothing is reached.
  const isListed = networkReach(policy) === 'listed';
  const sockets =
    'sockets' in policy && Array.isArray(policy.sockets) ? { sockets: policy.sockets as readonly string[] } : {};
  const doors = { ...(isListed ? { proxyPorts: [] } : {}), ...sockets };
  const { text, parameters } = seatbeltProfile(policy, disk, doors);
  return {
    kind: 'runnable',
    argv: [program, '-p', text, ...parameters.map(([name, path]) => `-D${name}=${path}`), '--', ...command.argv],
    cwd: command.cwd,
    env: { ...command.env, CODEX_SANDBOX: 'seatbelt' },
    files: [],
    cleanup: async () => {},
  };
}
