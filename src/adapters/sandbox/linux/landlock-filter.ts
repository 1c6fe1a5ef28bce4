import type { NetworkAccess } from '../../../protocol/permissions.ts';
import {
  allowStatement,
  assembleFilter,
  callJumps,
  errorStatement,
  jumpStatement,
  labelStatement,
  loadStatement,
  systemCallsOn,
} from './seccomp.ts';
import type { SeccompArchitecture, FilterStatement } from './seccomp.ts';

export interface LandlockFilterRequest {
  readonly network: NetworkAccess;
  /** Commands may write something. If not, no attribute of any file may change. */
  readonly writes: boolean;
  /** The user's own ids: changing the owner to these has no effect. */
  readonly user: { readonly uid: number; readonly gid: number };
}

/**
 * Refuses calls that Landlock does not check and that namespaces would have made harmless. The kernel also applies the
 * usual filter and takes the stricter answer.
 *
 * - Landlock does not check changes of file attributes. Commands that write need to set modes and times, so they can
 *   set them outside of the writable folders too. They cannot change owners or extended attributes of an existing file,
 *   nor give it a set-user-id bit or a mode that lets everyone write. A new file in a writable folder may get any mode
 *   from `open` and `mknod`: it belongs to the command's own user, who gains nothing by it.
 * - There is no namespace for processes and for System V IPC, so the filter refuses access to limits, priorities and
 *   processors of other processes, and to memory, queues and semaphores that all processes of the user share.
 * - Commands make no namespaces and no mounts.
 * - Without network, every call that reaches another process through a socket fails: only connected pairs are left.
 */
export function landlockFilter(architecture: SeccompArchitecture, { network, writes, user }: LandlockFilterRequest) {
  const denied = [mountCalls, ipcCalls, ...(writes ? [] : [modes, owners, times])];
  const refused = network === 'restricted' ? [...denied, socketCalls] : denied;
  const checked = checks(architecture, writes, user);
  const body = [
    ...checked.map(({ number, name }) => jumpStatement('equal', number, name, 'next')),
    jumpStatement('equal', clone3, 'unknown', 'next'),
    ...callJumps(architecture, extendedAttributes, 'unsupported'),
    ...refused.flatMap((table) => callJumps(architecture, table, 'deny')),
    jumpStatement('equal', 0, 'allow', 'allow'),
    ...checked.flatMap(({ name, statements }) => [labelStatement(name), ...statements]),
  ];
  return assembleFilter(architecture, body, [
    // The flags of `clone3` are in memory, which filters cannot read. Libraries then use the older `clone`.
    labelStatement('unknown'),
    errorStatement(notImplemented),
    // Answers like a file system without extended attributes, so that programs that copy files continue.
    labelStatement('unsupported'),
    errorStatement(notSupported),
  ]);
}

const [notImplemented, notSupported] = [38, 95];
const namespaceFlags = 0x7e02_0000;
/** Makes a process that the engine, not the command, would have to wait for. */
const siblingFlag = 0x8000;
/** Set-user-id, set-group-id, and world-writable. */
const dangerousModes = 0o6002;
/** Terminal input and attributes of files: TIOCSTI, TIOCLINUX, FS_IOC_SETFLAGS, FS_IOC_FSSETXATTR. */
const deniedRequests = [0x5412, 0x541c, 0x4008_6602, 0x401c_5820];
const nobody = 0xffff_ffff;
const argument = (index: number): FilterStatement => loadStatement(16 + 8 * index);

/** Checks of calls that depend on arguments. Each ends in a verdict. */
function checks(architecture: SeccompArchitecture, writes: boolean, { uid, gid }: LandlockFilterRequest['user']) {
  const check = (table: string, statements: (position: number, name: string) => readonly FilterStatement[]) =>
    systemCallsOn(architecture, table).map((call) => ({ ...call, statements: statements(call.position, call.name) }));
  const always = [
    ...check(clone, () => [argument(0), jumpStatement('anyOf', namespaceFlags | siblingFlag, 'deny', 'allow')]),
    ...check(unshare, () => [argument(0), jumpStatement('anyOf', namespaceFlags | 0x80, 'deny', 'allow')]),
    ...check(ofProcess, () => [argument(0), jumpStatement('equal', 0, 'allow', 'deny')]),
    // A number other than zero names another process; groups and users contain other processes anyway.
    ...check(ofProcesses, (one) => [
      argument(0),
      jumpStatement('equal', one, 'next', 'deny'),
      argument(1),
      jumpStatement('equal', 0, 'allow', 'deny'),
    ]),
    ...check(ioctl, () => [
      argument(1),
      ...deniedRequests.map((request) => jumpStatement('equal', request, 'deny', 'next')),
      allowStatement,
    ]),
  ];
  if (!writes) return always;
  return [
    ...always,
    ...check(modes, (at) => [argument(at), jumpStatement('anyOf', dangerousModes, 'deny', 'allow')]),
    ...check(owners, (at, name) => [
      argument(at),
      jumpStatement('equal', uid, `${name} group`, 'next'),
      jumpStatement('equal', nobody, `${name} group`, 'deny'),
      labelStatement(`${name} group`),
      argument(at + 1),
      jumpStatement('equal', gid, 'allow', 'next'),
      jumpStatement('equal', nobody, 'allow', 'deny'),
    ]),
  ];
}

/* Calls, for `systemCallsOn`. */

const clone3 = 435;
const clone = 'clone 56 220';
const unshare = 'unshare 272 97';
const ioctl = 'ioctl 16 29';
/** Calls that take a process first. Zero is the caller; a filter cannot tell if any other is inside the sandbox. */
const ofProcess =
  'prlimit64 302 261, sched_setaffinity 203 122, sched_setattr 314 274, sched_setparam 142 118, sched_setscheduler 144 119';
/** Calls about a process, group or user: a process if the first argument is the last number here; its id follows. */
const ofProcesses = 'setpriority 141 140 0, ioprio_set 251 30 1';
/** Calls that change a file's mode, with the position of the mode. */
const modes = 'chmod 90 - 1, fchmod 91 52 1, fchmodat 268 53 2, fchmodat2 452 452 2';
/** Calls that change the owner, with the position of the user; the group follows. */
const owners = 'chown 92 - 1, lchown 94 - 1, fchown 93 55 1, fchownat 260 54 2';
const times = 'utime 132 -, utimes 235 -, futimesat 261 -, utimensat 280 88';
const extendedAttributes = `setxattr 188 5, lsetxattr 189 6, fsetxattr 190 7, setxattrat 463 463, removexattr 197 14,
  lremovexattr 198 15, fremovexattr 199 16, removexattrat 466 466, file_setattr 469 469`;
const mountCalls = `setns 308 268, chroot 161 51, pivot_root 155 41, mount 165 40, umount2 166 39,
  mount_setattr 442 442, move_mount 429 429, open_tree 428 428, open_tree_attr 467 467, fsopen 430 430,
  fsconfig 431 431, fsmount 432 432, fspick 433 433`;
const ipcCalls = `shmget 29 194, shmat 30 196, shmctl 31 195, semget 64 190, semop 65 193, semtimedop 220 192,
  semctl 66 191, msgget 68 186, msgsnd 69 189, msgrcv 70 188, msgctl 71 187, mq_open 240 180, mq_unlink 241 181`;
const socketCalls = 'socket 41 198, connect 42 203, bind 49 200, listen 50 201, accept 43 202, accept4 288 242';
