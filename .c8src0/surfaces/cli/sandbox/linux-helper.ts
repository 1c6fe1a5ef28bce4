import { resolve } from 'node:path';
import { explainWrongValue } from '../../../core/config/keys/explain-wrong-value.ts';
import { readProfile } from '../../../core/policy/profiles/read-profile.ts';
import { isWrongValue } from '../../../core/policy/profiles/profile-entries.ts';
import { defined } from '../../../base/objects.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { PermissionProfile } from '../../../protocol/permissions.ts';
import { loadCommandEngine } from '../../views/command-line/command-engine.ts';
import { wrongUsage } from '../../views/command-line/run-command.ts';
import type { CommandArguments } from '../../views/command-line/command.ts';
import type { sandboxCommand } from '../table/sandbox-and-files-commands.ts';
import { runSandboxedCommand } from './run-sandbox.ts';

type SandboxArguments = CommandArguments<typeof sandboxCommand>;

/** Confines a command by a profile in JSON, as `codex-linux-sandbox` does, but without a second stage. */
export async function runLinuxHelper({ options, words }: SandboxArguments): Promise<number | Outcome> {
  const unsupported = unsupportedFlag(options);
  if (unsupported !== undefined) return wrongUsage({ name: 'sandbox' }, unsupported);
  const { permissions = '', profile: file, sandboxFallback, policyFolder, commandFolder, folder } = options;
  const profile = permissions.startsWith('{') ? parseProfile(permissions) : undefined;
  if (profile !== undefined && 'code' in profile) return profile;
  const loaded = await loadCommandEngine(options.overrides, { profile: file, sandboxFallback });
  if ('code' in loaded) return loaded;
  const { engine, cwd: here } = loaded;
  const named = permissions === '' ? undefined : { named: permissions };
  const sandbox = await engine.openSandbox({
    cwd: resolve(here, policyFolder ?? folder ?? '.'),
    permissions: profile === undefined ? named : { profile },
    landlockOnly: options.legacyLandlock || undefined,
    // Keep the caller's environment unchanged.
    env: profile && (defined(process.env) as Readonly<Record<string, string>>),
  });
  if ('code' in sandbox) return sandbox;
  return runSandboxedCommand(sandbox, words, {
    cwd: commandFolder === undefined ? undefined : resolve(here, commandFolder),
  });
}

function unsupportedFlag(options: SandboxArguments['options']): string | undefined {
  if (options.innerStage)
    return '--apply-seccomp-then-exec is a stage that Capstan does not have: its filter is set from outside.';
  if (options.verifiedMount.length > 0) return '--verify-fd-mount belongs to a stage that Capstan does not have.';
  if (options.forProxy || options.proxyRoutes !== undefined) return 'proxies are not opened from the command line.';
  return undefined;
}

function parseProfile(text: string): PermissionProfile | Outcome {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return wrongUsage({ name: 'sandbox' }, `--permission-profile is not JSON: ${(error as Error).message}.`);
  }
  const profile = readProfile(value);
  if (!isWrongValue(profile)) return profile;
  return { code: 'usage', ...explainWrongValue('--permission-profile', profile) };
}
