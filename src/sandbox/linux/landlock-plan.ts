import type { ResolvedPolicy } from '../../protocol/resolved-policy.ts';
import { attributeCalls, denyCalls, meetingCalls } from './deny-calls.ts';
import type { LegacyModel } from './legacy-projection.ts';
import { type SeccompArchitecture, seccompFilter } from './seccomp.ts';

/** What the helper asks of the kernel before it becomes the command. It travels as JSON. */
export interface LandlockPlan {
  /** Rights that are refused except where a rule gives them. Zero: files are not restricted. */
  readonly handled: number;
  /** What of other processes is out of reach. */
  readonly scoped: number;
  readonly rules: readonly LandlockRule[];
  /** System-call filters, as base64. */
  readonly filters: readonly string[];
}

interface LandlockRule {
  /** Without links: the helper refuses a path that leads elsewhere by then. */
  readonly path: string;
  readonly rights: number;
}

const right = { writeFile: 1 << 1, refer: 1 << 13, truncate: 1 << 14, ioctlDevice: 1 << 15 };
/** Removing and making anything, from REMOVE_DIR to MAKE_SYM. */
const namesInFolders = 0b1_1111_1111 << 4;
/** Reading and executing are not handled: the coarse model lets everything be read. */
const everyWrite = right.writeFile | namesInFolders | right.refer | right.truncate | right.ioctlDevice;
const fileWrites = right.writeFile | right.truncate | right.ioctlDevice;
const abstractSocketsAndSignals = 0b11;

/** Devices that programs write to in every sandbox. */
const devices = ['/dev/null', '/dev/zero', '/dev/full', '/dev/tty'];

export interface LandlockRequest {
  readonly model: LegacyModel;
  readonly policy: ResolvedPolicy;
  readonly architecture: SeccompArchitecture;
  /** What stands at a path; names in the root folder. */
  readonly disk: { kindAt(path: string): 'folder' | 'file' | 'missing'; list(folder: string): readonly string[] };
}

export function planLandlock({ model, policy, architecture, disk }: LandlockRequest): LandlockPlan {
  const isOpen = model.writable.includes('/');
  // The settings of the kernel and its control groups lead out of every sandbox.
  const folders = isOpen
    ? disk
        .list('/')
        .filter((name) => name !== 'proc' && name !== 'sys')
        .map((name) => `/${name}`)
    : model.writable;
  const written = [...(isOpen ? [] : devices), ...folders].map((path) => ({ path, kind: disk.kindAt(path) }));
  const isRestricted = policy.network === 'restricted';
  const denied = [...(isOpen ? [] : attributeCalls), ...(isRestricted ? meetingCalls : [])];
  const filters = [
    seccompFilter(architecture, { network: policy.network, isApart: false, pathSockets: false }),
    denyCalls(architecture, denied),
  ];
  return {
    handled: everyWrite,
    scoped: abstractSocketsAndSignals,
    rules: written
      .filter(({ kind }) => kind !== 'missing')
      .map(({ path, kind }) => ({ path, rights: kind === 'folder' ? everyWrite : fileWrites })),
    filters: filters.map((filter) => Buffer.from(filter).toString('base64')),
  };
}
