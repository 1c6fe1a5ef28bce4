import { defined } from '../../../base/objects.ts';
import { isCoverableByRule } from '../commands/shell-builtins.ts';
import { hostAtPort } from '../network/host-lists.ts';
import { normaliseHost } from '../network/host-name.ts';
import { normalisePath } from '../paths/absolute-paths.ts';
import { type NetworkRule, type PrefixRule, type RuleDecision, type RuleSet, usualPort } from './rule-set.ts';

export interface RuleMatch {
  readonly prefix: readonly string[];
  readonly decision: RuleDecision;
  readonly justification?: string;
  /**
   * The program's location if the rule names it without a path. Such an `allow` means the program of that name, not a
   * file that a command may have placed there: a caller that lets it out of the sandbox must check that commands cannot
   * write it.
   */
  readonly resolvedProgram?: string;
}

export interface RuleMatching {
  /** A path to a program also matches rules about its name, if no rule is about the path. */
  readonly resolveExecutables: boolean;
  /** Base of relative program paths. Absent: they are not resolved. */
  readonly cwd?: string;
}

/** Every rule about a command, in order. Compares words literally: no shell syntax is read. */
export function matchRules(rules: RuleSet, argv: readonly string[], options: RuleMatching): readonly RuleMatch[] {
  const exact = matches(rules.prefixes, argv);
  if (exact.length > 0 || !options.resolveExecutables) return exact;
  const program = absolutePath(argv[0] ?? '', options.cwd);
  if (program === undefined) return [];
  const name = program.slice(program.lastIndexOf('/') + 1);
  const places = Object.hasOwn(rules.executables, name) ? rules.executables[name] : undefined;
  return places?.includes(program) === false ? [] : matches(rules.prefixes, [name, ...argv.slice(1)], program);
}

function matches(
  prefixes: readonly PrefixRule[],
  argv: readonly string[],
  resolvedProgram?: string,
): readonly RuleMatch[] {
  const fits = (slot: string | readonly string[], word = ''): boolean =>
    typeof slot === 'string' ? slot === word : slot.includes(word);
  return prefixes
    .filter(({ pattern }) => pattern.length <= argv.length && pattern.every((slot, at) => fits(slot, argv[at])))
    .map(({ pattern, decision, justification }) => ({
      prefix: argv.slice(0, pattern.length),
      decision,
      ...defined({ justification, resolvedProgram }),
    }));
}

/** Undefined for a bare name, and for a relative path without a base folder. */
function absolutePath(program: string, cwd: string | undefined): string | undefined {
  if (program.startsWith('/')) return normalisePath(program);
  return program.includes('/') && cwd !== undefined ? normalisePath(`${cwd}/${program}`) : undefined;
}

const byStrictness: readonly RuleDecision[] = ['forbidden', 'prompt', 'allow'];

/** A narrow permission does not lift a broad prohibition. Undefined if nothing was decided. */
export const strictestDecision = (decisions: readonly RuleDecision[]): RuleDecision | undefined =>
  byStrictness.find((decision) => decisions.includes(decision));

/** Limit because each prefix is checked against all rules. It is twice the number in the model's text. */
const mostPrefixes = 200;
/** For the reason of a denied host, which is stored with every turn. */
const longestReason = 300;

/** Command prefixes that `some` rules allow, that no rule holds back, and that a rule may cover. */
export function allowedPrefixes(rules: RuleSet, some = rules.prefixes): readonly (readonly string[])[] {
  const found: (readonly string[])[] = [];
  let tried = 0;
  for (const { pattern, decision } of some) {
    if (decision !== 'allow') continue;
    for (const prefix of spelled(pattern)) {
      const decisions = matchRules(rules, prefix, { resolveExecutables: false });
      if (isCoverableByRule(prefix) && strictestDecision(decisions.map((match) => match.decision)) === 'allow')
        found.push(prefix);
      if (++tried === mostPrefixes) return found;
    }
  }
  return found;
}

function* spelled([slot, ...rest]: PrefixRule['pattern']): Generator<readonly string[]> {
  if (slot === undefined) yield [];
  for (const word of typeof slot === 'string' ? [slot] : (slot ?? [])) {
    for (const behind of spelled(rest)) yield [word, ...behind];
  }
}

/**
 * Decisions of rules about hosts. An allowing rule names a protocol without a port: it covers that protocol's usual
 * port, or with SOCKS5 every port. A denying or asking rule covers all ports. The last rule about a host counts, but
 * asking does not lift a denial.
 */
export function decidedHosts({ hosts }: Pick<RuleSet, 'hosts'>): readonly NetworkRule[] {
  const byHost = new Map<string, Omit<NetworkRule, 'host'> & { readonly patterns: readonly string[] }>();
  for (const { host: written, decision, protocol, justification } of hosts) {
    const host = normaliseHost(written) ?? written;
    const action = ({ allow: 'allow', prompt: 'ask', forbidden: 'deny' } as const)[decision];
    const known = byHost.get(host);
    if (action === 'ask' && known?.action === 'deny') continue;
    const earlier = action === 'allow' && known?.action === 'allow' ? known.patterns : [];
    const port = usualPort(protocol);
    const pattern = action !== 'allow' || port === undefined ? host : hostAtPort(host, port);
    const reason = justification?.trim().slice(0, longestReason).toWellFormed() || undefined;
    const why = action === 'deny' ? reason : undefined;
    byHost.set(host, { action, ...defined({ why }), patterns: [...new Set([...earlier, pattern])] });
  }
  return [...byHost.values()].flatMap(({ patterns, ...decided }) => patterns.map((host) => ({ host, ...decided })));
}
