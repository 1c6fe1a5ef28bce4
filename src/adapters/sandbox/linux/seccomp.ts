import type { NetworkAccess } from '../../../protocol/permissions.ts';

export interface FilterRequest {
  readonly network: NetworkAccess;
  /** With a restricted network: commands have their own network namespace. If false, only the filter isolates them. */
  readonly isApart: boolean;
  /** With a restricted network: sockets with names on disk may be opened. Mounts must hide those that matter. */
  readonly pathSockets: boolean;
}

/**
 * The system-call filter in classic BPF. A network namespace isolates IP, but not sockets with names on disk, such as a
 * container engine's or a key agent's. The filter cannot see the target of a `connect`, so it permits only connected
 * pairs of Unix sockets, and no datagram pairs, since a message can name another target. Netlink stays for questions
 * about the loopback, which development servers ask. With the network enabled, only calls that bypass a filter, leave a
 * namespace or reach into the kernel are refused.
 */
export function seccompFilter(architecture: SeccompArchitecture, request: FilterRequest): Uint8Array {
  const { foreignCalls } = architectures[architecture];
  const [fcntl = 0, socket = 0, socketpair = 0] = systemCallsOn(architecture, checked).map(({ number }) => number);
  const isRestricted = request.network === 'restricted';
  const refused = [around, kernel, ...(isRestricted ? [introspection] : [])];
  return assembleFilter(architecture, [
    ...(foreignCalls === undefined ? [] : [jumpStatement('atLeast', foreignCalls, 'deny', 'next')]),
    ...refused.flatMap((table) => callJumps(architecture, table, 'deny')),
    jumpStatement('equal', fcntl, 'lease', 'next'),
    jumpStatement('equal', socket, isRestricted ? 'family' : 'no hypervisor', 'next'),
    jumpStatement('equal', socketpair, isRestricted ? 'pair' : 'no hypervisor', 'allow'),
    ...(isRestricted ? families(request) : noHypervisor),
    // A lease on a file makes the user's other programs wait, and a command needs no write access to take one.
    labelStatement('lease'),
    loadStatement(argumentOffset.second),
    ...leases.map((k) => jumpStatement('equal', k, 'deny', 'next')),
  ]);
}

/** Sockets that a restricted command may create: checks at `family`, and at `pair` for both ends at once. */
function families({ isApart, pathSockets }: FilterRequest): readonly FilterStatement[] {
  const internet = isApart ? 'internet' : 'deny';
  return [
    labelStatement('family'),
    loadStatement(argumentOffset.first),
    jumpStatement('equal', family.inet, internet, 'next'),
    jumpStatement('equal', family.inet6, internet, 'next'),
    jumpStatement('equal', family.netlink, isApart ? 'questions' : 'deny', pathSockets ? 'next' : 'deny'),
    labelStatement('pair'),
    loadStatement(argumentOffset.first),
    jumpStatement('equal', family.unix, 'next', 'deny'),
    loadStatement(argumentOffset.second),
    { code: instruction.and, k: 0xf },
    jumpStatement('equal', socketType.stream, 'allow', 'next'),
    jumpStatement('equal', socketType.sequencedPackets, 'allow', 'deny'),
    labelStatement('internet'),
    loadStatement(argumentOffset.second),
    { code: instruction.and, k: 0xf },
    jumpStatement('equal', socketType.stream, 'protocol', 'next'),
    jumpStatement('equal', socketType.datagram, 'protocol', 'deny'),
    // Other protocols would make the kernel load modules that no test needs.
    labelStatement('protocol'),
    loadStatement(argumentOffset.third),
    jumpStatement('equal', protocol.tcp, 'allow', 'next'),
    jumpStatement('equal', protocol.udp, 'allow', 'next'),
    // Allows only protocol 0: for internet sockets the default, for netlink the one for routes.
    labelStatement('questions'),
    loadStatement(argumentOffset.third),
    jumpStatement('equal', 0, 'allow', 'deny'),
  ];
}

/** Jumps from the calls of a table to a verdict. */
export const callJumps = (architecture: SeccompArchitecture, table: string, verdict: string) =>
  systemCallsOn(architecture, table).map(({ number }) => jumpStatement('equal', number, verdict, 'next'));

/** The kernel's id of each calling convention. From `foreignCalls` on, call numbers belong to another convention. */
const architectures = {
  x64: { audit: 0xc000003e, foreignCalls: 0x40000000 },
  arm64: { audit: 0xc00000b7, foreignCalls: undefined },
} as const;

export type SeccompArchitecture = keyof typeof architectures;
export const isSeccompArchitecture = (name: string): name is SeccompArchitecture => name in architectures;

/**
 * The calls of a table that an architecture has. Each row has a name, the numbers on x64 and on arm64, and perhaps a
 * position among the arguments. A dash: the architecture lacks the call.
 */
