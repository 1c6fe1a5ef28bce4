import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { landlockFilter } from './landlock-filter.ts';
import { seccompFilter } from './seccomp.ts';

interface SystemCall {
  readonly audit: number;
  readonly call: number;
  readonly arguments?: readonly number[];
}

/** Runs the program as the kernel would. */
function decide(
  filter: Uint8Array,
  { audit, call, arguments: given = [] }: SystemCall,
): 'allow' | 'deny' | 'unknown' | 'unsupported' | 'kill' {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(call >>> 0, 0);
  data.writeUInt32LE(audit, 4);
  for (const [index, value] of given.entries()) data.writeBigUInt64LE(BigInt(value), 16 + index * 8);
  const program = Buffer.from(filter);
  let accumulator = 0;
  for (let at = 0; at < program.length; at += 8) {
    const code = program.readUInt16LE(at);
    const yes = program.readUInt8(at + 2);
    const no = program.readUInt8(at + 3);
    const k = program.readUInt32LE(at + 4);
    if (code === 0x20) accumulator = data.readUInt32LE(k);
    else if (code === 0x54) accumulator = (accumulator & k) >>> 0;
    else if (code === 0x15) at += (accumulator === k ? yes : no) * 8;
    else if (code === 0x45) at += ((accumulator & k) !== 0 ? yes : no) * 8;
    else if (code === 0x35) at += (accumulator >= k ? yes : no) * 8;
    else if (code === 0x06) return answers.get(k) ?? fail(k);
    else return fail(code);
  }
  return fail(-1);
}

const answers: ReadonlyMap<number, 'allow' | 'deny' | 'unknown' | 'unsupported' | 'kill'> = new Map([
  [0x7fff0000, 'allow'],
  [0x50001, 'deny'],
  [0x50026, 'unknown'],
  [0x5005f, 'unsupported'],
  [0x80000000, 'kill'],
] as const);

function fail(what: number): never {
  throw new Error(`the kernel would refuse this program: ${what}`);
}

const numbers = {
  x64: {
    audit: 0xc000003e,
    read: 0,
    socket: 41,
    socketpair: 53,
    connect: 42,
    bind: 49,
    sendto: 44,
    ptrace: 101,
    fcntl: 72,
  },
  arm64: {
    audit: 0xc00000b7,
    read: 63,
    socket: 198,
    socketpair: 199,
    connect: 203,
    bind: 200,
    sendto: 206,
    ptrace: 117,
    fcntl: 25,
  },
} as const;

/** From the headers of Linux. */
const kernelCalls = {
  bpf: { x64: 321, arm64: 280 },
  perf_event_open: { x64: 298, arm64: 241 },
  userfaultfd: { x64: 323, arm64: 282 },
  open_by_handle_at: { x64: 304, arm64: 265 },
  fanotify_init: { x64: 300, arm64: 262 },
  quotactl: { x64: 179, arm64: 60 },
  quotactl_fd: { x64: 443, arm64: 443 },
  syslog: { x64: 103, arm64: 116 },
  add_key: { x64: 248, arm64: 217 },
  request_key: { x64: 249, arm64: 218 },
  keyctl: { x64: 250, arm64: 219 },
  io_uring_setup: { x64: 425, arm64: 425 },
};

const unix = 1;
const inet = 2;
const inet6 = 10;
const netlink = 16;
const packet = 17;
const vsock = 40;
const stream = 1;
const datagram = 2;
const raw = 3;
const packets = 5;
const flags = 0x80800;

const restrictedFilter = (name: 'x64' | 'arm64') =>
  seccompFilter(name, { network: 'restricted', isApart: true, pathSockets: false });

