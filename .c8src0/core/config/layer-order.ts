import { defined } from '../../base/objects.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { tomlKeyLine } from './toml/toml-key-line.ts';
import { formatTomlKey } from './toml/toml-key.ts';

/** In rank order: each beats those before it. Project layers run from the project's root down to the folder. */
export const layerNames = ['default', 'system', 'user', 'profile', 'project', 'flags', 'managed'] as const;
export type LayerName = (typeof layerNames)[number];

/** The values of one source. Its paths are already absolute. */
export interface ConfigLayer {
  readonly name: LayerName;
  readonly source: string;
  readonly values: JsonObject;
  /** The file's content, for finding the lines of keys. Absent when there is no such file. */
  readonly text?: string;
  /** A project file below the root. A command may have put it there, so the permissions in it are ignored. */
  readonly belowRoot?: true;
  /** A project file that commands under Landlock can write. */
  readonly underLandlock?: true;
  /** A client of the MCP server set permission paths in it. */
  readonly ofCall?: true;
  /** Why the layer is listed but has no effect. */
  readonly disabled?: string;
}

/** True for layers of the user and the administrator: only they may open Capstan's own files to commands. */
export const isOwnerLayer = ({ name, ofCall }: Pick<ConfigLayer, 'name' | 'ofCall'>): boolean =>
  name !== 'project' && ofCall !== true;

/** The source of a key for messages: the file, with the line if known. */
export function configKeySource(layer: Pick<ConfigLayer, 'source' | 'text'>, path: readonly string[]): string {
  const line = configKeyLine(layer, path);
  return line === undefined ? layer.source : `${layer.source}:${line}`;
}

export const configKeyLine = ({ text }: Pick<ConfigLayer, 'text'>, path: readonly string[]): number | undefined =>
  text === undefined ? undefined : tomlKeyLine(text, path);

export type ConfigProblemCode =
  | `config-${'unknown' | 'unsupported' | 'retired' | 'forbidden' | 'overridden' | 'engine'}-key`
  | `config-${'reserved-name' | 'wrong-type' | 'wrong-value' | 'syntax' | 'unreadable' | 'profile'}`
  | 'config-untrusted-project'
  | `rules-${'unreadable' | 'broken' | 'narrowed'}`
  | `hooks-${'unreadable' | 'broken' | 'untrusted'}`
  | 'override-malformed';

/** An `error` must stop the start; a `warning` is shown and the key is left out. */
export interface ConfigProblem extends Outcome<ConfigProblemCode> {
  readonly severity: 'error' | 'warning';
  readonly source: string;
  /** 1-based; absent when the source has no lines, or the whole source is at fault. */
  readonly line?: number;
  /** Dotted; absent when the whole source is at fault. */
  readonly key?: string;
}

/** `what` completes a sentence that begins with the key. */
export function configKeyProblem(
  layer: ConfigLayer,
  path: readonly string[],
  { what, ...problem }: Pick<ConfigProblem, 'code' | 'severity' | 'next'> & { readonly what: string },
): ConfigProblem {
  const key = formatTomlKey(path);
  const message = `${configKeySource(layer, path)}: ${key} ${what}.`;
  return { ...problem, message, source: layer.source, ...defined({ line: configKeyLine(layer, path) }), key };
}

/** Errors first. An unknown key is often a side effect of the same mistake. */
export function sortBySeverity(problems: readonly ConfigProblem[]): readonly ConfigProblem[] {
  const rank = ({ severity, code }: ConfigProblem): number =>
    severity === 'warning' ? 2 : code === 'config-unknown-key' ? 1 : 0;
  return problems.toSorted((a, b) => rank(a) - rank(b));
}

/** A layer may be read twice, alone and with those of a folder: each problem is reported once. */
export function withoutDuplicateProblems(problems: readonly ConfigProblem[]): readonly ConfigProblem[] {
  const isSame = (a: ConfigProblem, b: ConfigProblem): boolean =>
    a.severity === b.severity && a.message === b.message && a.line === b.line;
  return problems.filter((problem, at) => problems.findIndex((other) => isSame(problem, other)) === at);
}

export function combinedError(problems: readonly ConfigProblem[]): ConfigProblem | undefined {
  const [first, ...others] = sortBySeverity(problems).filter(({ severity }) => severity === 'error');
  if (first === undefined || others.length === 0) return first;
  const more = others.length === 1 ? 'There is one more error' : `There are ${others.length} more errors`;
  return { ...first, next: `${first.next}\n${more}; \`capstan config show\` lists all.` };
}
