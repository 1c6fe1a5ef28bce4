import { join } from 'node:path';
import { nodeProgramFiles } from '../../src/adapters/disk/node-program-files.ts';
import { createNodeSpawn } from '../../src/adapters/exec/node-spawn.ts';
import { processTable } from '../../src/adapters/exec/leftover-processes.ts';
import { builtInProfile } from '../../src/core/policy/profiles/profiles.ts';
import { resolvePolicy } from '../../src/core/policy/profiles/resolve-policy.ts';
import { createSandbox } from '../../src/adapters/sandbox/sandbox.ts';
import { noOwnPlaces } from '../../src/core/policy/paths/special-places.ts';
import { keepCompiled } from '../harness/compiled-once.ts';

/** A process that starts commands in sandboxes and kills itself after so many microseconds, while one is being built. */
const [, , folder = '', ...commands] = process.argv;
const spawn = createNodeSpawn({ clock: { now: () => 0, sleep: async () => {} }, runFolder: folder });
const sandbox = createSandbox({
  platform: process.platform,
  architecture: process.arch,
  env: process.env,
  writable: () => [],
  packagedBubblewrap: join(import.meta.dirname, '../../.local/bubblewrap/usr/bin/bwrap'),
  mountRegistries: () => [join(folder, 'registry')],
  spawn,
  programFiles: nodeProgramFiles,
  processes: processTable,
});
const places = { cwd: folder, workspaceRoots: [folder], slashTmp: false, gitDirectories: [], own: noOwnPlaces };
const choices = { network: false, writableRoots: [], excludeTmpdir: true, excludeSlashTmp: true };
const policy = resolvePolicy(builtInProfile('workspace-write', choices), places);

async function run(script: string): Promise<void> {
  const env = { PATH: process.env['PATH'] ?? '' };
  const planned = await sandbox.plan({ argv: ['bash', '-c', script], cwd: folder, env }, policy, []);
  if (planned.kind === 'refused') throw new Error(planned.message);
  const started = spawn.run(
    planned,
    { timeoutMs: 60_000, outputBytes: 1000 },
    { signal: new AbortController().signal },
  );
  // Pipes are at hand by now, so that the command starts with the next microtasks.
  await Promise.race([started, new Promise((resolve) => setImmediate(resolve))]);
}

await run('true');
keepCompiled();
await new Promise((resolve) => setTimeout(resolve, 50));
const [delay = '0', script = ''] = commands;
await run(script);
for (const end = performance.now() + Number(delay) / 1000; performance.now() < end;);
process.kill(process.pid, 'SIGKILL');
