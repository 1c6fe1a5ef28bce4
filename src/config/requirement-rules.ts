import type { PrefixRule } from '../policy/rules/rule-set.ts';
import { isJsonObject, type Json, type JsonObject, stringAt } from '../protocol/json.ts';
import { defined } from '../protocol/defined.ts';
import { type ConfigLayer, sourceOf } from './config-layer.ts';
import { type ConfigProblem, keyProblem } from './config-problem.ts';

const path = ['rules', 'prefix_rules'];

/** The rules in the table `[rules]` of `requirements.toml`. They hold commands back and allow none. */
export function requirementRules(
  file: ConfigLayer,
  table: Json | undefined,
): { readonly rules: readonly PrefixRule[]; readonly problems: readonly ConfigProblem[] } {
  const problem = (what: string, next: string, key: readonly string[] = path): ConfigProblem =>
    keyProblem(file, key, { code: 'config-wrong-value', severity: 'error', what, next });
  if (!isJsonObject(table)) return { rules: [], problems: [] };
  const problems = Object.keys(table)
    .filter((key) => key !== 'prefix_rules')
    .map((key) => problem('is unknown', 'Use prefix_rules.', ['rules', key]));
  const written = table['prefix_rules'] ?? [];
  if (!Array.isArray(written)) return { rules: [], problems: [...problems, problem('must be a list', shape)] };
  const source = sourceOf(file, path);
  const read = written.map((rule: Json) => readRule(rule, source));
  return {
    rules: read.flatMap((rule) => (typeof rule === 'string' ? [] : rule)),
    problems: [
      ...problems,
      ...read.flatMap((rule, at) =>
        typeof rule === 'string' ? problem(`has a wrong entry (${at + 1}): ${rule}`, shape) : [],
      ),
    ],
  };
}

const shape =
  'Write each rule as { pattern = [{ token = "rm" }, { any_of = ["-rf", "-fr"] }], decision = "forbidden" }.';

const known = new Set(['pattern', 'decision', 'justification']);

/** One rule for each program of its first slot, or what is wrong with it. */
function readRule(rule: Json, source: string): readonly PrefixRule[] | string {
  if (!isJsonObject(rule)) return 'it is not a table';
  const odd = Object.keys(rule).find((key) => !known.has(key));
  if (odd !== undefined) return `${odd} is unknown`;
  const decision = stringAt(rule, 'decision');
  if (decision !== 'prompt' && decision !== 'forbidden') return 'decision must be "prompt" or "forbidden"';
  const { pattern, justification } = rule;
  if (justification !== undefined && (typeof justification !== 'string' || justification.trim() === '')) {
    return 'justification must be a text';
  }
  if (!Array.isArray(pattern) || pattern.length === 0) return 'pattern must be a list with something in it';
  const slots = pattern.map((slot: Json) => (isJsonObject(slot) ? slotOf(slot) : undefined));
  const [first, ...rest] = slots.filter((slot) => slot !== undefined);
  if (first === undefined || rest.length < pattern.length - 1) return 'each part of pattern must have token or any_of';
  const about = defined({ justification: justification as string | undefined });
  const programs = typeof first === 'string' ? [first] : first;
  return programs.map((program) => ({ pattern: [program, ...rest], decision, ...about, source }));
}

function slotOf(slot: JsonObject): string | readonly string[] | undefined {
  const { token, any_of: choices, ...others } = slot;
  if (Object.keys(others).length > 0 || (token === undefined) === (choices === undefined)) return undefined;
  if (token !== undefined) return typeof token === 'string' ? token : undefined;
  if (!Array.isArray(choices) || choices.length === 0) return undefined;
  return choices.every((choice) => typeof choice === 'string') ? choices : undefined;
}
