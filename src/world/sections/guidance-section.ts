import type { Step } from '../../envelope/step.ts';
import { type FragmentFamily, render } from '../../fragments/text/define.ts';
import { type Section, unknown } from './section.ts';

export interface GuidanceSection {
  readonly id: string;
  readonly assumes: string;
  readonly holds: (step: Step) => boolean;
  readonly kind: FragmentFamily<void>;
}

/** A section that is a fixed text which holds or does not. Stored as other programs do: true or false. */
export function guidanceSection({ id, assumes, holds, kind }: GuidanceSection): Section<boolean, boolean> {
  return {
    id,
    assumes,
    kinds: { telling: [kind.id], withdrawing: [kind.withdrawn.id] },
    of: holds,
    stored: (fact) => fact,
    read: (stored) => (typeof stored === 'boolean' ? stored : undefined),
    full: (now) => (now ? [render(kind, undefined)] : []),
    change(before, now = false) {
      if (before !== unknown && before === now) return [];
      return [render(now ? kind : kind.withdrawn, undefined)];
    },
  };
}