describe.each(['x64', 'arm64'] as const)('%s', (name) => {
  const { audit, read, socket, socketpair, connect, bind, sendto, ptrace, fcntl } = numbers[name];
  const restricted = restrictedFilter(name);
  const listed = seccompFilter(name, { network: 'restricted', isApart: true, pathSockets: true });
  const enabled = seccompFilter(name, { network: 'enabled', isApart: false, pathSockets: false });

  test.each([
    ['ordinary calls', read, [], 'allow', 'allow', 'allow'],
    ['connecting', connect, [], 'allow', 'allow', 'allow'],
    ['binding', bind, [], 'allow', 'allow', 'allow'],
    ['talking on a pair', sendto, [], 'allow', 'allow', 'allow'],
    ['looking into processes', ptrace, [], 'deny', 'deny', 'allow'],
    ['a lock', fcntl, [3, 6], 'allow', 'allow', 'allow'],
    ['a lease', fcntl, [3, 1024], 'deny', 'deny', 'deny'],
    ['a lease of a folder', fcntl, [3, 1040 + 2 ** 32], 'deny', 'deny', 'deny'],
    ['work queues', 425, [], 'deny', 'deny', 'deny'],
    ['a stream pair', socketpair, [unix, stream | flags], 'allow', 'allow', 'allow'],
    ['a packet pair', socketpair, [unix, packets], 'allow', 'allow', 'allow'],
    ['a datagram pair', socketpair, [unix, datagram | flags], 'deny', 'deny', 'allow'],
    ['a pair of another family', socketpair, [inet, stream], 'deny', 'deny', 'allow'],
    ['a raw socket, which is a datagram socket by another name', socket, [unix, raw], 'deny', 'deny', 'allow'],
    ['a Unix datagram socket', socket, [unix, datagram], 'deny', 'deny', 'allow'],
    ['a Unix stream', socket, [unix, stream], 'deny', 'allow', 'allow'],
    ['a Unix stream with flags', socket, [unix, stream | flags], 'deny', 'allow', 'allow'],
    ['a Unix stream with an odd protocol', socket, [unix, stream, 1], 'deny', 'allow', 'allow'],
    ['a Unix stream hidden behind high bits', socket, [unix + 2 ** 32, stream], 'deny', 'allow', 'allow'],
    ['TCP', socket, [inet, stream | flags], 'allow', 'allow', 'allow'],
    ['TCP by its number', socket, [inet6, stream, 6], 'allow', 'allow', 'allow'],
    ['UDP', socket, [inet6, datagram, 17], 'allow', 'allow', 'allow'],
    ['a protocol that would load a module', socket, [inet, stream, 132], 'deny', 'deny', 'allow'],
    ['raw packets', socket, [inet, raw, 1], 'deny', 'deny', 'allow'],
    ['packets of an interface', socket, [packet, raw], 'deny', 'deny', 'allow'],
    ['questions about interfaces', socket, [netlink, raw | flags, 0], 'allow', 'allow', 'allow'],
    ['the audit of the kernel', socket, [netlink, raw, 9], 'deny', 'deny', 'allow'],
    ['the hypervisor', socket, [vsock, stream], 'deny', 'deny', 'deny'],
  ] as const)('%s', (_, call, given, whenRestricted, whenListed, whenEnabled) => {
    expect(decide(restricted, { audit, call, arguments: given })).toBe(whenRestricted);
    expect(decide(listed, { audit, call, arguments: given })).toBe(whenListed);
    expect(decide(enabled, { audit, call, arguments: given })).toBe(whenEnabled);
  });

  test.each(Object.entries(kernelCalls))('%s is refused, whatever the network is', (_, at) => {
    for (const filter of [restricted, listed, enabled])
      expect(decide(filter, { audit, call: at[name], arguments: [0, 0, 0] })).toBe('deny');
  });

  test('other calling conventions do not get through', () => {
    expect(decide(restricted, { audit: 0x40000003, call: read })).toBe('kill');
    expect(decide(enabled, { audit: 0x40000028, call: read })).toBe('kill');
  });

  test('without a namespace, only pairs can be made', () => {
    const alone = seccompFilter(name, { network: 'restricted', isApart: false, pathSockets: false });
    const kind = fc.constantFrom(0, stream, datagram, raw, packets, stream | flags);
    fc.assert(
      fc.property(fc.nat(50), kind, fc.constantFrom(0, 1, 6, 17), (domain, type, protocol) => {
        expect(decide(alone, { audit, call: socket, arguments: [domain, type, protocol] })).toBe('deny');
      }),
    );
    expect(decide(alone, { audit, call: socketpair, arguments: [unix, stream] })).toBe('allow');
  });

  test('without listed sockets, no arguments make a Unix socket', () => {
    fc.assert(
      fc.property(fc.nat(2 ** 32 - 1), fc.nat(2 ** 32 - 1), (type, protocol) => {
        expect(decide(restricted, { audit, call: socket, arguments: [unix, type, protocol] })).toBe('deny');
      }),
    );
  });

  test('every call gets an answer', () => {
    fc.assert(
      fc.property(fc.nat(2 ** 32 - 1), fc.array(fc.nat(64), { maxLength: 6 }), (call, given) => {
        expect(['allow', 'deny']).toContain(decide(restricted, { audit, call, arguments: given }));
      }),
    );
  });
});

test('on x64 the numbers of the x32 convention are refused', () => {
  const { audit, connect } = numbers.x64;
  expect(decide(restrictedFilter('x64'), { audit, call: 0x40000000 + connect })).toBe('deny');
});

