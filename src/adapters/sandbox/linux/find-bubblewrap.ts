import { valueOr } from '../../../base/objects.ts';
import { isWritableProgram, programCandidates } from '../../../core/policy/environment/find-program.ts';
import type { ProcessEnd, CommandSpawner } from '../../../ports/commands.ts';
import { refusalSentences, type RunnableCommand, type SandboxRefused } from '../../../ports/sandbox.ts';
import type { ProgramFiles } from '../../../ports/system.ts';
import { sandboxRefusal } from '../refusals.ts';
import { type Bubblewrap, bubblewrapArguments, mountOptions, processTableOptions } from './bubblewrap.ts';

export interface BubblewrapSearch {
  readonly path: string;
  /** Folders in which commands may write: a bubblewrap from there cannot be trusted to confine them. */
  readonly writable: readonly string[];
  readonly chosen?: string;
  /** Unpacked by the engine, best first. As trustworthy as the engine, wherever they are. */
  readonly packaged?: string | readonly string[];
}

export interface BubblewrapParts {
  readonly spawn: Pick<CommandSpawner, 'run'>;
  /** Results for programs tried before; each is tried once. Absent: none. */
  readonly probed?: Map<string, Promise<Bubblewrap | SandboxRefused>>;
  /** Programs that have built any sandbox before; they are not tried again. Absent: none. */
  readonly proven?: Map<string, Bubblewrap>;
  readonly files: ProgramFiles;
  /** Checks that a packaged program is as it was unpacked. Absent: not checked. */
  readonly isIntact?: (program: string) => boolean;
}

export async function findBubblewrap(
  search: BubblewrapSearch,
  { spawn, files, probed = new Map(), proven = new Map(), isIntact = () => true }: BubblewrapParts,
): Promise<Bubblewrap | SandboxRefused> {
  const problems: SandboxRefused[] = [];
  const probe = (program: string): Promise<Bubblewrap | SandboxRefused> => {
    const known = probed.get(program) ?? probeBubblewrap(program, { spawn, proven });
    probed.set(program, known);
    return known;
  };
  const packaged = new Set(packagedPrograms(search, files));
  const searched = new Set(searchedPrograms(search, files));
  let onPath: SandboxRefused | undefined;
  for (const candidate of bubblewrapCandidates(search, files)) {
    const isPackaged = typeof candidate === 'string' && packaged.has(candidate) && !searched.has(candidate);
    if (isPackaged && !isIntact(candidate)) {
      problems.push(changed(candidate));
      continue;
    }
    const found = typeof candidate === 'string' ? await probe(candidate) : candidate;
    if (found.kind === 'bubblewrap')
      return isPackaged ? { ...found, isPackaged, insteadOf: onPath ?? skipped(search, files) } : found;
    if (candidate === found) {
      if (found.code !== 'sandbox-missing' || onPath === undefined) return found;
      // Report the failing program of the search path first: it may be why the user named another one.
      return { ...onPath, message: `${onPath.message} ${found.message}` };
    }
    if (typeof candidate === 'string' && searched.has(candidate)) onPath ??= found;
    problems.push(found);
  }
  return problems[0] ?? skipped(search, files) ?? missing;
}

function skipped(search: BubblewrapSearch, files: ProgramFiles): SandboxRefused | undefined {
  const [program] = searchedPrograms({ ...search, writable: [] }, files);
  if (program === undefined || searchedPrograms(search, files).length > 0) return undefined;
  const message = `${JSON.stringify(program)} is on the PATH, but ${replaceable}`;
  return unusable(message, 'Install the package "bubblewrap", or run `capstan sandbox setup`.');
}

const replaceable = 'in a folder where commands can write, so a command could have replaced it.';
const unusable = (message: string, next: string): SandboxRefused => sandboxRefusal('sandbox-unusable', message, next);

/** Possible bubblewrap programs, best first, links resolved. A refusal ends the list. */
export function bubblewrapCandidates(search: BubblewrapSearch, files: ProgramFiles) {
  const { writable, chosen } = search;
  const searched = searchedPrograms(search, files);
  const named = chosen ? files.program(chosen) : undefined;
  if (chosen !== undefined && named !== undefined && isWritableProgram(chosen, writable, files))
    return [...searched, writableChoice(chosen)];
  const programs = [...searched, ...(named === undefined ? [] : [named]), ...packagedPrograms(search, files)];
  return [...new Set(programs), ...(chosen && named === undefined ? [noProgram(chosen, files)] : [])];
}

