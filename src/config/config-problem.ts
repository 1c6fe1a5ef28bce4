import { defined } from '../protocol/defined.ts';
import type { Outcome } from '../protocol/outcome.ts';
import { type ConfigLayer, lineOf, sourceOf } from './config-layer.ts';
import { formatTomlKey } from './toml-key.ts';

export type ConfigProblemCode =
  | `config-${'unknown' | 'unsupported' | 'retired' | 'forbidden' | 'overridden' | 'engine'}-key`
  | `config-${'reserved-name' | 'wrong-type' | 'wrong-value' | 'syntax' | 'unreadable' | 'profile'}`
  | 'config-untrusted-project'
  | `rules-${'unreadable' | 'broken' | 'narrowed'}`
  | `hooks-${'unreadable' | 'broken' | 'untrusted'}`
  | 'override-malformed';

/** A fault in the configuration. An `error` must stop the start; a `warning` is shown and the key is left out. */
export interface ConfigProblem extends Outcome<ConfigProblemCode> {
  readonly severity: 'error' | 'warning';
  /** The file or the flag that holds it. */
  readonly source: string;
  /** From 1; absent when the source has no lines, or the whole source is at fault. */
  readonly line?: number;
  /** Dotted; absent when the whole source is at fault. */
  readonly key?: string;
}

/** A problem with one key of a layer. `what` is the rest of a sentence that begins with the key. */
export function keyProblem(
  layer: ConfigLayer,
  path: readonly string[],
  { what, ...problem }: Pick<ConfigProblem, 'code' | 'severity' | 'next'> & { readonly what: string },
): ConfigProblem {
  const key = formatTomlKey(path);
  const message = `${sourceOf(layer, path)}: ${key} ${what}.`;
  return { ...problem, message, source: layer.source, ...defined({ line: lineOf(layer, path) }), key };
}

/** The gravest first. A key that is merely unknown is often the smaller part of the same mistake. */
export function byGravity(problems: readonly ConfigProblem[]): readonly ConfigProblem[] {
  const rank = ({ severity, code }: ConfigProblem): number =>
    severity === 'warning' ? 2 : code === 'config-unknown-key' ? 1 : 0;
  return problems.toSorted((a, b) => rank(a) - rank(b));
}

/** A layer may be read twice, alone and with those of a folder: each problem counts once. */
export function onceEach(problems: readonly ConfigProblem[]): readonly ConfigProblem[] {
  const isSame = (a: ConfigProblem, b: ConfigProblem): boolean =>
    a.severity === b.severity && a.message === b.message && a.line === b.line;
  return problems.filter((problem, at) => problems.findIndex((other) => isSame(problem, other)) === at);
}

/** One problem that stands for all errors, or undefined when there is none. */
export function refusalOf(problems: readonly ConfigProblem[]): ConfigProblem | undefined {
  const [first, ...others] = byGravity(problems).filter(({ severity }) => severity === 'error');
  if (first === undefined || others.length === 0) return first;
  const more = others.length === 1 ? 'There is one more error' : `There are ${others.length} more errors`;
  return { ...first, next: `${first.next}\n${more}; \`capstan config show\` lists all.` };
}
