import { isWithin, joinPath } from '../../../core/policy/paths/absolute-paths.ts';
import { accessByRules } from '../../../core/policy/paths/access.ts';
import type { PlainCommand, RunnableCommand, SandboxRefused } from '../../../ports/sandbox.ts';
import type { FileAccess, PathRule, ResolvedPolicy } from '../../../protocol/permissions.ts';
import type { DiskView } from '../disk-view.ts';
import { denyMatches, examineDisk, resolvePolicyLinks } from '../policy-on-disk.ts';
import { unenforceableRefusal } from '../refusals.ts';
import { landlockFilter, type LandlockFilterRequest } from './landlock-filter.ts';
import { isSeccompArchitecture, type SeccompArchitecture, seccompFilter } from './seccomp.ts';

export interface LandlockHelper extends Readonly<Record<'node' | 'script' | 'library', string>> {
  /** Lets engines recognise the commands. Absent: any of them may be meant. */
  readonly mark?: number;
}

/** Plans the command with a helper that restricts itself before it becomes the command. */
export async function planWithLandlock(
  command: PlainCommand,
  policy: ResolvedPolicy,
  { architecture, helper }: { readonly architecture: string; readonly helper: LandlockHelper },
): Promise<RunnableCommand | SandboxRefused> {
  if (!isSeccompArchitecture(architecture))
    return unenforceableRefusal(`There is no system-call filter for ${architecture}.`, 'Use bubblewrap.');
  const examined = await examineDisk(command, policy);
  if (examined.kind === 'refused') return examined;
  const { disk, deniedMatches } = examined;
  const user = { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 };
  const plan = planLandlock({ policy, deniedMatches, architecture, user }, disk);
  if (plan.kind === 'refused') return plan;
  const { argv, env, terminal } = command;
  const input: LandlockHelperInput = { plan, argv, env, terminal, mark: helper.mark };
  return {
    kind: 'runnable',
    argv: [helper.node, '--no-warnings', helper.script, helper.library],
    cwd: command.cwd,
    env: {},
    files: [Buffer.from(JSON.stringify(input))],
    cleanup: async () => {},
  };
}

/** The restrictions that the helper requests, sent as JSON. */
export interface LandlockPlan {
  readonly kind: 'landlock-plan';
  /** Rights that are refused except where a rule grants them. */
  readonly handled: number;
  /** Keeps signals and abstract sockets inside. */
  readonly scoped: number;
  readonly rules: readonly LandlockRule[];
  /** Rights to the terminal, if only this command has it. */
  readonly terminalRights: number;
  readonly filters: readonly string[];
}

interface LandlockRule {
  /** Links resolved: the helper refuses a path that has become a link. A path that is gone by then needs no rule. */
  readonly path: string;
  readonly rights: number;
}

/** Read by the helper from its first extra descriptor, as JSON. */
export interface LandlockHelperInput extends Pick<PlainCommand, 'argv' | 'env' | 'terminal'> {
  readonly plan: LandlockPlan;
  readonly mark?: number;
}

const [execute, writeFile, readFile, readFolder] = [1 << 0, 1 << 1, 1 << 2, 1 << 3];
const [refer, truncate, ioctlDevice] = [1 << 13, 1 << 14, 1 << 15];
/** Removing and creating anything, from REMOVE_DIR to MAKE_SYM. */
const namesInFolders = 0b1_1111_1111 << 4;
const fileReads = execute | readFile;
const fileWrites = writeFile | truncate | ioctlDevice;
const rights: Readonly<Record<Exclude<FileAccess, 'deny'>, { readonly file: number; readonly folder: number }>> = {
  read: { file: fileReads, folder: fileReads | readFolder },
  write: { file: fileReads | fileWrites, folder: fileReads | readFolder | fileWrites | namesInFolders | refer },
};
const abstractSocketsAndSignals = 0b11;
/** Readable in every sandbox, whatever the policy says: the process table, and devices. */
const devices = ['/dev/null', '/dev/zero', '/dev/full', '/dev/tty'];
const readAlways = ['/proc', '/dev/random', '/dev/urandom', ...devices];
/** The helper opens the place of each rule. */
const mostRules = 20_000;

export interface LandlockRequest {
  /** Fitted to Landlock: nothing inside a writable place is narrower. */
  readonly policy: ResolvedPolicy;
  readonly deniedMatches: readonly string[];
  readonly architecture: SeccompArchitecture;
  readonly user: LandlockFilterRequest['user'];
}

/**
 * Rules for all places that the policy opens. Landlock cannot close a place inside an open folder. So a readable folder
 * that contains a hidden place, at any depth, stays closed itself, and its other contents that exist now are opened one
 * by one.
 */
