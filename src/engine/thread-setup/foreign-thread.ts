import { findPermissionPlaces } from '../../adapters/gather/permission-places.ts';
import { configuredProfile, workspaceWriteOptions } from '../../adapters/gather/settings/choose-profile.ts';
import { isPinnedSetting } from '../../adapters/gather/settings/settings-origins.ts';
import { replaceInvisible } from '../../base/invisible-characters.ts';
import type { Config } from '../../core/config/config.ts';
import type { Settings } from '../../core/envelope/settings.ts';
import { approvalName } from '../../core/policy/decide/approval-policy.ts';
import { noOwnPlaces, type PermissionPlaces } from '../../core/policy/paths/special-places.ts';
import { narrowerApproval, narrowerProfile } from '../../core/policy/profiles/narrower-profile.ts';
import { profileSandboxLevel } from '../../core/policy/profiles/profile-entries.ts';
import type { LastSettings } from '../../core/state/resumed-settings.ts';
import type { PermissionProfile } from '../../protocol/permissions.ts';
import { quoteShellCommand, type EnvironmentVariables } from '../../protocol/shell.ts';
import type { ResumedPast } from '../store/thread-origin.ts';
import { settingLabel } from '../wording.ts';

export function takeOverThread(
  config: Config,
  past: ResumedPast,
  { cwd, env }: { readonly cwd: string; readonly env: EnvironmentVariables },
) {
  const places = findPermissionPlaces(cwd, env, { own: noOwnPlaces });
  const { resumed, left } = adoptForeignSettings(config, past.last, places);
  const { cwd: own, ...rest } = resumed;
  const keepsFolder = past.standing !== 'imported' && own !== undefined;
  return {
    resumed: keepsFolder ? { ...rest, cwd: own } : rest,
    notices: (settings: Settings) => leftNotice(past, left, settings),
  };
}

function leftNotice({ id, last, standing }: ResumedPast, names: readonly RejectedSetting[], settings: Settings) {
  // Approvals held by a surface do not depend on the thread.
  const shown = names.filter((name) => name !== 'approvals' || settings.origins?.['approvals'] !== 'surface');
  const isElsewhere = standing === 'imported' && last.cwd !== undefined && last.cwd !== settings.cwd;
  const left = [
    ...(isElsewhere ? [leftName('folder', last.cwd, settings.cwd, '-C')] : []),
    ...shown.map((one) => said(one, last, settings)),
  ];
  if (left.length === 0) return [];
  const why = standing === 'imported' ? 'was imported' : 'has settings that Capstan did not write in this home folder';
  const flags = left.flatMap(({ flag }) => flag ?? []);
  const message = `Thread ${id} ${why}. Capstan does not apply: ${left.map(({ text }) => text).join(', ')}.`;
  const grant = 'Grant them again when needed.';
  const next =
    flags.length === 0 ? grant : `If you trust the thread and want its settings, add ${quoteShellCommand(flags)}`;
  return [{ code: 'settings-not-taken-over', message, next }];
}

type Left = { readonly text: string; readonly flag?: readonly string[] };

function said(name: RejectedSetting, last: LastSettings, settings: Settings): Left {
  switch (name) {
    case 'sandbox':
      return leftProfile(last.sandbox!, settings.sandbox);
    case 'approvals':
      return leftApproval(approvalName(last.approvals!), approvalName(settings.approvals));
    case 'reviewer':
      return leftName('reviewer', last.reviewer!, settings.reviewer ?? 'user', '-c', 'approvals_reviewer=');
    case 'provider':
      return leftName('provider', last.provider!, settings.provider, '-c', 'model_provider=');
    case 'model':
      return leftName('model', last.model!, settings.model, '-m');
    case 'serviceTier':
      return leftName('service tier', last.serviceTier!, settings.serviceTier ?? 'default', '-c', 'service_tier=');
    case 'developerInstructions':
    case 'compactPrompt':
      return { text: settingLabel(name) };
    case 'approvedPrefixes':
    case 'networkRules': {
      const [{ length }, words] = [last[name]!, settingLabel(name)];
      return { text: `${length} ${length === 1 ? words.replace(/s$/, '') : words}` };
    }
  }
}

