import { pathBytes } from '../../disk/path-bytes.ts';
import type { SandboxRefused } from '../../ports/sandbox.ts';
import type { NetworkAccess } from '../../protocol/permission-profile.ts';

/** A bubblewrap that works on this machine, and what it can do here. */
export interface Bubblewrap {
  readonly kind: 'bubblewrap';
  readonly path: string;
  /** It can keep commands from making user namespaces of their own. */
  readonly closesUserNamespaces: boolean;
  /** The kernel lets a sandbox mount a process table; inside some containers it does not. */
  readonly ownProcessTable: boolean;
  /** The copy that Capstan unpacked, because the system has none that works. */
  readonly isPackaged?: true;
  /** For such a copy: the reason why the one on the search path is not used. Absent: there is none. */
  readonly insteadOf?: SandboxRefused;
}

export interface BubblewrapRun {
  readonly bubblewrap: Bubblewrap;
  /** Options that build the view of the disk. */
  readonly mounts: readonly string[];
  readonly network: NetworkAccess;
  /** A path without links. */
  readonly cwd: string;
  /** The descriptor from which more options are read, as `optionsFile` writes them. */
  readonly options?: number;
  /** The descriptor from which the system-call filter is read. */
  readonly filter?: number;
  /** The command has a terminal: that of the process that started it, into which it must not type, or one of its own. */
  readonly terminal?: 'inherited' | 'own';
  readonly argv: readonly string[];
}

/**
 * The command line of a sandbox. Bubblewrap itself stays as the first process inside: it reaps what the command leaves
 * behind, and the kernel kills the rest when it ends. It gets a session of its own only where the command has a terminal:
 * otherwise the spawner has made one, and a second one would leave the group that is killed at an interrupt.
 */
export function bubblewrapArguments(run: BubblewrapRun): readonly string[] {
  const { bubblewrap, mounts, network, cwd, options, filter, terminal, argv } = run;
  return [
    bubblewrap.path,
    ...(terminal === undefined ? [] : ['--new-session']),
    '--die-with-parent',
    ...(options === undefined ? [] : ['--args', String(options)]),
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
export function environmentOptions(env: Readonly<Record<string, string>>): readonly string[] {
  return (
    Object.entries(env)
      // Neither can stand in an environment, and bubblewrap would end.
      .filter(([name]) => name !== '' && !name.includes('='))
      .flatMap(([name, value]) => ['--setenv', name, value])
  );
}

/** Options as bubblewrap reads them from a descriptor. */
export function optionsFile(options: readonly string[]): Uint8Array {
  return pathBytes(options.map((option) => `${option}\0`).join(''));
}

/** Options for a process table of the sandbox's own, which holds the kernel's parameters too and so is read-only. */
export const ownProcesses: readonly string[] = ['--proc', '/proc', '--remount-ro', '/proc'];

/** How one place looks to a command. */
export type Mount =
  | { readonly kind: 'writable' | 'read-only' | 'unreadable-file' }
  | { readonly kind: 'empty-folder'; readonly mode: '000' | '111' | '555' }
  | { readonly kind: 'link'; readonly target: string };

/** The same as options of bubblewrap. */
export function mountOptions(path: string, mount: Mount): readonly string[] {
  if (mount.kind === 'empty-folder') return ['--perms', mount.mode, '--tmpfs', path];
  if (mount.kind === 'link') return ['--symlink', mount.target, path];
  if (mount.kind === 'writable') return ['--bind', path, path];
  // A device on a mount without devices: opening it is refused to every process.
  return ['--ro-bind', mount.kind === 'unreadable-file' ? '/dev/null' : path, path];
}
