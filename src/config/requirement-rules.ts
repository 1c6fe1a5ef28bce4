import type { PrefixRule } from '../policy/rules/rule-set.ts';
import { isJsonObject, type Json, type JsonObject, stringAt } from '../protocol/json.ts';
import { defined } from '../protocol/defined.ts';
import { type ConfigLayer, sourceOf } from './config-layer.ts';
import { type ConfigProblem, keyProblem } from './config-problem.ts';

const path = ['rules', 'prefix_rules'];

/** The rules in `requirements.toml`. They hold commands back and allow none. */
export function requirementRules(
  file: ConfigLayer,
  written: Json,
): { readonly rules: readonly PrefixRule[]; readonly problems: readonly ConfigProblem[] } {
  const source = sourceOf(file, path);
  const read = (Array.isArray(written) ? written : []).map((rule: Json) => readRule(rule, source));
  return {
    rules: read.flatMap((rule) => (typeof rule === 'string' ? [] : rule)),
    problems: read.flatMap((rule, at) => {
      if (typeof rule !== 'string') return [];
      const what = `has a wrong entry (${at + 1}): ${rule}`;
      return keyProblem(file, path, { code: 'config-wrong-value', severity: 'error', what, next: shape });
    }),
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
  if (!Array.isArray(pattern) || pattern.length === 0) return 'pattern must be a list that is not empty';
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