describe.each(['x64', 'arm64'] as const)('what is put on top under Landlock, on %s', (name) => {
  const { audit } = numbers[name];
  const at = name === 'x64' ? 0 : 1;
  const user = { uid: 1000, gid: 100 };
  const writing = landlockFilter(name, { network: 'restricted', writes: true, user });
  const reading = landlockFilter(name, { network: 'enabled', writes: false, user });
  const [signal, newUser, nobody] = [17, 0x1000_0000, 0xffff_ffff];

  test.each([
    ['ordinary calls', [0, 63], [], 'allow', 'allow'],
    ['a process', [56, 220], [signal], 'allow', 'allow'],
    ['a thread', [56, 220], [0x3d0f00], 'allow', 'allow'],
    ['a process in a user namespace', [56, 220], [newUser | signal], 'deny', 'deny'],
    ['the newer call, whose flags are not seen', [435, 435], [], 'unknown', 'unknown'],
    ['leaving a namespace', [272, 97], [newUser], 'deny', 'deny'],
    ['leaving that of clocks', [272, 97], [0x80], 'deny', 'deny'],
    ['a table of files of its own', [272, 97], [0x400], 'allow', 'allow'],
    ['entering a namespace', [308, 268], [], 'deny', 'deny'],
    ['a mount', [165, 40], [], 'deny', 'deny'],
    ['shared memory', [29, 194], [], 'deny', 'deny'],
    ['its own limits', [302, 261], [0, 7], 'allow', 'allow'],
    ['limits of others', [302, 261], [1, 7], 'deny', 'deny'],
    ['its own priority', [141, 140], [0, 0, 5], 'allow', 'allow'],
    ['the priority of others', [141, 140], [0, 1, 5], 'deny', 'deny'],
    ['the priority of its group', [141, 140], [1, 0, 5], 'deny', 'deny'],
    ['the priority of the user', [141, 140], [2, 0, 5], 'deny', 'deny'],
    ['its own turn at the disk', [251, 30], [1, 0, 5], 'allow', 'allow'],
    ['the turn of others at the disk', [251, 30], [1, 7, 5], 'deny', 'deny'],
    ['the turn of the user at the disk', [251, 30], [3, 0, 5], 'deny', 'deny'],
    ['its own processors', [203, 122], [0, 8], 'allow', 'allow'],
    ['processors of others', [203, 122], [7, 8], 'deny', 'deny'],
    ['its own scheduler', [144, 119], [0, 3], 'allow', 'allow'],
    ['the scheduler of others', [144, 119], [7, 3], 'deny', 'deny'],
    ['parameters of the scheduler of others', [142, 118], [7, 3], 'deny', 'deny'],
    ['attributes of the scheduler of others', [314, 274], [7, 3], 'deny', 'deny'],
    ['a child of the engine', [56, 220], [0x8000 | signal], 'deny', 'deny'],
    ['typing into a terminal', [16, 29], [0, 0x5412], 'deny', 'deny'],
    ['the size of a terminal', [16, 29], [0, 0x5413], 'allow', 'allow'],
    ['a mode', [91, 52], [3, 0o755], 'allow', 'deny'],
    ['a mode by name', [268, 53], [3, 0, 0o644], 'allow', 'deny'],
    ['set-user-id', [91, 52], [3, 0o4755], 'deny', 'deny'],
    ['writing by everyone', [268, 53], [3, 0, 0o666], 'deny', 'deny'],
    ['its own owner', [93, 55], [3, 1000, 100], 'allow', 'deny'],
    ['no other owner', [260, 54], [3, 0, nobody, nobody], 'allow', 'deny'],
    ['another owner', [93, 55], [3, 0, 100], 'deny', 'deny'],
    ['another group', [260, 54], [3, 0, 1000, 0], 'deny', 'deny'],
    ['times', [280, 88], [], 'allow', 'deny'],
    ['extended attributes', [190, 7], [], 'unsupported', 'unsupported'],
    ['a socket', [41, 198], [1, 1, 0], 'deny', 'allow'],
    ['a connection', [42, 203], [], 'deny', 'allow'],
    ['a pair', [53, 199], [1, 1, 0], 'allow', 'allow'],
  ] as const)('%s', (_what, call, given, whenWriting, whenReading) => {
    const asked = { audit, call: call[at], arguments: given };
    expect([decide(writing, asked), decide(reading, asked)]).toEqual([whenWriting, whenReading]);
  });

  test('another calling convention ends the process', () => {
    expect(decide(writing, { audit: 0x40000003, call: 1 })).toBe('kill');
  });
});
