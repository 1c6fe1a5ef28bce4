import type { Config } from '../../config/config.ts';
import type { Settings } from '../../envelope/settings.ts';
import { findPlaces } from '../../gather/system/places.ts';
import { takeOver } from '../../gather/settings/take-over.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { LastSettings } from '../../state/resumed-settings.ts';
import type { Variables } from '../../protocol/variables.ts';
import { leftNotice } from './left-notice.ts';
import type { ResumedPast } from './thread-standing.ts';
import { noOwnPlaces } from '../../policy/own-places.ts';

/** What counts of the past of a thread that this home did not write. */
export interface TakenOverThread {
  readonly resumed: LastSettings;
  /** What the user should know once it is decided what holds. */
  notices(settings: Settings): readonly Outcome[];
}

export function takeOverThread(
  config: Config,
  past: ResumedPast,
  { cwd, env }: { readonly cwd: string; readonly env: Variables },
): TakenOverThread {
  const { resumed, left } = takeOver(config, past.last, findPlaces(cwd, env, { own: noOwnPlaces }));
  const { cwd: own, ...rest } = resumed;
  const keepsFolder = past.standing !== 'imported' && own !== undefined;
  return {
    resumed: keepsFolder ? { ...rest, cwd: own } : rest,
    notices(settings) {
      const notice = leftNotice(past, left, settings);
      return notice === undefined ? [] : [notice];
    },
  };
}
