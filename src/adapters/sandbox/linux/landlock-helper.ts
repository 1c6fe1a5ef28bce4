import { closeSync, constants, openSync, readFileSync, readlinkSync, writeSync } from 'node:fs';
import { nodeProgramFiles } from '../../disk/node-program-files.ts';
import { diskPath, pathText } from '../../disk/file-system.ts';
import { type LandlockCalls, loadLandlock } from './landlock-library.ts';
import type { LandlockHelperInput } from './landlock-sandbox.ts';

// Becomes the command, after it has asked the kernel to hold it. A process of its own: what the kernel takes from it is
// never given back. It starts without variables, so that none of the command's can lead Node astray.

/** Opens a place without reading it. */
const pathOnly = 0o10000000;
const inputDescriptor = 3;

try {
  const input = JSON.parse(readFileSync(inputDescriptor, 'utf8')) as LandlockHelperInput;
  closeSync(inputDescriptor);
  const { plan, argv, env, terminal, mark = 0 } = input;
  const calls = loadLandlock(process.argv[2] ?? '');
  const program = findProgramFile(argv[0] ?? '', env['PATH'] ?? '');
  if (program === undefined) fail(127, `${argv[0] ?? ''}: not found`);
  calls.dieWithParent();
  if (terminal === 'inherited') calls.startSession();
  calls.closeDescriptors();
  calls.markLimits(mark);
  calls.dropCapabilities();
  calls.forbidPrivileges();
  const ruleset = calls.createRuleset(plan);
  for (const { path, rights } of plan.rules) {
    const descriptor = openPlace(path);
    if (descriptor === undefined) continue;
    const place = pathText(readlinkSync(`/proc/self/fd/${descriptor}`, 'buffer'));
    if (place !== path) fail(1, `${path} now leads to ${place}`);
    calls.addPath(ruleset, { descriptor, rights });
    closeSync(descriptor);
  }
  if (terminal === 'own') openTerminal(calls, ruleset, plan.terminalRights);
  calls.restrict(ruleset);
  closeSync(ruleset);
  for (const filter of plan.filters) calls.addFilter(Buffer.from(filter, 'base64'));
  // Node ignores these, and the command would inherit that: a signal that is caught is reset instead.
  for (const signal of ['SIGPIPE', 'SIGXFSZ'] as const) process.on(signal, () => {});
  process.execve?.(program, [...argv], { ...env });
  fail(1, 'this version of Node cannot replace itself with another program');
} catch (error) {
  fail(1, error instanceof Error ? error.message : String(error));
}

/** Undefined: it is gone since the plan was made, and there is nothing left to open. */
function openPlace(path: string): number | undefined {
  try {
    return openSync(diskPath(path), pathOnly | constants.O_NOFOLLOW);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** A terminal that only the command has can be opened by its name too. */
function openTerminal(calls: LandlockCalls, ruleset: number, rights: number): void {
  const path = readlinkSync('/proc/self/fd/0');
  const descriptor = path.startsWith('/dev/pts/') ? openPlace(path) : undefined;
  if (descriptor === undefined) return;
  calls.addPath(ruleset, { descriptor, rights });
  closeSync(descriptor);
}

/** As a shell finds it, with the variables of the command. */
function findProgramFile(name: string, path: string): string | undefined {
  if (name.includes('/')) return nodeProgramFiles.program(name) === undefined ? undefined : name;
  const places = path.split(':').map((folder) => `${folder === '' ? '.' : folder}/${name}`);
  return places.find((place) => nodeProgramFiles.program(place) !== undefined);
}

function fail(code: number, why: string): never {
  // A path may hold anything, and none of it may steer a terminal.
  const shown = why.replaceAll(/[^ -~]/g, '?');
  writeSync(2, `capstan: the sandbox could not be built: ${shown}\n`);
  process.exit(code);
}
