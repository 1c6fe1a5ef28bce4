import { accessByRules, writableRoots } from '../../../core/policy/paths/access.ts';
import { compareByDepth, isWithin, parentPath } from '../../../core/policy/paths/absolute-paths.ts';
import type { PathRule, ResolvedPolicy } from '../../../protocol/permissions.ts';

/**
 * `elevated`: commands run as a separate local account, set up by an administrator. `unelevated`: as the user, with a
 * restricted token. Neither has been tried on Windows: no launcher exists yet, so every plan is refused.
 */
export type WindowsLevel = 'elevated' | 'unelevated';

export interface WindowsPlan {
  readonly kind: 'windows-plan';
  readonly level: WindowsLevel;
  readonly entries: readonly WindowsEntry[];
  readonly systemRoots: boolean;
  /** `blocked`: the account has firewall rules. `best-effort`: variables and stubs, which a program may ignore. */
  readonly network: 'open' | 'blocked' | 'best-effort';
}

export interface WindowsEntry {
  readonly path: string;
  readonly effect: 'allow-read' | 'allow-write' | 'deny-write' | 'deny-read';
  /** Access lists need an object: a path that must stay missing has to be created first. */
  readonly makeFirst?: true;
}

export interface WindowsImpossible {
  readonly kind: 'windows-impossible';
  readonly reason:
    | 'nothing-restricted'
    | 'limited-reads'
    | 'denied-path'
    | 'reopened-path'
    | 'other-roots'
    | 'host-lists';
  readonly message: string;
}

export interface WindowsRequest {
  readonly level: WindowsLevel;
  readonly policy: ResolvedPolicy;
  /** Writable under workspace-write: the working folder, configured roots, temporary folders. */
  readonly usualRoots: readonly string[];
  readonly hostLists: boolean;
}

export function planWindows({ level, policy, usualRoots, hostLists }: WindowsRequest): WindowsPlan | WindowsImpossible {
  const { files, network, enforcement } = policy;
  if (enforcement !== 'managed' || files.kind === 'unrestricted') {
    return impossible('nothing-restricted', 'A sandbox needs a policy that restricts files.');
  }
  const { rules, denyGlobs, platformDefaults } = files;
  const at = (path: string) => accessByRules(rules, path);
  const readsEverything = at('/') !== 'deny';
  const [glob] = denyGlobs;
  const denied = rules.find(({ path, access, own }) => access === 'deny' && path !== '/' && own !== true)?.path ?? glob;
  if (denied !== undefined) {
    return impossible(
      'denied-path',
      `${JSON.stringify(denied)} is denied, and access lists cannot hide a path exactly.`,
    );
  }
  const secret = rules.find(({ access, own, path }) => access === 'deny' && own === true && path !== '/');
  if (level === 'unelevated') {
    if (!readsEverything) return impossible('limited-reads', 'A restricted token cannot limit what is read.');
    if (secret !== undefined) {
      return impossible(
        'denied-path',
        `A restricted token cannot hide Capstan's secrets (${JSON.stringify(secret.path)}).`,
      );
    }
    if (hostLists)
      return impossible('host-lists', 'A restricted token cannot keep commands from going around the proxy.');
  }
  const roots = writableRoots(policy);
  const reopened = roots.find(({ path }) => isReopened(path, rules));
  if (reopened !== undefined) {
    const where = JSON.stringify(reopened.path);
    return impossible(
      'reopened-path',
      `${where} is writable inside a read-only path, which access lists cannot express.`,
    );
  }
  const written = roots.map(({ path }) => path);
  const isUsual = written.length === 0 || sameSet(written, usualRoots);
  if (level === 'unelevated' && !isUsual) {
    return impossible('other-roots', 'A restricted token can open only the roots of workspace-write.');
  }
  return {
    kind: 'windows-plan',
    level,
    entries: [
      ...rules
        .filter((rule) => rule.access === 'read' && at(parentPath(rule.path)) === 'deny')
        .map((rule) => entry(rule, 'allow-read')),
      ...roots.map(({ path }): WindowsEntry => ({ path, effect: 'allow-write' })),
      ...roots
        .flatMap(({ carveOuts }) => carveOuts.filter(({ access }) => access === 'read'))
        .map((rule) => entry(rule, 'deny-write')),
      ...rules
        .filter(({ access, own, path }) => access === 'deny' && own === true && path !== '/')
        .map((rule) => entry(rule, 'deny-read')),
    ].toSorted((a, b) => compareByDepth(a.path, b.path)),
    systemRoots: platformDefaults,
    network: network === 'enabled' ? 'open' : level === 'elevated' ? 'blocked' : 'best-effort',
  };
}

function entry({ path, ifMissing }: PathRule, effect: WindowsEntry['effect']): WindowsEntry {
  return { path, effect, ...(effect === 'deny-write' && ifMissing === 'protect' ? { makeFirst: true } : {}) };
}

/** True if a folder above the path is read-only inside a writable one. */
function isReopened(path: string, rules: readonly PathRule[]): boolean {
  const above = rules.filter((rule) => rule.path !== path && isWithin(path, rule.path) && rule.path !== '/');
  return above.some(
    (rule) =>
      rule.access !== 'write' && above.some((outer) => outer.access === 'write' && isWithin(rule.path, outer.path)),
  );
}

function sameSet(one: readonly string[], other: readonly string[]): boolean {
  return new Set(one).symmetricDifference(new Set(other)).size === 0;
}

function impossible(reason: WindowsImpossible['reason'], message: string): WindowsImpossible {
  return { kind: 'windows-impossible', reason, message };
}
