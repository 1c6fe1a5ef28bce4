import type { ConfigProblem } from '../../config/config-problem.ts';
import { type Override, splitOverride } from '../../config/override.ts';
import type { Json } from '../../protocol/json.ts';
import { parseToml } from './parse-toml.ts';

/**
 * `key=value` as it stands after `-c`. The key is dotted; the value is TOML, and what is not TOML is taken as text, so
 * that a model name needs no quotes.
 */
export async function readOverride(text: string): Promise<Override | ConfigProblem> {
  const split = splitOverride(text);
  if ('code' in split) return split;
  const { path, written } = split;
  return { path, value: (await tomlValue(written)) ?? withoutQuotes(written) };
}

/** Undefined when the text is no value of TOML. */
async function tomlValue(written: string): Promise<Json | undefined> {
  if (written === 'true' || written === 'false') return written === 'true';
  // Nothing else begins a value. `inf` and `nan` do, and are more likely the name of something.
  if (!/^(?:["'[{+\-\d]|(?:true|false)\b)/.test(written)) return undefined;
  const parsed = await parseToml(`value = ${written}`);
  // A line break in the text may begin another key.
  return parsed.kind === 'parsed' && Object.keys(parsed.json).length === 1 ? parsed.json['value'] : undefined;
}

function withoutQuotes(text: string): string {
  return text.replace(/^["']+|["']+$/g, '');
}
