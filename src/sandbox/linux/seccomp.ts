import type { NetworkAccess } from '../../protocol/permission-profile.ts';

/**
 * The system-call filter, as a program for the kernel's classic packet-filter machine.
 *
 * The network namespace cuts off IP and abstract Unix sockets. Named Unix sockets are left, on which a container engine
 * or a key agent listens, and the filter cannot see the target of a `connect`: so no socket may connect, bind or
 * listen, and datagram sockets are refused. Connected pairs stay: build tools use them to reach their children.
 *
 * With the network enabled only calls that reach around a filter or out of a namespace are refused.
 */
export function seccompFilter(architecture: SeccompArchitecture, network: NetworkAccess): Uint8Array {
  const { audit, calls, foreignCalls } = architectures[architecture];
  const program: Statement[] = [
    load(offset.architecture),
    // Another calling convention has other numbers: nothing below would hold.
    jump('equal', audit, 'next', 'kill'),
    load(offset.call),
    ...(foreignCalls === undefined ? [] : [jump('atLeast', foreignCalls, 'deny', 'next')]),
  ];
  const denied = [...around, ...(network === 'restricted' ? [...introspection, ...meeting] : [])];
  for (const name of denied) program.push(jump('equal', calls[name], 'deny', 'next'));
  const check = network === 'restricted' ? 'pairs only' : 'no hypervisor';
  program.push(jump('equal', calls.socket, check, 'next'), jump('equal', calls.socketpair, check, 'allow'));
  if (network === 'restricted') {
    program.push(
      label('pairs only'),
      load(offset.firstArgument),
      jump('equal', family.unix, 'next', 'deny'),
      load(offset.secondArgument),
      { code: instruction.and, k: 0xf },
      jump('equal', socketType.stream, 'allow', 'next'),
      jump('equal', socketType.sequencedPackets, 'allow', 'deny'),
    );
  } else {
    program.push(label('no hypervisor'), load(offset.firstArgument), jump('equal', family.vsock, 'deny', 'allow'));
  }
  program.push(
    label('allow'),
    answer(0x7fff0000),
    label('deny'),
    answer(0x00050000 | notPermitted),
    label('kill'),
    answer(0x80000000),
  );
  return assemble(program);
}

export type SeccompArchitecture = 'x64' | 'arm64';

export function isSeccompArchitecture(name: string): name is SeccompArchitecture {
  return name in architectures;
}

type Call =
  | (typeof around)[number]
  | (typeof introspection)[number]
  | (typeof meeting)[number]
  | 'socket'
  | 'socketpair';

/** Work queues that no filter sees, and keys that belong to the session outside. */
const around = ['io_uring_setup', 'io_uring_enter', 'io_uring_register', 'add_key', 'request_key', 'keyctl'] as const;
/** Looking into other processes. */
const introspection = ['ptrace', 'process_vm_readv', 'process_vm_writev', 'pidfd_getfd'] as const;
/** Reaching a socket by its name, or being reached. */
const meeting = ['connect', 'bind', 'listen', 'accept', 'accept4'] as const;

const common = { io_uring_setup: 425, io_uring_enter: 426, io_uring_register: 427, pidfd_getfd: 438 };

interface Architecture {
  /** What the kernel calls this calling convention. */
  readonly audit: number;
  readonly calls: Readonly<Record<Call, number>>;
  /** Numbers from here on belong to another convention under the same name. */
  readonly foreignCalls?: number;
}

const architectures: Readonly<Record<SeccompArchitecture, Architecture>> = {
  x64: {
    audit: 0xc000003e,
    foreignCalls: 0x40000000,
    calls: {
      ...common,
      add_key: 248,
      request_key: 249,
      keyctl: 250,
      ptrace: 101,
      process_vm_readv: 310,
      process_vm_writev: 311,
      connect: 42,
      bind: 49,
      listen: 50,
      accept: 43,
      accept4: 288,
      socket: 41,
      socketpair: 53,
    },
  },
  arm64: {
    audit: 0xc00000b7,
    calls: {
      ...common,
      add_key: 217,
      request_key: 218,
      keyctl: 219,
      ptrace: 117,
      process_vm_readv: 270,
      process_vm_writev: 271,
      connect: 203,
      bind: 200,
      listen: 201,
      accept: 202,
      accept4: 242,
      socket: 198,
      socketpair: 199,
    },
  },
};

/** Positions in what the kernel shows to the program. Arguments are 64 bits wide; these calls use the lower half. */
const offset = { call: 0, architecture: 4, firstArgument: 16, secondArgument: 24 };
const instruction = { load: 0x20, equal: 0x15, atLeast: 0x35, and: 0x54, answer: 0x06 };
const family = { unix: 1, vsock: 40 };
const socketType = { stream: 1, sequencedPackets: 5 };
const notPermitted = 1;

type Statement =
  | { readonly code: number; readonly k: number; readonly yes?: string; readonly no?: string }
  | { readonly label: string };

const load = (k: number): Statement => ({ code: instruction.load, k });
const answer = (k: number): Statement => ({ code: instruction.answer, k });
const label = (name: string): Statement => ({ label: name });
const jump = (test: 'equal' | 'atLeast', k: number, yes: string, no: string): Statement => ({
  code: instruction[test],
  k,
  yes,
  no,
});

/** Eight bytes per instruction: code, distance if true, distance if false, operand. */
function assemble(program: readonly Statement[]): Uint8Array {
  const labels = new Map<string, number>();
  const instructions: Exclude<Statement, { label: string }>[] = [];
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
