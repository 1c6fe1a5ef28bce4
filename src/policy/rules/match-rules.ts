import { defined } from '../../protocol/defined.ts';
import { programPath } from './program-path.ts';
import type { PrefixRule, RuleDecision, RuleSet } from './rule-set.ts';

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
export function strictest(decisions: readonly RuleDecision[]): RuleDecision | undefined {
  return byStrictness.find((decision) => decisions.includes(decision));
}
