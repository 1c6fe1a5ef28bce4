import { type ConfigLayer, lineOf } from './config-layer.ts';
import type { ConfigProblem } from './config-problem.ts';
import { formatTomlKey } from './toml-key.ts';

/** A problem with one key of a layer. `what` is the rest of a sentence that begins with the key. */
export function keyProblem(
  layer: ConfigLayer,
  path: readonly string[],
  { what, ...problem }: Pick<ConfigProblem, 'code' | 'severity' | 'next'> & { readonly what: string },
): ConfigProblem {
  const key = formatTomlKey(path);
  const line = lineOf(layer, path);
  const place = line === undefined ? {} : { line };
  const source = line === undefined ? layer.source : `${layer.source}:${line}`;
  return { ...problem, message: `${source}: ${key} ${what}.`, source: layer.source, ...place, key };
}
