import type { Config } from '../../../core/config/config.ts';
import { narrowerApproval, narrowerProfile } from '../../../core/policy/profiles/narrower-profile.ts';
import type { Places } from '../../../core/policy/paths/special-places.ts';
import type { LastSettings } from '../../../core/state/resumed-settings.ts';
import { configuredProfile } from './choose-profile.ts';
import { isPinned } from './settings-origins.ts';

export type RejectedSetting =
  | 'sandbox'
  | 'approvals'
  | 'reviewer'
  | 'provider'
  | 'model'
  | 'approvedPrefixes'
  | 'networkRules'
  | 'serviceTier'
  | 'developerInstructions'
  | 'compactPrompt';

/**
 * Adopts settings of a thread that this home did not write. Its permissions are only claims: they may narrow the
 * configuration, never widen it. The provider stays the configured one, since another would get to read the workspace;
 * a model belongs to its provider. `left`: settings that do not count, except those that a flag decides anyway.
 */
export function adoptForeignSettings(config: Config, last: LastSettings, places: Places) {
  const left = new Set<RejectedSetting>(['approvedPrefixes', 'networkRules', 'serviceTier']);
  // The model would read them as instructions of the user's own program.
  left.add('developerInstructions').add('compactPrompt');
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

const isModePinned = ({ pinned }: Config): boolean => pinned.has('sandbox_mode') || pinned.has('default_permissions');

/** Decided by a flag or the managed file. Options of a sandbox mode do not decide the mode. */
function isDecided(config: Config, name: RejectedSetting): boolean {
  return name === 'sandbox' ? isModePinned(config) : isPinned(config, name);
}
