import type { SeccompArchitecture } from './seccomp.ts';

/**
 * A system-call filter that refuses calls by their numbers and allows the rest, as a program for the kernel's classic
 * packet-filter machine. It is put on top of another filter: the kernel takes the stricter answer.
 */
export function denyCalls(architecture: SeccompArchitecture, names: readonly DeniedCall[]): Uint8Array {
  const column = architecture === 'x64' ? 0 : 1;
  const numbers = names.map((name) => callNumbers[name][column]).filter((number) => number !== undefined);
  const deny = numbers.length + 5;
  const code: (readonly [code: number, yes: number, no: number, operand: number])[] = [
    [load, 0, 0, 4],
    [ifEqual, 1, 0, architecture === 'x64' ? 0xc000003e : 0xc00000b7],
    // Another calling convention has other numbers.
    [answer, 0, 0, 0x80000000],
    [load, 0, 0, 0],
    ...numbers.map((number, at) => [ifEqual, deny - (4 + at) - 1, 0, number] as const),
    [answer, 0, 0, 0x7fff0000],
    [answer, 0, 0, 0x00050001],
  ];
  const bytes = Buffer.alloc(code.length * 8);
  for (const [at, [operation, yes, no, operand]] of code.entries()) {
    bytes.writeUInt16LE(operation, at * 8);
    bytes.writeUInt8(yes, at * 8 + 2);
    bytes.writeUInt8(no, at * 8 + 3);
    bytes.writeUInt32LE(operand >>> 0, at * 8 + 4);
  }
  return bytes;
}

const load = 0x20;
const ifEqual = 0x15;
const answer = 0x06;

/** On x64 and on arm64, which lacks the oldest ones. */
const callNumbers = {
  chmod: [90, undefined],
  fchmod: [91, 52],
  fchmodat: [268, 53],
  fchmodat2: [452, 452],
  chown: [92, undefined],
  fchown: [93, 55],
  lchown: [94, undefined],
  fchownat: [260, 54],
  utime: [132, undefined],
  utimes: [235, undefined],
  futimesat: [261, undefined],
  utimensat: [280, 88],
  setxattr: [188, 5],
  lsetxattr: [189, 6],
  fsetxattr: [190, 7],
  setxattrat: [463, 463],
  removexattr: [197, 14],
  lremovexattr: [198, 15],
  fremovexattr: [199, 16],
  removexattrat: [466, 466],
  file_setattr: [469, 469],
  socket: [41, 198],
  connect: [42, 203],
  bind: [49, 200],
  listen: [50, 201],
  accept: [43, 202],
  accept4: [288, 242],
} as const;

export type DeniedCall = keyof typeof callNumbers;

/** Calls that change what belongs to a file besides its content, which Landlock does not see. */
export const attributeCalls = [
  'chmod',
  'fchmod',
  'fchmodat',
  'fchmodat2',
  'chown',
  'fchown',
  'lchown',
  'fchownat',
  'utime',
  'utimes',
  'futimesat',
  'utimensat',
  'setxattr',
  'lsetxattr',
  'fsetxattr',
  'setxattrat',
  'removexattr',
  'lremovexattr',
  'fremovexattr',
  'removexattrat',
  'file_setattr',
] as const satisfies readonly DeniedCall[];

/** Calls that meet other processes through a socket. Without a network namespace, only connected pairs are harmless. */
export const meetingCalls = [
  'socket',
  'connect',
  'bind',
  'listen',
  'accept',
  'accept4',
] as const satisfies readonly DeniedCall[];
