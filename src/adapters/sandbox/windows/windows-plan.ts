import { isWithin } from '../../../core/policy/paths/absolute-paths.ts';
import { accessByRules, networkReach, writablePaths } from '../../../core/policy/paths/access.ts';
import type { PathRule, ResolvedPolicy } from '../../../protocol/permissions.ts';

/**
 * `elevated`: commands would run as a separate local account, set up by an administrator. `unelevated`: as the user,
 * with a restricted token. Neither exists yet, so every command is refused.
 */
export type WindowsLevel = 'elevated' | 'unelevated';

/**
 * How Windows could enforce the policy, or a sentence why it cannot. `usualRoots`: writable under workspace-write, that
 * is the working folder, configured roots and temporary folders.
 */
export function planWindows(level: WindowsLevel, policy: ResolvedPolicy, usualRoots: readonly string[]) {
  const { files, network, enforcement } = policy;
  if (enforcement !== 'managed' || files.kind === 'unrestricted')
    return 'A sandbox needs a policy that restricts files.';
  const { rules, denyGlobs } = files;
  const hidden = rules.filter(({ path, access }) => access === 'deny' && path !== '/');
  const denied = hidden.find(({ own }) => own !== true)?.path ?? denyGlobs[0];
  if (denied !== undefined) return `${JSON.stringify(denied)} is denied, and access lists cannot hide a path exactly.`;
  if (level === 'unelevated') {
    if (accessByRules(rules, '/') === 'deny') return 'A restricted token cannot limit what is read.';
    const secret = hidden.find(({ own }) => own === true)?.path;
    if (secret !== undefined) return `A restricted token cannot hide Capstan's secrets (${JSON.stringify(secret)}).`;
    if (networkReach(policy) === 'listed')
      return 'A restricted token cannot keep commands from going around the proxy.';
  }
  const written = writablePaths(policy);
  const reopened = written.find((path) => isReopened(path, rules));
  if (reopened !== undefined)
    return `${JSON.stringify(reopened)} is writable inside a read-only path, which access lists cannot express.`;
  const isUsual = written.length === 0 || new Set(written).symmetricDifference(new Set(usualRoots)).size === 0;
  if (level === 'unelevated' && !isUsual) return 'A restricted token can open only the roots of workspace-write.';
  // `blocked`: the account has firewall rules. `best-effort`: variables and stubs, which a program may ignore.
  const withoutNetwork = level === 'elevated' ? ('blocked' as const) : ('best-effort' as const);
  return { network: network === 'enabled' ? ('open' as const) : withoutNetwork };
}

/** True if a folder above the path is read-only inside a writable one. */
function isReopened(path: string, rules: readonly PathRule[]): boolean {
  const above = rules.filter((rule) => rule.path !== path && isWithin(path, rule.path) && rule.path !== '/');
  return above.some(
    (rule) =>
      rule.access !== 'write' && above.some((outer) => outer.access === 'write' && isWithin(rule.path, outer.path)),
  );
}
