import { defined } from '../../protocol/defined.ts';
import { objectAt, stringAt } from '../../protocol/json.ts';
import { fullText, type Outcome } from '../../protocol/outcome.ts';
import { usageFields } from '../../state/usage-fields.ts';
import type { NextRequest } from '../engine/engine-types.ts';
import type { ForeseenRequest } from '../engine/preview-thread.ts';
import { plural } from '../wording/number-words.ts';
import { budgetsOf } from './budgets.ts';
import { groupParts } from './group-parts.ts';
import type { NamedPart } from './part-names.ts';
import { requestCost } from './request-cost.ts';
import { checkpointHead } from './show-checkpoint.ts';
import type { ThreadStory } from './thread-story.ts';
import { sumTokens, type WindowContent, windowContent } from './window-content.ts';
import { type WindowItem, windowItems } from './window-items.ts';

export type WindowView = ReturnType<typeof windowView>;

/** What fills the window, for programs. `next` is absent in it when the next turn cannot be foreseen. */
export function windowView(story: ThreadStory, next: ForeseenRequest | Outcome) {
  return readWindow(story, next).view;
}

/** The same with what stands behind each part, in the order of `parts`, and what a request costs. */
export function readWindow(story: ThreadStory, next: ForeseenRequest | Outcome) {
  const known = 'code' in next ? undefined : next;
  const content = windowContent(story, known);
  const items = windowItems(story, content.parts, known);
  return { view: viewOf(story, next, content, items), items, cost: requestCost(content, known?.envelope) };
}

function viewOf(
  story: ThreadStory,
  next: ForeseenRequest | Outcome,
  { total, measure, counted, unknown }: WindowContent,
  items: readonly WindowItem[],
) {
  const known = 'code' in next ? undefined : next;
  const parts = items.map(({ part }) => part);
  const families = groupParts(parts);
  const { budgets, unknown: noBudgets } = budgetsOf(story, families, total, known?.envelope);
  return {
    total,
    measure,
    ...defined({ counted }),
    families,
    parts,
    budgets,
    checkpoints: story.checkpoints.map(checkpointHead),
    ...defined({ next: known && nextTurn(known, parts) }),
    ...(known?.skillsCut === undefined ? {} : { notes: [fullText(known.skillsCut)] }),
    unknown: [...unknown, ...noBudgets, ...unknownOfNext(next)],
  };
}

function nextTurn({ envelope }: NextRequest, parts: readonly NamedPart[]) {
  const told = parts.filter((part) => part.next === true);
  return {
    model: stringAt(objectAt(objectAt(envelope, 'identity') ?? {}, 'model') ?? {}, 'slug') ?? '',
    told: [...new Set(told.map(({ name }) => name))],
    tokens: sumTokens(told),
  };
}

/** Claims of the file are none of the user's words: they are counted beside the table. */
function unknownOfNext(next: ForeseenRequest | Outcome): readonly string[] {
  if ('code' in next) return [`Capstan cannot foresee what the next turn would send: ${fullText(next)}`];
  const { messages, pins } = next.unproven;
  const claims = [
    ...(messages.length === 0 ? [] : [plural(messages.length, 'waiting message')]),
    ...(pins.length === 0 ? [] : [plural(pins.length, 'pinned note')]),
  ].join(' and ');
  if (claims === '') return [];
  return [
    `Not counted: ${claims} that Capstan cannot prove to have written in this home. The next turn leaves them out.`,
  ];
}

/** The same with counts under the names that rollouts and events have for them. */
export function windowFields(view: WindowView) {
  const { counted } = view;
  return { ...view, ...(counted && { counted: { ...counted, usage: usageFields(counted.usage) } }) };
}