function searchedPrograms({ path, writable }: BubblewrapSearch, files: ProgramFiles): readonly string[] {
  return programCandidates({ name: 'bwrap', prefer: 'caller', path, writable }, files);
}

function packagedPrograms({ packaged = [] }: BubblewrapSearch, files: ProgramFiles): readonly string[] {
  const places = typeof packaged === 'string' ? [packaged] : packaged;
  return places.map((place) => files.program(place)).filter((program) => program !== undefined);
}

function changed(program: string): SandboxRefused {
  const message = `${JSON.stringify(program)} is not the bubblewrap that was unpacked there: its hash differs.`;
  return unusable(message, 'Run `capstan sandbox setup` to unpack it again, or install the package "bubblewrap".');
}

const missing = sandboxRefusal(
  'sandbox-missing',
  refusalSentences.noBubblewrap,
  'Install the package "bubblewrap", or run `capstan sandbox setup`. If it is installed outside the PATH, set CAPSTAN_BWRAP to its path.',
);

function noProgram(chosen: string, files: ProgramFiles): SandboxRefused {
  const why = files.place(chosen) === undefined ? 'does not exist' : 'is not an executable file';
  const next = 'Set CAPSTAN_BWRAP to the path of bubblewrap, or unset it and install the package "bubblewrap".';
  return { ...missing, message: `CAPSTAN_BWRAP is ${JSON.stringify(chosen)}, which ${why}.`, next };
}

function writableChoice(chosen: string): SandboxRefused {
  const message = `CAPSTAN_BWRAP is ${JSON.stringify(chosen)}, which is ${replaceable}`;
  return unusable(message, 'Move the program out of the workspace and the temporary folders, or unset CAPSTAN_BWRAP.');
}

const limits = { timeoutMs: 5000, outputBytes: 16_384 };

/**
 * Runs bubblewrap inside a small sandbox with all features of a real one: a single process shows whether the program is
 * recent enough and the kernel permits it. Only if that fails, fewer features are tried.
 */
async function probeBubblewrap(path: string, { spawn, proven }: Required<Pick<BubblewrapParts, 'spawn' | 'proven'>>) {
  const known = proven.get(path);
  if (known !== undefined) return known;
  let bubblewrap: Bubblewrap = { kind: 'bubblewrap', path, closesUserNamespaces: true, ownProcessTable: true };
  // Each round gives up one ability, so there are at most three.
  for (;;) {
    const end = await tryOut(bubblewrap, spawn);
    // On a machine under load a timeout proves nothing: the real command will show if this program works.
    if (end.kind === 'timed-out' || end.kind === 'aborted') return bubblewrap;
    if (end.kind === 'exited' && end.exitCode === 0) {
      proven.set(path, bubblewrap);
      return bubblewrap;
    }
    const said = end.kind === 'exited' ? end.output.text.trim() : end.reason;
    if (bubblewrap.closesUserNamespaces && /--disable-userns|max_user_namespaces/.test(said))
      bubblewrap = { ...bubblewrap, closesUserNamespaces: false };
    else if (bubblewrap.ownProcessTable && /mount proc|newroot\/proc/i.test(said))
      bubblewrap = { ...bubblewrap, ownProcessTable: false };
    else return refusal(path, said);
  }
}

function tryOut(bubblewrap: Bubblewrap, spawn: Pick<CommandSpawner, 'run'>): Promise<ProcessEnd> {
  const { path } = bubblewrap;
  const mounts = [
    ...mountOptions('/', { kind: 'read-only' }),
    '--dev',
    '/dev',
    ...(bubblewrap.ownProcessTable ? processTableOptions : []),
    ...mountOptions('/dev/shm', { kind: 'empty-folder', mode: '555' }),
    '--remount-ro',
    '/dev/shm',
  ];
  const argv = bubblewrapArguments({ bubblewrap, mounts, network: 'restricted', cwd: '/', argv: [path, '--version'] });
  const env = { LC_ALL: 'C' };
  const { signal } = new AbortController();
  return spawn.run({ kind: 'runnable', argv, cwd: '/', env, files: [], cleanup: async () => {} }, limits, { signal });
}

