import { shellWords } from '../../protocol/shell-words.ts';
import { matchRules } from './match-rules.ts';
import type { Meter } from './meter.ts';
import type { PrefixRule, RuleSet } from './rule-set.ts';
import { RulesFault } from './rules-fault.ts';

/** The words of a command. */
export type Example = readonly string[];

/** The examples of one call of `prefix_rule` and the rules that it made. */
export interface ExampleSet {
  readonly rules: readonly PrefixRule[];
  readonly match: readonly Example[];
  readonly notMatch: readonly Example[];
  readonly line: number;
}

/** Holds every example against its own rules. `executables` is known only when the whole file has been run. */
export function checkExamples(sets: readonly ExampleSet[], executables: RuleSet['executables'], meter: Meter): void {
  for (const { rules, match, notMatch, line } of sets) {
    const fits = (example: Example): boolean => {
      const own = { prefixes: rules, hosts: [], executables };
      meter.spend(rules.reduce((work, { pattern }) => work + pattern.length, example.length));
      return matchRules(own, example, { resolveExecutables: true, cwd: '/' }).length > 0;
    };
    const hit = notMatch.find(fits);
    if (hit !== undefined) throw wrong(`matches \`${shown(hit)}\`, an example in \`not_match\``, line);
    const missed = match.find((example) => !fits(example));
    if (missed !== undefined) throw wrong(`does not match \`${shown(missed)}\`, an example in \`match\``, line);
  }
}

function wrong(what: string, line: number): RulesFault {
  return new RulesFault(`The rule ${what}.`, 'Correct the pattern or the example.', line);
}

function shown(example: Example): string {
  const text = shellWords(example);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
