import { closeSync, constants, openSync, readFileSync, readlinkSync, writeSync } from 'node:fs';
import { nodeProgramFiles } from '../../disk/node-program-files.ts';
import type { LandlockHelperInput } from './landlock-helper-input.ts';
import { loadLandlock } from './landlock-library.ts';

// Becomes the command, after it has asked the kernel to hold it. A process of its own: what the kernel takes from it is
// never given back. It starts without variables, so that none of the command's can lead Node astray.

/** Opens a place without reading it. */
const pathOnly = 0o10000000;
const inputDescriptor = 3;

try {
  const input = JSON.parse(readFileSync(inputDescriptor, 'utf8')) as LandlockHelperInput;
  closeSync(inputDescriptor);
  const { plan, argv, env, terminal } = input;
  const calls = loadLandlock(process.argv[2] ?? '');
  const program = findProgramFile(argv[0] ?? '', env['PATH'] ?? '');
  if (program === undefined) fail(127, `${argv[0] ?? ''}: not found`);
  calls.dieWithParent();
  if (terminal === 'inherited') calls.startSession();
  calls.dropCapabilities();
  calls.forbidPrivileges();
  const ruleset = calls.createRuleset(plan);
  for (const { path, rights } of plan.rules) {
    const descriptor = openSync(path, pathOnly | constants.O_NOFOLLOW);
    const place = readlinkSync(`/proc/self/fd/${descriptor}`);
    if (place !== path) fail(1, `${path} now leads to ${place}`);
    calls.addPath(ruleset, { descriptor, rights });
    closeSync(descriptor);
  }
  calls.restrict(ruleset);
  closeSync(ruleset);
  for (const filter of plan.filters) calls.addFilter(Buffer.from(filter, 'base64'));
  process.execve?.(program, [...argv], { ...env });
  fail(1, 'this version of Node cannot replace itself with another program');
} catch (error) {
  fail(1, error instanceof Error ? error.message : String(error));
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
