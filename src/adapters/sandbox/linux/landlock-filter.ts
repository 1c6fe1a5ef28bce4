import type { NetworkAccess } from '../../../protocol/permissions.ts';
import { answer, assemble, jump, label, load, offset, type SeccompArchitecture, type Statement } from './seccomp.ts';

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
  const numberOf = (name: Call): number | undefined => callNumbers[name][column];
  const refused: readonly Call[] = [
    ...mountCalls,
    ...ipcCalls,
    ...(writes ? [] : [...modes.keys(), ...owners.keys(), ...times]),
    ...(network === 'restricted' ? socketCalls : []),
  ];
  const checked = [...checks(writes, user)].flatMap(([name, statements]) => {
    const number = numberOf(name);
    return number === undefined ? [] : [{ number, name, statements }];
  });
  const numbers = refused.map(numberOf).filter((number) => number !== undefined);
  return assemble([
    load(offset.architecture),
    // Another calling convention has other numbers.
    jump('equal', architecture === 'x64' ? 0xc000003e : 0xc00000b7, 'next', 'kill'),
    load(offset.call),
    ...checked.map(({ number, name }) => jump('equal', number, name, 'next')),
    jump('equal', numberOf('clone3')!, 'unknown', 'next'),
    ...extendedAttributes.map((name) => jump('equal', numberOf(name)!, 'unsupported', 'next')),
    ...numbers.map((number) => jump('equal', number, 'deny', 'next')),
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

const notPermitted = 1;
const notImplemented = 38;
const notSupported = 95;

const namespaceFlags = 0x7e02_0000;
/** Makes a process that the engine, not the command, would have to wait for. */
const siblingFlag = 0x8000;
/** Set-user-id, set-group-id, and world-writable. */
const dangerousModes = 0o6002;
/** Terminal input and attributes of files: TIOCSTI, TIOCLINUX, FS_IOC_SETFLAGS, FS_IOC_FSSETXATTR. */
const deniedRequests = [0x5412, 0x541c, 0x4008_6602, 0x401c_5820];

const argument = (index: number): Statement => load(16 + 8 * index);

/** Checks of calls that depend on arguments. Each ends in a verdict. */
function checks(writes: boolean, { uid, gid }: LandlockFilterRequest['user']): Map<Call, readonly Statement[]> {
  const found = new Map<Call, readonly Statement[]>([
    ['clone', [argument(0), jump('anyOf', namespaceFlags | siblingFlag, 'deny', 'allow')]],
    ['unshare', [argument(0), jump('anyOf', namespaceFlags | 0x80, 'deny', 'allow')]],
    ...ofProcess.map((name) => [name, [argument(0), jump('equal', 0, 'allow', 'deny')]] as const),
    // Groups and users include other processes, whatever number follows.
    ...[...ofProcesses].map(
      ([name, one]) =>
        [
          name,
          [argument(0), jump('equal', one, 'next', 'deny'), argument(1), jump('equal', 0, 'allow', 'deny')],
        ] as const,
    ),
    ['ioctl', [argument(1), ...deniedRequests.map((k) => jump('equal', k, 'deny', 'next')), answer(0x7fff0000)]],
  ]);
  if (!writes) return found;
  for (const [name, at] of modes) found.set(name, [argument(at), jump('anyOf', dangerousModes, 'deny', 'allow')]);
  const nobody = 0xffff_ffff;
  for (const [name, at] of owners) {
    const group = `${name} group`;
    found.set(name, [
      argument(at),
      jump('equal', uid, group, 'next'),
      jump('equal', nobody, group, 'deny'),
      label(group),
      argument(at + 1),
      jump('equal', gid, 'allow', 'next'),
      jump('equal', nobody, 'allow', 'deny'),
    ]);
  }
  return found;
}

/** On x64 and on arm64, which lacks the oldest ones. */
const callNumbers = {
  accept: [43, 202],
  accept4: [288, 242],
  bind: [49, 200],
  chmod: [90, undefined],
  chown: [92, undefined],
  chroot: [161, 51],
  clone: [56, 220],
  clone3: [435, 435],
  connect: [42, 203],
  fchmod: [91, 52],
  fchmodat: [268, 53],
  fchmodat2: [452, 452],
  fchown: [93, 55],
  fchownat: [260, 54],
  file_setattr: [469, 469],
  fremovexattr: [199, 16],
  fsconfig: [431, 431],
  fsetxattr: [190, 7],
  fsmount: [432, 432],
  fsopen: [430, 430],
  fspick: [433, 433],
  futimesat: [261, undefined],
  ioctl: [16, 29],
  ioprio_set: [251, 30],
  lchown: [94, undefined],
  listen: [50, 201],
  lremovexattr: [198, 15],
  lsetxattr: [189, 6],
  mount: [165, 40],
  mount_setattr: [442, 442],
  move_mount: [429, 429],
  mq_open: [240, 180],
  mq_unlink: [241, 181],
  msgctl: [71, 187],
  msgget: [68, 186],
  msgrcv: [70, 188],
  msgsnd: [69, 189],
  open_tree: [428, 428],
  open_tree_attr: [467, 467],
  pivot_root: [155, 41],
  prlimit64: [302, 261],
  removexattr: [197, 14],
  removexattrat: [466, 466],
  sched_setaffinity: [203, 122],
  sched_setattr: [314, 274],
  sched_setparam: [142, 118],
  sched_setscheduler: [144, 119],
  semctl: [66, 191],
  semget: [64, 190],
  semop: [65, 193],
  semtimedop: [220, 192],
  setns: [308, 268],
  setpriority: [141, 140],
  setxattr: [188, 5],
  setxattrat: [463, 463],
  shmat: [30, 196],
  shmctl: [31, 195],
  shmget: [29, 194],
  socket: [41, 198],
  umount2: [166, 39],
  unshare: [272, 97],
  utime: [132, undefined],
  utimensat: [280, 88],
  utimes: [235, undefined],
} as const satisfies Readonly<Record<string, readonly [x64: number, arm64: number | undefined]>>;

type Call = keyof typeof callNumbers;

/**
 * Calls whose first argument is a process. Zero is the caller; a filter cannot distinguish its other processes from
 * those outside.
 */
const ofProcess = [
  'prlimit64',
  'sched_setaffinity',
  'sched_setattr',
  'sched_setparam',
  'sched_setscheduler',
] as const satisfies readonly Call[];

/** Calls about one process, a group or a user, with the constant for one process. The process follows. */
const ofProcesses: ReadonlyMap<Call, number> = new Map([
  ['setpriority', 0],
  ['ioprio_set', 1],
]);

/** Calls that change a file's mode, with the position of the mode. */
const modes: ReadonlyMap<Call, number> = new Map([
  ['chmod', 1],
  ['fchmod', 1],
  ['fchmodat', 2],
  ['fchmodat2', 2],
]);

/** Calls that change the owner, with the position of the user; the group follows. */
const owners: ReadonlyMap<Call, number> = new Map([
  ['chown', 1],
  ['lchown', 1],
  ['fchown', 1],
  ['fchownat', 2],
]);

const times = ['utime', 'utimes', 'futimesat', 'utimensat'] as const satisfies readonly Call[];

const extendedAttributes = [
  'setxattr',
  'lsetxattr',
  'fsetxattr',
  'setxattrat',
  'removexattr',
  'lremovexattr',
  'fremovexattr',
  'removexattrat',
  'file_setattr',
] as const satisfies readonly Call[];

const mountCalls = [
  'setns',
  'chroot',
  'pivot_root',
  'mount',
  'umount2',
  'mount_setattr',
  'move_mount',
  'open_tree',
  'open_tree_attr',
  'fsopen',
  'fsconfig',
  'fsmount',
  'fspick',
] as const satisfies readonly Call[];

const ipcCalls = [
  'shmget',
  'shmat',
  'shmctl',
  'semget',
  'semop',
  'semtimedop',
  'semctl',
  'msgget',
  'msgsnd',
  'msgrcv',
  'msgctl',
  'mq_open',
  'mq_unlink',
] as const satisfies readonly Call[];

const socketCalls = ['socket', 'connect', 'bind', 'listen', 'accept', 'accept4'] as const satisfies readonly Call[];
