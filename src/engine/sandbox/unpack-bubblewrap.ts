import { systemPrograms } from '../../adapters/exec/find-programs.ts';
import { packagedBubblewrap, programHash } from '../../adapters/sandbox/sandbox.ts';
import { installBubblewrap, installers } from '../../ports/sandbox.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { EnvironmentVariables } from '../../protocol/shell.ts';
import { type EngineParts, unpackedBubblewrap } from '../engine-parts.ts';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

export type UnpackedBubblewrap = { readonly kind: 'unpacked'; readonly program: string };

/** Unpacks the distribution's package into the home. The old copy is replaced only when the new one works. */
export async function unpackBubblewrap(engine: EngineParts): Promise<UnpackedBubblewrap | Outcome> {
  if (process.platform !== 'linux') return onlyOnLinux;
  const { base } = engine;
  const folder = unpackedBubblewrap(base.home);
  mkdirSync(join(base.home, 'capstan'), { recursive: true, mode: 0o700 });
  const work = mkdtempSync(`${folder}-`);
  // dpkg sets the package's folder modes; no other user may look into them before they are checked.
  chmodSync(work, 0o700);
  try {
    const programs = Object.fromEntries(packageManagerNames.map((name) => [name, systemPrograms.find(name)]));
    const steps = planPackageUnpacking(programs, work);
    if ('code' in steps) return steps;
    for (const each of steps.folders) mkdirSync(each, { recursive: true });
    const run = (step: PackageStep) => runStep(engine, step);
    const downloaded = (): string | undefined => readdirSync(steps.downloads).find((name) => name.endsWith('.deb'));
    await run(steps.download);
    if (downloaded() === undefined) for (const step of steps.downloadWithOwnLists) await run(step);
    const file = downloaded();
    if (file === undefined) return failed('its package could not be downloaded');
    const target = join(work, 'unpacked');
    const made = await run(steps.unpack(join(steps.downloads, file), target));
    const { program, hashFile } = packagedBubblewrap(target);
    if (!made) return failed('its package could not be unpacked');
    if (!(await run({ program, words: ['--version'], cwd: work, timeoutMs: 10_000 })))
      return failed('the unpacked program does not run here');
    writeFileSync(hashFile, `${programHash(readFileSync(program))}\n`);
    rmSync(folder, { recursive: true, force: true });
    renameSync(target, folder);
    return { kind: 'unpacked', program: packagedBubblewrap(folder).program };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function runStep({ spawn, options }: EngineParts, step: PackageStep): Promise<boolean> {
  const { HTTP_PROXY, HTTPS_PROXY, http_proxy, https_proxy, PATH } = options.env;
  const proxies = Object.entries({ HTTP_PROXY, HTTPS_PROXY, http_proxy, https_proxy, PATH });
  const env = Object.fromEntries(proxies.filter((pair): pair is [string, string] => pair[1] !== undefined));
  const command = { kind: 'runnable', argv: [step.program, ...step.words], cwd: step.cwd, env, files: [] } as const;
  const limits = { timeoutMs: step.timeoutMs, outputBytes: 16_384 };
  const { signal } = new AbortController();
  const end = await spawn.run({ ...command, cleanup: async () => {} }, limits, { signal });
  return end.kind === 'exited' && end.exitCode === 0;
}

const onlyOnLinux: Outcome = {
  code: 'no-package',
  message: 'Only Linux needs bubblewrap: this system builds its sandboxes by other means, or has none.',
  next: 'See `capstan sandbox explain -P :workspace`.',
};

const failed = (why: string): Outcome => ({
  code: 'no-package',
  message: `Could not unpack bubblewrap: ${why}.`,
  next: 'Install the package "bubblewrap" of your distribution. Until then, Capstan refuses to run commands in a sandbox.',
});

interface PackageStep {
  readonly program: string;
  readonly words: readonly string[];
  readonly cwd: string;
  readonly timeoutMs: number;
}

export const packageManagerNames: readonly string[] = [...installers, 'dpkg'];

/** Steps that download and unpack the distribution's package. None needs root or changes the system. */
export function planPackageUnpacking(programs: EnvironmentVariables, work: string) {
  const { 'apt-get': apt, dpkg } = programs;
  if (apt === undefined || dpkg === undefined) return installYourself(programs);
  const downloads = `${work}/download`;
  const patience = ['-q', '-o', 'Acquire::http::Timeout=20', '-o', 'Acquire::Retries=1'];
  const own = [
    `Dir::State=${work}/state`,
    `Dir::State::Lists=${work}/state/lists`,
    `Dir::Cache=${work}/cache`,
    `Dir::Cache::Archives=${work}/cache/archives`,
    // When run by root, apt would switch to a user that cannot write here.
    'APT::Sandbox::User=root',
  ].flatMap((setting) => ['-o', setting]);
  const fetch = (options: readonly string[]): PackageStep => {
    const words = [...patience, ...options, 'download', 'bubblewrap'];
    return { program: apt, words, cwd: downloads, timeoutMs: 120_000 };
  };
  return {
    kind: 'package-steps' as const,
    folders: [downloads, `${work}/state/lists/partial`, `${work}/cache/archives/partial`],
    downloads,
    /** Uses the system's package lists. */
    download: fetch([]),
    /** Uses package lists of its own, if those of the system are missing or old. */
    downloadWithOwnLists: [
      { program: apt, words: [...patience, ...own, 'update'], cwd: work, timeoutMs: 180_000 },
      fetch(own),
    ],
    unpack: (file: string, target: string): PackageStep => {
      return { program: dpkg, words: ['-x', file, target], cwd: work, timeoutMs: 60_000 };
    },
  };
}

/** Other package programs unpack nothing without root. */
function installYourself(programs: EnvironmentVariables): Outcome<'no-package'> {
  const command = installBubblewrap((name) => programs[name] !== undefined);
  return {
    code: 'no-package',
    message: 'Capstan can unpack bubblewrap only from a Debian package, and this system has no apt-get and dpkg.',
    next: command ? `Install it: ${command}` : 'Install the package "bubblewrap" of your distribution.',
  };
}
