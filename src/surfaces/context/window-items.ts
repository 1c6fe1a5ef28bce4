import type { Entry } from '../../history/entry.ts';
import { entries } from '../../history/history.ts';
import type { ToolSpec } from '../../ports/prompt.ts';
import { defined } from '../../protocol/defined.ts';
import { isMessage, type Item } from '../../protocol/item.ts';
import { stringAt } from '../../protocol/json.ts';
import { instructionsOf } from '../../state/thread-state.ts';
import type { NextRequest } from '../engine/engine-types.ts';
import { shownText } from './item-text.ts';
import { type NamedPart, partNamer } from './part-names.ts';
import type { ThreadStory } from './thread-story.ts';
import { newestTools, toolName, type WindowPart } from './window-content.ts';

/** A part of the window with what stands behind it, for those who look into it. */
export interface WindowItem {
  readonly part: NamedPart;
  /** Of history. Absent: instructions, a tool, or what the file does not hold. */
  readonly item?: Item;
  /** The call that the item answers. */
  readonly call?: Item;
  /** As the model reads it, as far as it can be read. Made on request: most are never looked at. */
  text(): string;
}

export function windowItems(
  story: ThreadStory,
  content: readonly WindowPart[],
  next: NextRequest | undefined,
): readonly WindowItem[] {
  const nameParts = partNamer(story);
  const calls = callsById(story);
  const tools = next?.tools ?? newestTools(story).tools ?? [];
  return content.flatMap((each) =>
    nameParts(each).map((part, at): WindowItem => {
      const { what } = each;
      if (what.kind !== 'entry') return { part, text: () => textBeside(what, story, tools, next) };
      const { item } = what.entry;
      const call = what.entry.origin.family === 'tool' ? calls.get(stringAt(item, 'call_id') ?? '') : undefined;
      return { part, item, ...defined({ call }), text: () => entryText(what.entry, at) };
    }),
  );
}

function callsById({ state }: ThreadStory): ReadonlyMap<string, Item> {
  return new Map(
    entries(state.history).flatMap(({ item, origin }) => {
      const id = stringAt(item, 'call_id');
      return id === undefined || origin.family !== 'model' ? [] : [[id, item] as const];
    }),
  );
}

/** One of several texts of a message, or all of an item. */
function entryText({ item, origin }: Entry, at: number): string {
  const text = origin.family === 'context' && isMessage(item) ? item.content[at]?.['text'] : undefined;
  return typeof text === 'string' ? text : shownText(item);
}

/** Of what stands beside history. */
function textBeside(
  what: Exclude<WindowPart['what'], { kind: 'entry' }>,
  { state }: ThreadStory,
  tools: readonly ToolSpec[],
  next: NextRequest | undefined,
): string {
  switch (what.kind) {
    case 'instructions':
      return next?.instructions ?? instructionsOf(state)?.text ?? '';
    case 'tool': {
      const tool = tools.find((each) => toolName(each) === what.name);
      return tool === undefined ? '' : JSON.stringify(tool, undefined, 2);
    }
    case 'missing':
      return 'The provider counted it, and the file of the thread does not hold it.';
  }
}
