import { allowsAsking } from '../../policy/approval-policy.ts';
import type { HeldPatterns } from '../../policy/rules/held-patterns.ts';
import type { PrefixRule } from '../../policy/rules/rule-set.ts';
import { boundedList, dashedLines } from '../text/bounded-list.ts';
import { quote } from '../text/markup.ts';
import type { ApprovalTold } from './approval-text.ts';

/** Which commands rules hold back, as lines: a call that must fail costs a step. */
export function heldLines({ held, approval, canAsk }: ApprovalTold & { readonly held: HeldPatterns }) {
  const isAsked = canAsk && allowsAsking(approval, 'rules');
  const refused = isAsked ? held.forbidden : [...held.forbidden, ...held.asked];
  return [
    ...titled('Rules refuse commands that begin with one of these, also inside a script:', refused),
    ...titled(
      'Rules ask the user before commands that begin with one of these, also inside a script:',
      isAsked ? held.asked : [],
    ),
  ];
}

function titled(title: string, patterns: readonly PrefixRule['pattern'][]): readonly string[] {
  const lines = [...new Set(patterns.map(patternText))].toSorted((a, b) => a.length - b.length);
  return lines.length === 0 ? [] : [title, ...dashedLines(boundedList(lines, { count: 50, characters: 1500 }))];
}

/** As rules write it: a list in the place of a word names alternatives. */
function patternText(pattern: PrefixRule['pattern']): string {
  const word = (slot: PrefixRule['pattern'][number]): string =>
    typeof slot === 'string' ? quote(slot) : `[${slot.map(quote).join(', ')}]`;
  return `[${pattern.map(word).join(', ')}]`;
}