export function planLandlock(request: LandlockRequest, disk: DiskView): LandlockPlan | SandboxRefused {
  const { policy, architecture, user } = request;
  const { network } = policy;
  const opened = openedPlaces(request, disk);
  if ('kind' in opened) return opened;
  for (const path of readAlways) add(opened, path, disk.look(path).kind === 'folder' ? rights.read.folder : fileReads);
  for (const path of devices) add(opened, path, fileWrites);
  const writes = policy.files.kind === 'unrestricted' || policy.files.rules.some(({ access }) => access === 'write');
  const filters = [
    seccompFilter(architecture, { network, isApart: false, pathSockets: false }),
    landlockFilter(architecture, { network, writes, user }),
  ];
  return {
    kind: 'landlock-plan',
    handled: rights.write.folder,
    scoped: abstractSocketsAndSignals,
    rules: [...opened].map(([path, given]) => ({ path, rights: given })),
    terminalRights: readFile | fileWrites,
    filters: filters.map((filter) => Buffer.from(filter).toString('base64')),
  };
}

function openedPlaces({ policy: { files }, deniedMatches }: LandlockRequest, disk: DiskView) {
  const opened = new Map<string, number>();
  const grant = (path: string, access: 'read' | 'write'): void => {
    const { kind } = disk.look(path);
    if (kind !== 'folder' && kind !== 'file') return;
    add(opened, path, rights[access][kind]);
  };
  if (files.kind === 'unrestricted') {
    add(opened, '/', readFolder);
    for (const path of ['/proc', '/sys']) grant(path, 'read');
    const written = disk.list('/').filter((name) => !['proc', 'sys', 'dev'].includes(name));
    for (const path of [...written.map((name) => `/${name}`), '/dev/shm']) grant(path, 'write');
    return opened;
  }
  const { rules: real, heldLinks } = resolvePolicyLinks(denyMatches(files, deniedMatches, disk), disk);
  const [held] = heldLinks;
  if (held !== undefined)
    return cannot(`${JSON.stringify(held)} is a link that commands could replace, and Landlock cannot keep it`);
  // Commands get only the devices that every sandbox opens: through other devices they could read the user's terminals.
  const rules: readonly PathRule[] = [...real, { path: '/dev', access: 'deny', ifMissing: 'skip', own: true }];
  const hidden = rules.filter((rule) => rule.access === 'deny' && accessByRules(rules, rule.path) === 'deny');
  const hiddenBelow = (path: string): readonly PathRule[] =>
    hidden.filter((rule) => rule.path !== path && isWithin(rule.path, path));
  const mayBeFolder = ({ path }: PathRule): boolean => disk.look(path).kind !== 'file';
  const open = (path: string): SandboxRefused | undefined => {
    const access = accessByRules(rules, path);
    if (access === 'deny') return undefined;
    const below = hiddenBelow(path);
    const isNarrower = (rule: PathRule): boolean =>
      rule.access === 'read' &&
      rule.path !== path &&
      isWithin(rule.path, path) &&
      accessByRules(rules, rule.path) === 'read';
    const narrower = access === 'write' ? (below[0] ?? rules.find(isNarrower)) : undefined;
    if (narrower !== undefined)
      return cannot(
        `Landlock cannot keep ${JSON.stringify(narrower.path)} inside the writable folder ${JSON.stringify(path)}`,
      );
    if (below.length === 0) {
      grant(path, access);
      if (opened.size <= mostRules) return undefined;
      return cannot(
        `more than ${mostRules} files stand beside hidden ones (the last were in ${JSON.stringify(path)}), and Landlock needs a rule for each`,
      );
    }
    // Opens the list of names, unless that also lists those in a hidden folder. In Capstan's own, names are no secret.
    if (!below.some((rule) => rule.own !== true && mayBeFolder(rule)) && disk.look(path).kind === 'folder')
      add(opened, path, readFolder);
    for (const name of disk.list(path)) {
      const problem = open(joinPath(path, name));
      if (problem !== undefined) return problem;
    }
    return undefined;
  };
  for (const path of new Set(['/', ...rules.map((rule) => rule.path)])) {
    const problem = open(path);
    if (problem !== undefined) return problem;
  }
  return opened;
}

function add(opened: Map<string, number>, path: string, given: number): void {
  opened.set(path, (opened.get(path) ?? 0) | given);
}

function cannot(why: string): SandboxRefused {
  return unenforceableRefusal(
    `${why[0]!.toUpperCase()}${why.slice(1)}.`,
    'Change the permission profile, or use bubblewrap on a machine that can create namespaces.',
  );
}
