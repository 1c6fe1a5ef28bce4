import type { Step } from '../../envelope/step.ts';
import { type FragmentKind, render } from '../../fragments/text/define.ts';
import { type Section, unknown } from './section.ts';

export interface GuidanceSection {
  readonly id: string;
  readonly assumes: string;
  readonly holds: (step: Step) => boolean;
  readonly kind: FragmentKind<void>;
  readonly withdrawn: FragmentKind<void>;
}

/** A section that is a fixed text which holds or does not. Stored as other programs do: true or false. */
export function guidanceSection({ id, assumes, holds, kind, withdrawn }: GuidanceSection): Section<boolean, boolean> {
  return {
    id,
    assumes,
    kinds: { telling: [kind.id], withdrawing: [withdrawn.id] },
    of: holds,
    stored: (fact) => fact,
    read: (stored) => (typeof stored === 'boolean' ? stored : undefined),
    full: (now) => (now ? [render(kind, undefined)] : []),
    change(before, now = false) {
      if (before !== unknown && before === now) return [];
      return [render(now ? kind : withdrawn, undefined)];
    },
  };
}