function leftName(word: string, had: string, holds: string, flag: string, key = ''): Left {
  return { text: `${word} ${plain(had)} (using ${plain(holds)})`, flag: [flag, `${key}${plain(had)}`] };
}

function leftApproval(had: string, holds: string): Left {
  const flag = had === 'granular' ? {} : { flag: ['-c', `approval_policy=${had}`] };
  return { text: `approval ${had} (using ${holds})`, ...flag };
}

function leftProfile(had: PermissionProfile, holds: PermissionProfile): Left {
  const mode = profileSandboxLevel(had);
  const options = workspaceWriteOptions(had);
  const [network, roots] = [options?.network === true, options?.writableRoots ?? []];
  const more = [...(network ? ['the network'] : []), ...roots.map(plain)];
  const text = `sandbox ${mode}${more.length === 0 ? '' : ` with ${more.join(', ')}`} (using ${profileSandboxLevel(holds)})`;
  // Flags cannot express a profile with rules of its own.
  if (mode === 'external-sandbox' || (mode === 'workspace-write' && options === undefined)) return { text };
  const online = network ? ['-c', 'sandbox_workspace_write.network_access=true'] : [];
  return { text, flag: ['-s', mode, ...online, ...roots.flatMap((root) => ['--add-dir', plain(root)])] };
}

const longest = 200;

/** The text comes from the file: it must neither fill the screen nor control the terminal. */
function plain(text: string): string {
  const line = replaceInvisible(text.replaceAll(/[\n\t]/g, '\uFFFD'), () => '\uFFFD');
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
}

/** Never adopted. The model would read the last two as instructions of the user's own program. */
const neverAdopted = [
  'approvedPrefixes',
  'networkRules',
  'serviceTier',
  'developerInstructions',
  'compactPrompt',
] as const;
type RejectedSetting = (typeof neverAdopted)[number] | 'sandbox' | 'approvals' | 'reviewer' | 'provider' | 'model';

/**
 * Adopts settings of a thread that this home did not write. Its permissions are only claims: they may narrow the
 * configuration, never widen it. The provider stays the configured one, since another would get to read the workspace;
 * a model belongs to its provider. `left`: settings that do not count, except those that a flag decides anyway.
 */
function adoptForeignSettings(config: Config, last: LastSettings, places: PermissionPlaces) {
  const left = new Set<RejectedSetting>(neverAdopted);
  const configured = configuredProfile(config);
  if (last.sandbox !== undefined && narrowerProfile(configured, last.sandbox, places) !== last.sandbox)
    left.add('sandbox');
  if (last.approvals !== undefined && narrowerApproval(config.approvalPolicy, last.approvals) !== last.approvals)
    left.add('approvals');
  if (last.reviewer === 'auto_review' && config.approvalsReviewer !== 'auto_review') left.add('reviewer');
  if (last.provider !== undefined && last.provider !== config.modelProvider) left.add('provider').add('model');
  const present = [...left].filter((name) => last[name] !== undefined);
  const kept = Object.entries(last).filter(([name]) => !left.has(name as RejectedSetting));
  const resumed: LastSettings = Object.fromEntries(kept);
  return { resumed, left: present.filter((name) => !isDecided(config, name)) };
}

/** True if a flag or the managed file decides. Options of a sandbox mode do not decide the mode. */
function isDecided(config: Config, name: RejectedSetting): boolean {
  const isMode = (): boolean => config.pinned.has('sandbox_mode') || config.pinned.has('default_permissions');
  return name === 'sandbox' ? isMode() : isPinnedSetting(config, name);
}
