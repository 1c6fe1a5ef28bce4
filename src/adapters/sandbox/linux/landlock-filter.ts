import type { NetworkAccess } from '../../../protocol/permissions.ts';
import {
  answer,
  assemble,
  type CallNumbers,
  jump,
  label,
  load,
  offset,
  type SeccompArchitecture,
  type Statement,
} from './seccomp.ts';

export interface LandlockFilterRequest {
  readonly network: NetworkAccess;
  /** Commands may write something. If not, no attribute of any file may change. */
  readonly writes: boolean;
  /** The user's own ids: changing the owner to these has no effect. */
  readonly user: { readonly uid: number; readonly gid: number };
}

/**
 * Refuses the calls that Landlock does not see and that namespaces would have made harmless. It is put on top of the usual
 * filter: the kernel takes the stricter answer.
 *
 * - Landlock knows no attributes of files. Where commands write, modes and times must work, so those can be changed
 *   outside of the writable folders too. Of a file that exists, owners and extended attributes cannot change, nor can it get
 *   a set-user-id bit or a mode that lets everyone write. A new file in a writable folder can: `open` and `mknod` take any
 *   mode. It belongs to the user of the command, who gains nothing by it.
 * - There is no namespace for processes and for System V IPC: limits, priorities and processors of other processes, and
 *   memory, queues and semaphores that all processes of the user share, are out of reach.
 * - Commands make no namespaces and no mounts.
 * - Without network, every call that meets another process through a socket fails: only connected pairs are left.
 */
export function landlockFilter(
  architecture: SeccompArchitecture,
  { network, writes, user }: LandlockFilterRequest,
): Uint8Array {
  const column = architecture === 'x64' ? 0 : 1;
  const refused = {
    ...mountCalls,
    ...ipcCalls,
    ...(writes ? {} : { ...modes, ...owners, ...times }),
    ...(network === 'restricted' ? socketCalls : {}),
  };
  const checked = checks(writes, user).flatMap(([name, numbers, statements]) => {
    const number = numbers[column];
    return number === undefined ? [] : [{ number, name, statements }];
  });
  const numbers = Object.values(refused).map((each: CallNumbers) => each[column]);
  return assemble([
    load(offset.architecture),
    // Another calling convention has other numbers.
    jump('equal', architecture === 'x64' ? 0xc000003e : 0xc00000b7, 'next', 'kill'),
    load(offset.call),
    ...checked.map(({ number, name }) => jump('equal', number, name, 'next')),
    jump('equal', clone3, 'unknown', 'next'),
    ...Object.values(extendedAttributes).map((each) => jump('equal', each[column], 'unsupported', 'next')),
    ...numbers.filter((number) => number !== undefined).map((number) => jump('equal', number, 'deny', 'next')),
    jump('equal', 0, 'allow', 'allow'),
    ...checked.flatMap(({ name, statements }) => [label(name), ...statements]),
    label('allow'),
    answer(0x7fff0000),
    label('deny'),
    answer(0x00050000 | notPermitted),
    // Its flags are in memory, which filters cannot read. Libraries then use the older call.
    label('unknown'),
    answer(0x00050000 | notImplemented),
    // The answer of a file system without them, so that programs that copy files continue.
    label('unsupported'),
    answer(0x00050000 | notSupported),
    label('kill'),
    answer(0x80000000),
  ]);
}

const [notPermitted, notImplemented, notSupported] = [1, 38, 95];

const namespaceFlags = 0x7e02_0000;
/** Makes a process that the engine, not the command, would have to wait for. */
const siblingFlag = 0x8000;
/** Set-user-id, set-group-id, and world-writable. */
const dangerousModes = 0o6002;
/** Terminal input and attributes of files: TIOCSTI, TIOCLINUX, FS_IOC_SETFLAGS, FS_IOC_FSSETXATTR. */
const deniedRequests = [0x5412, 0x541c, 0x4008_6602, 0x401c_5820];
const nobody = 0xffff_ffff;

type Check = readonly [name: string, numbers: CallNumbers, statements: readonly Statement[]];

const argument = (index: number): Statement => load(16 + 8 * index);