function refusal(path: string, said: string): SandboxRefused {
  const program = JSON.stringify(path);
  // Debian's version appends a guess and two addresses.
  const reason = (said.split('\n').at(-1) ?? '').replace(/, likely because .*$/, '');
  if (/unknown option/i.test(said)) {
    const next = 'Install bubblewrap 0.5 or later, or set CAPSTAN_BWRAP to the path of one.';
    return unusable(`${program} is too old to build the sandbox (${reason}).`, next);
  }
  const isForbidden = /namespace|uid map|RTM_NEW|not permitted|permission denied/i.test(said);
  const what = isForbidden ? 'create the namespaces of a sandbox' : 'build a sandbox';
  const next = isForbidden ? namespaceAdvice(readSystemFile) : otherAdvice(said);
  return unusable(`${program} cannot ${what} on this system (${reason}).`, next);
}

/**
 * Names the one system setting that forbids user namespaces. Inside a container the user cannot change it, and usually
 * the container's seccomp filter forbids them. `read` returns the text of a file, or an empty text without a file.
 */
export function namespaceAdvice(read: (path: string) => string): string {
  const last = refusalSentences.withoutSandbox;
  const isContainer =
    ['/.dockerenv', '/run/.containerenv'].some((path) => read(path) !== '') ||
    /^Seccomp:\s*2$/m.test(read('/proc/self/status')) ||
    !/^\s*0\s+0\s+4294967295\s*$/.test(read('/proc/self/uid_map'));
  if (isContainer) return `Start the container so that it may create user namespaces. ${last}`;
  const setting = settings.find(({ name, forbids }) => read(`/proc/sys/${name}`).trim() === forbids);
  if (setting === undefined) return `Let this user create namespaces, which a setting of the system forbids. ${last}`;
  const { name, allows } = setting;
  return `Run \`sudo sysctl -w ${name.replaceAll('/', '.')}=${allows}\`${setting.or ?? ''}. ${last}`;
}

type SystemSetting = Readonly<Record<'name' | 'forbids' | 'allows', string>> & { readonly or?: string };

const settings: readonly SystemSetting[] = [
  {
    name: 'kernel/apparmor_restrict_unprivileged_userns',
    forbids: '1',
    allows: '0',
    or: ', or install the package "bubblewrap" with a profile of AppArmor that allows it',
  },
  { name: 'user/max_user_namespaces', forbids: '0', allows: '15000' },
  { name: 'kernel/unprivileged_userns_clone', forbids: '0', allows: '1' },
];

/** An existing empty file yields a line end, so that it differs from a missing one. */
const readSystemFile = (path: string): string =>
  valueOr('', () => `${process.getBuiltinModule('node:fs').readFileSync(path, 'latin1')}\n`);

/** Another program helps only if this one is broken. */
function otherAdvice(said: string): string {
  return /shared librar|symbol|exec format|GLIBC/i.test(said)
    ? 'Repair or reinstall the program, or set CAPSTAN_BWRAP to the path of another one.'
    : 'Run `bwrap --ro-bind / / true` to see what this system does not allow.';
}

export function packagedNotice({ path, insteadOf }: Bubblewrap): NonNullable<RunnableCommand['notice']> {
  const used = `Capstan runs commands in the copy that it unpacked: ${path}.`;
  if (insteadOf !== undefined) {
    const next = 'Commands are sandboxed; no action is needed.';
    return { code: 'sandbox-replaced', message: `${insteadOf.message} ${used}`, next };
  }
  const next = 'Install the package "bubblewrap" to get its updates.';
  return { code: 'sandbox-packaged', message: `bubblewrap is not on the PATH. ${used}`, next };
}

/** Detects WSL 1, whose kernel has no user namespaces, from `/proc/version`. WSL 2 is treated like any Linux. */
export function isWsl1(version: string): boolean {
  const text = version.toLowerCase();
  const [, number] = /wsl(\d+)/.exec(text) ?? [];
  if (number !== undefined) return number === '1';
  return text.includes('microsoft') && !text.includes('microsoft-standard');
}
