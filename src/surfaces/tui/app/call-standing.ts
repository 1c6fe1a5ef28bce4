import { defined } from '../../../protocol/defined.ts';
import type { CallStanding } from '../cells/command-cell.ts';

/** What an event says of a call beyond its item. */
export function callStanding(
  { outside, confined }: { readonly outside?: true; readonly confined?: true },
  startedAt: number | undefined,
): CallStanding {
  const place =
    confined === true ? ({ place: 'wider' } as const) : outside === true ? ({ place: 'outside' } as const) : {};
  return { ...defined({ startedAt }), ...place };
}
