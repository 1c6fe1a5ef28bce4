import { runProgram } from './evaluate.ts';
import { checkExamples } from './examples.ts';
import { createMeter } from './meter.ts';
import { parseRules } from './parse-rules.ts';
import { plainBuiltins } from './plain-builtins.ts';
import { type RuleDraft, ruleBuiltins } from './rule-builtins.ts';
import type { RuleSet } from './rule-set.ts';
import { RulesFault } from './rules-fault.ts';

/** What a rules file says, or why it says nothing. A file counts as a whole or not at all. */
export type ReadRules =
  | { readonly kind: 'read'; readonly rules: RuleSet }
  | {
      readonly kind: 'problem';
      readonly line: number;
      /** A sentence without the place. */
      readonly message: string;
      readonly next: string;
    };

export interface RulesFile {
  /** The name in the sources of its rules. */
  readonly file: string;
  /** Places of programs that earlier files name: its examples are held against them too. */
  readonly executables?: RuleSet['executables'];
}

/** Runs the text of a rules file. Never throws, and ends soon. */
export function readRules(text: string, { file, executables: earlier = {} }: RulesFile): ReadRules {
  const meter = createMeter();
  const draft: RuleDraft = { prefixes: [], hosts: [], executables: new Map(), examples: [] };
  const builtins = [...plainBuiltins(meter), ...ruleBuiltins(draft, file, meter)];
  const known = new Map(builtins.map((value) => [value.name, value]));
  try {
    runProgram(parseRules(text, new Set(known.keys())), known, meter);
    const executables = Object.fromEntries(draft.executables);
    checkExamples(draft.examples, { ...earlier, ...executables }, meter);
    return { kind: 'read', rules: { prefixes: draft.prefixes, hosts: draft.hosts, executables } };
  } catch (error) {
    if (!(error instanceof RulesFault)) throw error;
    return { kind: 'problem', line: error.line ?? meter.line, message: error.message, next: error.next };
  }
}
