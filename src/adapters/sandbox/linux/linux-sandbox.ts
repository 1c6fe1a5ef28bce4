import { networkReach } from '../../../core/policy/paths/access.ts';
import type { PlainCommand } from '../../../ports/sandbox.ts';
import type { ResolvedPolicy } from '../../../protocol/permissions.ts';
import { examineDisk } from '../policy-on-disk.ts';
import { type PlannedCommand, unenforceableRefusal } from '../refusals.ts';
import { type Bubblewrap, bubblewrapArguments, environmentOptions, optionsFile, planMounts } from './bubblewrap.ts';
import type { HostMountPoints } from './mount-points.ts';
import { isSeccompArchitecture, seccompFilter } from './seccomp.ts';

type LinuxParts = { readonly bubblewrap: Bubblewrap; readonly mountPoints: HostMountPoints };
type LinuxSandbox = LinuxParts & { readonly architecture: string };
const [optionsDescriptor, filterDescriptor] = [3, 4];

/** Plans the command inside bubblewrap. When bubblewrap dies, the kernel kills all that it started. */
export async function planLinux(command: PlainCommand, policy: ResolvedPolicy, on: LinuxSandbox): PlannedCommand {
  const { bubblewrap, mountPoints, architecture } = on;
  const { files, lists, sockets = [] } = policy;
  const reach = networkReach(policy);
  // Allowed hosts are reached through the proxy; the command itself has no network.
  const network = reach === 'all' ? 'enabled' : 'restricted';
  const isFilterable = isSeccompArchitecture(architecture);
  if (network === 'restricted' && !isFilterable) {
    const message = `There is no system-call filter for the processor ${architecture}, so local sockets cannot be blocked.`;
    return unenforceableRefusal(message, 'Enable the network in the profile, or run on x64 or arm64.');
  }
  // NUL would end the variable and begin an option of bubblewrap.
  const broken = Object.entries(command.env).find(([name, value]) => `${name}${value}`.includes('\0'));
  if (broken !== undefined) {
    const message = `The variable ${JSON.stringify(broken[0])} contains a NUL byte, which is not allowed in an environment.`;
    return unenforceableRefusal(message, 'Change it in shell_environment_policy.set.');
  }
  // Without the proxy, the spawn itself fails on a NUL byte in an argument.
  if (reach === 'listed' && command.argv.some((word) => word.includes('\0')))
    return unenforceableRefusal('The command contains a NUL byte.', 'Write it as an escape sequence.');
  const pathSockets = network === 'restricted' && sockets.length > 0;
  // Loaded on use: few policies have lists. Before the disk is examined, so that its state is as new as possible.
  const joinProxy = reach === 'listed' ? (await import('./join-proxy.ts')).connectCommandToProxy : undefined;
  const hideSockets = pathSockets ? (await import('./path-sockets.ts')).hideSockets : undefined;
  const examined = await examineDisk(command, policy);
  if (examined.kind === 'refused') return examined;
  const { disk, cwd, deniedMatches } = examined;
  const { ownProcessTable } = bubblewrap;
  const plan = planMounts({ files: mountPoints.protect(files), deniedMatches, ownProcessTable }, disk);
  if (plan.kind === 'refused') return plan;
  const hidden = hideSockets?.(command, policy, disk) ?? [];
  const joined = lists && joinProxy?.(command, lists);
  const hold = mountPoints.hold(plan.mountPoints);
  const mounts = [...plan.options, ...hidden, ...(joined?.mounts ?? [])];
  // Node passes command lines as UTF-8, but names on disk need not be.
  const isOdd = mounts.some((option) => !option.isWellFormed());
  // A starter gets none of the command's variables: NODE_OPTIONS, for example, is not meant for it.
  const variables = environmentOptions(joined === undefined ? command.env : {});
  return {
    kind: 'runnable',
    argv: bubblewrapArguments({
      bubblewrap,
      mounts: isOdd ? [] : mounts,
      network,
      cwd,
      options: optionsDescriptor,
      filter: isFilterable ? filterDescriptor : undefined,
      terminal: command.terminal,
      argv: joined?.argv ?? command.argv,
    }),
    cwd: command.cwd,
    env: {},
    files: [
      optionsFile([...(isOdd ? mounts : []), ...variables]),
      ...(isFilterable ? [seccompFilter(architecture, { network, isApart: true, pathSockets })] : []),
    ],
    ...joined?.extras,
    async cleanup() {
      joined?.close();
      hold.release();
    },
  };
}