/** Checks of calls that depend on arguments. Each ends in a verdict. */
function checks(writes: boolean, { uid, gid }: LandlockFilterRequest['user']): readonly Check[] {
  const always: readonly Check[] = [
    ['clone', [56, 220], [argument(0), jump('anyOf', namespaceFlags | siblingFlag, 'deny', 'allow')]],
    ['unshare', [272, 97], [argument(0), jump('anyOf', namespaceFlags | 0x80, 'deny', 'allow')]],
    ...Object.entries(ofProcess).map(([name, numbers]): Check => [
      name,
      numbers,
      [argument(0), jump('equal', 0, 'allow', 'deny')],
    ]),
    // Groups and users include other processes, whatever number follows.
    ...Object.entries(ofProcesses).map(([name, [x64, arm64, one]]): Check => {
      const isOne = [argument(0), jump('equal', one, 'next', 'deny')];
      return [name, [x64, arm64], [...isOne, argument(1), jump('equal', 0, 'allow', 'deny')]];
    }),
    [
      'ioctl',
      [16, 29],
      [argument(1), ...deniedRequests.map((k) => jump('equal', k, 'deny', 'next')), answer(0x7fff0000)],
    ],
  ];
  if (!writes) return always;
  return [
    ...always,
    ...Object.entries(modes).map(([name, [x64, arm64, at]]): Check => {
      return [name, [x64, arm64], [argument(at), jump('anyOf', dangerousModes, 'deny', 'allow')]];
    }),
    ...Object.entries(owners).map(([name, [x64, arm64, at]]): Check => {
      const group = `${name} group`;
      const isOwnUser = [argument(at), jump('equal', uid, group, 'next'), jump('equal', nobody, group, 'deny')];
      const isOwnGroup = [
        argument(at + 1),
        jump('equal', gid, 'allow', 'next'),
        jump('equal', nobody, 'allow', 'deny'),
      ];
      return [name, [x64, arm64], [...isOwnUser, label(group), ...isOwnGroup]];
    }),
  ];
}

const clone3 = 435;

/**
 * Calls whose first argument is a process. Zero is the caller; a filter cannot distinguish its other processes from
 * those outside. Here and below: numbers on x64 and on arm64, which lacks the oldest calls.
 */
const ofProcess = {
  prlimit64: [302, 261],
  sched_setaffinity: [203, 122],
  sched_setattr: [314, 274],
  sched_setparam: [142, 118],
  sched_setscheduler: [144, 119],
} as const;

/** Calls about one process, a group or a user, with the constant for one process. The process follows. */
const ofProcesses = { setpriority: [141, 140, 0], ioprio_set: [251, 30, 1] } as const;

/** Calls that change a file's mode, with the position of the mode. */
const modes = {
  chmod: [90, undefined, 1],
  fchmod: [91, 52, 1],
  fchmodat: [268, 53, 2],
  fchmodat2: [452, 452, 2],
} as const;

/** Calls that change the owner, with the position of the user; the group follows. */
const owners = {
  chown: [92, undefined, 1],
  lchown: [94, undefined, 1],
  fchown: [93, 55, 1],
  fchownat: [260, 54, 2],
} as const;

const times = {
  utime: [132, undefined],
  utimes: [235, undefined],
  futimesat: [261, undefined],
  utimensat: [280, 88],
} as const;

const extendedAttributes = {
  setxattr: [188, 5],
  lsetxattr: [189, 6],
  fsetxattr: [190, 7],
  setxattrat: [463, 463],
  removexattr: [197, 14],
  lremovexattr: [198, 15],
  fremovexattr: [199, 16],
  removexattrat: [466, 466],
  file_setattr: [469, 469],
} as const;

const mountCalls = {
  setns: [308, 268],
  chroot: [161, 51],
  pivot_root: [155, 41],
  mount: [165, 40],
  umount2: [166, 39],
  mount_setattr: [442, 442],
  move_mount: [429, 429],
  open_tree: [428, 428],
  open_tree_attr: [467, 467],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
} as const;

const ipcCalls = {
  shmget: [29, 194],
  shmat: [30, 196],
  shmctl: [31, 195],
  semget: [64, 190],
  semop: [65, 193],
  semtimedop: [220, 192],
  semctl: [66, 191],
  msgget: [68, 186],
  msgsnd: [69, 189],
  msgrcv: [70, 188],
  msgctl: [71, 187],
  mq_open: [240, 180],
  mq_unlink: [241, 181],
} as const;

const socketCalls = {
  socket: [41, 198],
  connect: [42, 203],
  bind: [49, 200],
  listen: [50, 201],
  accept: [43, 202],
  accept4: [288, 242],
} as const;