export function systemCallsOn(architecture: SeccompArchitecture, table: string) {
  const rows = table.split(',').map((row) => row.trim().split(/\s+/));
  const calls = rows.map(([name = '', x64, arm64, at]) => ({ name, number: architecture === 'x64' ? x64 : arm64, at }));
  const present = calls.filter(({ number }) => number !== '-');
  return present.map(({ name, number, at }) => ({ name, number: Number(number), position: Number(at) }));
}

/** Calls whose arguments decide. */
const checked = 'fcntl 72 25, socket 41 198, socketpair 53 199';
/** Calls that lead around the filter: work queues, whose calls it cannot see, and keys of the session outside. */
const around = `io_uring_setup 425 425, io_uring_enter 426 426, io_uring_register 427 427, add_key 248 217,
  request_key 249 218, keyctl 250 219`;
/**
 * Kernel features that no build needs and that have allowed many sandbox escapes: BPF, counters, user page faults, file
 * handles, file system events and quotas, the kernel log. Programs cope with refusals. Not listed: what the kernel
 * refuses without capabilities anyway (modules, kexec, clocks, swap, mounts), and what runtimes and tools use
 * (`name_to_handle_at`, `kcmp`, `mbind`, `memfd_create`, Landlock, filters of their own).
 */
const kernel = `bpf 321 280, perf_event_open 298 241, userfaultfd 323 282, open_by_handle_at 304 265,
  fanotify_init 300 262, quotactl 179 60, quotactl_fd 443 443, syslog 103 116`;
const introspection = 'ptrace 101 117, process_vm_readv 310 270, process_vm_writev 311 271, pidfd_getfd 438 438';
/** F_SETLEASE and F_SETDELEG. */
const leases = [1024, 1040];
/** Offsets in the data that the filter gets. Arguments are 64 bits wide; these calls use the lower half. */
const argumentOffset = { first: 16, second: 24, third: 32 };
const [callOffset, architectureOffset] = [0, 4];
const instruction = { load: 0x20, equal: 0x15, atLeast: 0x35, anyOf: 0x45, and: 0x54, answer: 0x06 };
const family = { unix: 1, inet: 2, inet6: 10, netlink: 16, vsock: 40 };
const socketType = { stream: 1, datagram: 2, sequencedPackets: 5 };
const protocol = { tcp: 6, udp: 17 };
const notPermitted = 1;

export type FilterStatement =
  | { readonly code: number; readonly k: number; readonly yes?: string; readonly no?: string }
  | { readonly label: string };

export const loadStatement = (k: number): FilterStatement => ({ code: instruction.load, k });
const answerStatement = (k: number): FilterStatement => ({ code: instruction.answer, k });
export const labelStatement = (name: string): FilterStatement => ({ label: name });
/** `anyOf`: at least one of the bits is set. */
export function jumpStatement(
  test: 'equal' | 'atLeast' | 'anyOf',
  k: number,
  yes: string,
  no: string,
): FilterStatement {
  return { code: instruction[test], k, yes, no };
}

/** The error that the call gives. */
export const errorStatement = (number: number): FilterStatement => answerStatement(0x00050000 | number);
export const allowStatement = answerStatement(0x7fff0000);

const noHypervisor: readonly FilterStatement[] = [
  labelStatement('no hypervisor'),
  loadStatement(argumentOffset.first),
  jumpStatement('equal', family.vsock, 'deny', 'allow'),
];

/**
 * The program that allows a call unless `body` jumps to `deny`, `kill` or a label in `more`. Eight bytes per
 * instruction: code, distance if true, distance if false, operand.
 */
export function assembleFilter(
  architecture: SeccompArchitecture,
  body: readonly FilterStatement[],
  more: readonly FilterStatement[] = [],
): Uint8Array {
  const program = [
    loadStatement(architectureOffset),
    // Another calling convention has other numbers, so none of the checks would hold.
    jumpStatement('equal', architectures[architecture].audit, 'next', 'kill'),
    loadStatement(callOffset),
    ...body,
    labelStatement('allow'),
    allowStatement,
    labelStatement('deny'),
    errorStatement(notPermitted),
    ...more,
    labelStatement('kill'),
    answerStatement(0x80000000),
  ];
  const labels = new Map<string, number>();
  const instructions: Exclude<FilterStatement, { label: string }>[] = [];
  for (const statement of program) {
    if ('label' in statement) labels.set(statement.label, instructions.length);
    else instructions.push(statement);
  }
  const bytes = Buffer.alloc(instructions.length * 8);
  for (const [index, { code, k, yes, no }] of instructions.entries()) {
    const distance = (target: string | undefined) =>
      target === undefined || target === 'next' ? 0 : (labels.get(target) ?? Number.NaN) - index - 1;
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(distance(yes), index * 8 + 2);
    bytes.writeUInt8(distance(no), index * 8 + 3);
    bytes.writeUInt32LE(k >>> 0, index * 8 + 4);
  }
  return bytes;
}
