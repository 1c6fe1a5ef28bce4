import { defined } from '../../../base/objects.ts';
import { isCoverable } from '../commands/shell-builtins.ts';
import { hostAtPort } from '../network/host-lists.ts';
import { normaliseHost } from '../network/host-name.ts';
import { type NetworkRule, type PrefixRule, type RuleDecision, type RuleSet, usualPort } from './rule-set.ts';

export interface RuleMatch {
  /** The words of the command that the rule is about. */
  readonly prefix: readonly string[];
  readonly decision: RuleDecision;
  readonly justification?: string;
  /**
   * Where the program is, if the rule names it without a path. Such an `allow` means the program of that name and not a
   * file that a command may have put there: a caller that lets it out of the sandbox checks that commands cannot write it.
   */
  readonly resolvedProgram?: string;
}

export interface RuleMatching {
  /** A path to a program also matches rules about its name, if no rule is about the path. */
  readonly resolveExecutables: boolean;
  /** Relative paths to programs start there. Absent: they are not resolved. */
  readonly cwd?: string;
}

/** Every rule about a command, in their order. The words are compared as they are: no shell is read. */
export function matchRules(rules: RuleSet, argv: readonly string[], options: RuleMatching): readonly RuleMatch[] {
  const exact = matches(rules.prefixes, argv);
  if (exact.length > 0 || !options.resolveExecutables) return exact;
  const program = absolutePath(argv[0] ?? '', options.cwd);
  if (program === undefined) return [];
  const name = program.slice(program.lastIndexOf('/') + 1);
  const places = Object.hasOwn(rules.executables, name) ? rules.executables[name] : undefined;
  if (places?.includes(program) === false) return [];
  return matches(rules.prefixes, [name, ...argv.slice(1)], program);
}

function matches(
  prefixes: readonly PrefixRule[],
  argv: readonly string[],
  resolvedProgram?: string,
): readonly RuleMatch[] {
  return prefixes
    .filter(({ pattern }) => pattern.length <= argv.length && pattern.every((slot, at) => fits(slot, argv[at] ?? '')))
    .map(({ pattern, decision, justification }) => ({
      prefix: argv.slice(0, pattern.length),
      decision,
      ...defined({ justification, resolvedProgram }),
    }));
}

function fits(slot: string | readonly string[], word: string): boolean {
  return typeof slot === 'string' ? slot === word : slot.includes(word);
}

/** Undefined for a bare name, and for a relative path without a folder that it starts from. */
function absolutePath(program: string, cwd: string | undefined): string | undefined {
  if (program.startsWith('/')) return programPath(program);
  return program.includes('/') && cwd !== undefined ? programPath(`${cwd}/${program}`) : undefined;
}

const byStrictness: readonly RuleDecision[] = ['forbidden', 'prompt', 'allow'];

/** A broad prohibition is not lifted by a narrow permission. Undefined where nothing was decided. */
export function strictestDecision(decisions: readonly RuleDecision[]): RuleDecision | undefined {
  return byStrictness.find((decision) => decisions.includes(decision));
}

/** An absolute path without `.`, `..` and doubled slashes. Undefined for a path that no file can have. */
export function programPath(text: string): string | undefined {
  // A NUL byte ends a path for the kernel, so the rest would be a lie.
  if (!text.startsWith('/') || text.includes('\0')) return undefined;
  const kept: string[] = [];
  for (const name of text.split('/')) {
    if (name === '..') kept.pop();
    else if (name !== '' && name !== '.') kept.push(name);
  }
  return `/${kept.join('/')}`;
}

/** Twice what the text for the model lists: each is held against all rules. */
const mostPrefixes = 200;
/** Of the reason for a denied host, which is stored with every turn. */
const longestReason = 300;

/** Beginnings of commands that rules, or some of them, allow. One that another rule holds back, or that no rule covers, is none. */
export function allowedPrefixes(rules: RuleSet, some = rules.prefixes): readonly (readonly string[])[] {
  const found: (readonly string[])[] = [];
  let tried = 0;
  for (const { pattern, decision } of some) {
    if (decision !== 'allow') continue;
    for (const prefix of spelled(pattern)) {
      const decisions = matchRules(rules, prefix, { resolveExecutables: false });
      if (isCoverable(prefix) && strictestDecision(decisions.map((match) => match.decision)) === 'allow')
        found.push(prefix);
      if (++tried === mostPrefixes) return found;
    }
  }
  return found;
}

/** Every way to fill the slots of a pattern. */
function* spelled([slot, ...rest]: PrefixRule['pattern']): Generator<readonly string[]> {
  if (slot === undefined) yield [];
  for (const word of typeof slot === 'string' ? [slot] : (slot ?? [])) {
    for (const behind of spelled(rest)) yield [word, ...behind];
  }
}

/**
 * What rules decide about hosts. A rule that allows names a protocol and no port: it holds for the usual port of that
 * protocol, and one for SOCKS5 for every port. A rule that denies or asks holds for them all. Of several rules about a host
 * the last one counts, but one that asks does not lift one that denies.
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
    const why =
      action === 'deny' ? justification?.trim().slice(0, longestReason).toWellFormed() || undefined : undefined;
    byHost.set(host, { action, ...defined({ why }), patterns: [...new Set([...earlier, pattern])] });
  }
  return [...byHost.values()].flatMap(({ patterns, ...decided }) => patterns.map((host) => ({ host, ...decided })));
}
