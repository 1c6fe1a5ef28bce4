import { closeSync, constants, openSync, readFileSync, readlinkSync, writeSync } from 'node:fs';
import { nodeProgramFiles } from '../../disk/node-program-files.ts';
import { toNodePath, errorCode, pathText } from '../../disk/file-system.ts';
import { O_PATH } from '../../disk/folder-access.ts';
import { loadLandlock } from './landlock-library.ts';
import type { LandlockHelperInput } from './landlock-sandbox.ts';

// Restricts itself through the kernel, then becomes the command. A separate process, because restrictions are never
// lifted. Starts without variables, so that none of the command's can influence Node.

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
  // Node ignores these signals, which the command would inherit. `execve` resets signals that have a handler.
  for (const signal of ['SIGPIPE', 'SIGXFSZ'] as const) process.on(signal, () => {});
  process.execve?.(program, [...argv], { ...env });
  fail(1, 'this version of Node cannot replace itself with another program');
} catch (error) {
  fail(1, error instanceof Error ? error.message : String(error));
}

/** Undefined: removed since the plan was made, so there is nothing to open. */
function openPlace(path: string): number | undefined {
  try {
    return openSync(toNodePath(path), O_PATH | constants.O_NOFOLLOW);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Also lets the command open its terminal by name, if it is the command's own. */
function openTerminal(calls: ReturnType<typeof loadLandlock>, ruleset: number, rights: number): void {
  const path = readlinkSync('/proc/self/fd/0');
  const descriptor = path.startsWith('/dev/pts/') ? openPlace(path) : undefined;
  if (descriptor === undefined) return;
  calls.addPath(ruleset, { descriptor, rights });
  closeSync(descriptor);
}

/** Searches like a shell, with the command's variables. */
function findProgramFile(name: string, path: string): string | undefined {
  if (name.includes('/')) return nodeProgramFiles.program(name) === undefined ? undefined : name;
  const places = path.split(':').map((folder) => `${folder === '' ? '.' : folder}/${name}`);
  return places.find((place) => nodeProgramFiles.program(place) !== undefined);
}

function fail(code: number, why: string): never {
  // A path may hold any character, and none may control a terminal.
  const shown = why.replaceAll(/[^ -~]/g, '?');
  writeSync(2, `capstan: the sandbox could not be built: ${shown}\n`);
  process.exit(code);
}
