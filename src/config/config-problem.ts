import type { Outcome } from '../protocol/outcome.ts';

export type ConfigProblemCode =
  | 'config-unknown-key'
  | 'config-unsupported-key'
  | 'config-reserved-name'
  | 'config-wrong-type'
  | 'config-wrong-value'
  | 'config-syntax'
  | 'config-unreadable'
  | 'override-malformed';

/** A fault in what somebody configured. An `error` must stop the start; a `warning` is shown and the key is left out. */
export interface ConfigProblem extends Outcome<ConfigProblemCode> {
  readonly severity: 'error' | 'warning';
  /** The file or the flag that holds it. */
  readonly source: string;
  /** Dotted; absent when the whole source is at fault. */
  readonly key?: string;
}
