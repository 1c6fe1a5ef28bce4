import type { ConfigProblem } from '../../config/config-problem.ts';
import type { Settings } from '../../envelope/settings.ts';

/** The rules that hold in a folder, and what the model reads of them. What is empty is absent. */
export interface RulesInForce extends Pick<Settings, 'rules' | 'approvedPrefixes' | 'networkRules'> {
  readonly problems: readonly ConfigProblem[];
}

/** A folder whose files are rules. */
export interface RulesFolder {
  readonly path: string;
  /** `hold-back`: commands may have put it there, so that it can allow nothing. */
  readonly may: 'allow' | 'hold-back';
}
