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
import { systemPrograms } from '../../adapters/exec/find-programs.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { packagePrograms, type PackageStep, planPackage } from '../../adapters/sandbox/linux/bubblewrap-package.ts';
import { programHash, packagedBubblewrap } from '../../adapters/sandbox/linux/unpacked-bubblewrap.ts';
import { type EngineParts, unpackedBubblewrap } from '../engine-parts.ts';

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
    const programs = Object.fromEntries(packagePrograms.map((name) => [name, systemPrograms.find(name)]));
    const steps = planPackage(programs, work);
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
  const end = await spawn.run({ ...command, cleanup: async () => {} }, limits, {
    signal: new AbortController().signal,
  });
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
