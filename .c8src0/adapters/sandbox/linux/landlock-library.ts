import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import type Koffi from 'koffi';
import { processMarkLimits } from '../../../core/policy/profiles/landlock-policy.ts';
import type { SandboxRefused } from '../../../ports/sandbox.ts';
import { landlockRefusal } from '../refusals.ts';

export type LandlockFact = { readonly kind: 'landlock'; readonly abi: number };

/** Probes Landlock on this machine. Loads the native library only here. */
export function findLandlock(library: string): LandlockFact | SandboxRefused {
  if (!existsSync(library)) return landlockRefusal('the optional package "koffi" is not installed');
  try {
    const abi = loadLandlock(library).abi();
    return abi === 0 ? landlockRefusal('the kernel has no Landlock') : { kind: 'landlock', abi };
  } catch (error) {
    return landlockRefusal(error instanceof Error ? error.message.split('\n', 1)[0]! : String(error));
  }
}

const numbers = { prctl: [157, 167], capset: [126, 91], setsid: [112, 157], prlimit: [302, 261] } as const;
const landlock = { create: 444, addRule: 445, restrict: 446 } as const;
const option = { setDeathSignal: 1, setSeccomp: 22, dropBounding: 24, setNoNewPrivileges: 38, ambient: 47 } as const;
const limit = { messageQueues: 12, realtimeTimeout: 15 } as const;
const closeRange = 436;
const closeOnExec = 4;
const mostCapabilities = 64;
const sigkill = 9;

/**
 * The system calls for Landlock. Every function throws with the kernel's reason, so that a helper never runs on
 * unconfined. `library`: the package `koffi`, loaded by path: a search could find one that commands have put there.
 */
export function loadLandlock(library: string) {
  const koffi = createRequire(library)(library) as typeof Koffi;
  const column = process.arch === 'x64' ? 0 : 1;
  const types = 'long number, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e';
  const raw = koffi.load(null).func(`long syscall(${types})`) as (...words: readonly (number | bigint)[]) => number;
  const call = (number: number, ...words: readonly (number | bigint)[]): number => {
    const [a = 0, b = 0, c = 0, d = 0, e = 0] = words;
    return Number(raw(number, a, b, c, d, e));
  };
  const check = (what: string, result: number): number => {
    if (result >= 0) return result;
    throw new Error(`${what} failed with error ${koffi.errno()}`);
  };
  const prctl = (...words: readonly (number | bigint)[]): number => call(numbers.prctl[column], ...words);
  return {
    /** 0 if the kernel has no Landlock. */
    abi: () => Math.max(0, call(landlock.create, 0, 0, 1)),
    createRuleset({ handled, scoped }: Readonly<Record<'handled' | 'scoped', number>>): number {
      const attributes = memory();
      attributes.writeBigUInt64LE(BigInt(handled), 0);
      // The bytes in between would restrict network ports; zero restricts none.
      attributes.writeBigUInt64LE(BigInt(scoped), 16);
      return check('landlock_create_ruleset', call(landlock.create, koffi.address(attributes), 24, 0));
    },
    addPath(ruleset: number, { descriptor, rights }: Readonly<Record<'descriptor' | 'rights', number>>): void {
      const attributes = memory();
      attributes.writeBigUInt64LE(BigInt(rights), 0);
      attributes.writeInt32LE(descriptor, 8);
      check('landlock_add_rule', call(landlock.addRule, ruleset, 1, koffi.address(attributes), 0));
    },
    /** From now on this thread has only what the rules grant. */
    restrict: (ruleset: number) => void check('landlock_restrict_self', call(landlock.restrict, ruleset, 0)),
    /** This thread gains no privileges by starting another program. */
    forbidPrivileges: () => void check('no_new_privs', prctl(option.setNoNewPrivileges, 1)),
    dropCapabilities(): void {
      // Otherwise a root program would get them back by starting another.
      for (let capability = 0; capability < mostCapabilities; capability += 1) prctl(option.dropBounding, capability);
      prctl(option.ambient, 4);
      const header = memory();
      header.writeUInt32LE(0x20080522, 0);
      check('capset', call(numbers.capset[column], koffi.address(header), koffi.address(memory())));
    },
    addFilter(program: Uint8Array): void {
      const copy = memory(program.length);
      copy.set(program);
      const header = memory();
      header.writeUInt16LE(program.length / 8, 0);
      header.writeBigUInt64LE(koffi.address(copy), 8);
      check('seccomp', prctl(option.setSeccomp, 2, koffi.address(header)));
    },
    /** The kernel kills this process when its parent ends. */
    dieWithParent: () => void check('pdeathsig', prctl(option.setDeathSignal, sigkill)),
    /** The program that this process becomes keeps only the three standard streams. */
    closeDescriptors: () => void check('close_range', call(closeRange, 3, 0xffff_ffff, closeOnExec)),
    /** Lowers the limits by which engines recognise this process and its children (`processMarkLimits`). */
    markLimits(mark: number): void {
      const lower = (which: number, to: number): number => {
        const limits = memory();
        limits.writeBigUInt64LE(BigInt(to), 0);
        limits.writeBigUInt64LE(BigInt(to), 8);
        return call(numbers.prlimit[column], 0, which, koffi.address(limits), 0);
      };
      const { queues, time } = processMarkLimits(mark);
      const first = lower(limit.messageQueues, queues);
      const second = lower(limit.realtimeTimeout, time);
      if (first === 0 && second === 0) return;
      // One limit was lower already, so the mark cannot be set. At 0, the process may belong to an engine of any home.
      check('prlimit', lower(limit.messageQueues, 0));
      check('prlimit', lower(limit.realtimeTimeout, 0));
    },
    startSession: () => void call(numbers.setsid[column]),
  };
}

/** Zeroed memory that stays in place: the garbage collector may move small buffers. */
function memory(bytes = 0): Buffer {
  const buffer = Buffer.alloc(Math.max(4096, bytes));
  held.push(buffer);
  return buffer;
}

const held: Buffer[] = [];
