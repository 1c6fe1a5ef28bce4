import type { NetworkAccess } from '../../protocol/permission-profile.ts';
import type { Bubblewrap } from './bubblewrap.ts';

export interface BubblewrapRun {
  readonly bubblewrap: Bubblewrap;
  /** Options that build the view of the disk. */
  readonly mounts: readonly string[];
  readonly network: NetworkAccess;
  /** A path without links. */
  readonly cwd: string;
  /** The descriptor from which the command's variables are read, as `environmentOptions` writes them. */
  readonly environment?: number;
  /** The descriptor from which the system-call filter is read. */
  readonly filter?: number;
  readonly argv: readonly string[];
}

/**
 * The command line of a sandbox. Bubblewrap itself stays as the first process inside: it reaps what the command leaves
 * behind, and the kernel kills the rest when it ends. It gets no session of its own: the spawner has made one, which
 * has no terminal, and a second one would leave the group that is killed at an interrupt.
 */
export function bubblewrapArguments({
  bubblewrap,
  mounts,
  network,
  cwd,
  environment,
  filter,
  argv,
}: BubblewrapRun): readonly string[] {
  return [
    bubblewrap.path,
    '--die-with-parent',
    ...(environment === undefined ? [] : ['--args', String(environment)]),
    ...mounts,
    '--unshare-user',
    '--unshare-pid',
    '--unshare-ipc',
    ...(network === 'restricted' ? ['--unshare-net'] : []),
    ...(bubblewrap.closesUserNamespaces ? ['--disable-userns'] : []),
    '--chdir',
    cwd,
    '--cap-drop',
    'ALL',
    ...(filter === undefined ? [] : ['--seccomp', String(filter)]),
    '--',
    ...argv,
  ];
}

/**
 * The command's variables as options for bubblewrap. It must not have them as its own: it runs outside of the sandbox,
 * and one such as LD_LIBRARY_PATH may lead it to a library that a command has written into the workspace. They go through
 * a descriptor, because every user of the machine can read a command line.
 */
export function environmentOptions(env: Readonly<Record<string, string>>): Uint8Array {
  const options = Object.entries(env)
    // Neither can stand in an environment, and bubblewrap would end.
    .filter(([name]) => name !== '' && !name.includes('='))
    .flatMap(([name, value]) => ['--setenv', name, value]);
  return Buffer.from(options.map((option) => `${option}\0`).join(''));
}
