import type { Entry } from '../../history/entry.ts';
import { entries } from '../../history/history.ts';
import type { Item } from '../../protocol/item.ts';
import { stringAt } from '../../protocol/json.ts';
import { sections } from '../../world/sections.ts';
import { textsOf } from './tellings.ts';
import type { ThreadStory } from './thread-story.ts';
import type { WindowPart } from './window-content.ts';

/** Whose part it is. `tool` is what tools gave back, `tools` is what they are described with. */
export const families = ['instructions', 'tools', 'user', 'model', 'tool', 'context', 'client', 'unknown'] as const;
export type Family = (typeof families)[number];

/** A part of the window with a name for people. Several texts in one message are several of these. */
export interface NamedPart extends Pick<WindowPart, 'tokens' | 'measure' | 'cached' | 'next'> {
  readonly family: Family;
  readonly name: string;
  /** The section of the world that tells the text. */
  readonly section?: string;
  /** The number of the turn in which it entered. */
  readonly turn?: number;
}

/** Names for all parts of one thread. */
export function partNamer(story: ThreadStory): (part: WindowPart) => readonly NamedPart[] {
  const tools = callNames(entries(story.state.history));
  return ({ what, ...weight }) => {
    switch (what.kind) {
      case 'instructions':
        return [{ family: 'instructions', name: 'base instructions', ...weight }];
      case 'tool':
        return [{ family: 'tools', name: what.name, ...weight }];
      case 'missing':
        return [{ family: 'unknown', name: what.name, ...weight }];
      case 'entry': {
        const turn = turnOf(story, what.entry);
        return namedEntry(what.entry, tools, weight.tokens).map((named) => ({ ...weight, ...named, ...turn }));
      }
    }
  };
}

function turnOf({ turns, turnOf: known }: ThreadStory, { item, turn }: Entry): { readonly turn?: number } {
  const number = known.get(item) ?? turns.find(({ id }) => id !== undefined && id === turn)?.number;
  return number === undefined ? {} : { turn: number };
}

/** The name of the tool behind each call id. */
function callNames(known: readonly Entry[]): ReadonlyMap<string, string> {
  return new Map(
    known.flatMap(({ item }) => {
      const [id, name] = [stringAt(item, 'call_id'), stringAt(item, 'name')];
      return id === undefined || name === undefined ? [] : [[id, name] as const];
    }),
  );
}

function namedEntry(
  entry: Entry,
  tools: ReadonlyMap<string, string>,
  tokens: number,
): readonly Pick<NamedPart, 'family' | 'name' | 'section' | 'tokens'>[] {
  const { item, origin } = entry;
  switch (origin.family) {
    case 'context':
      return textsOf(entry, tokens).map(({ kind, content, tokens: share }) => {
        return { family: 'context', name: content, ...sectionOf(kind), tokens: share };
      });
    case 'tool':
      return [{ family: 'tool', name: tools.get(stringAt(item, 'call_id') ?? '') ?? item.type, tokens }];
    case 'model':
      return [{ family: 'model', name: modelName(item), tokens }];
    case 'user':
      return [{ family: 'user', name: 'messages', tokens }];
    case 'client':
      return [{ family: 'client', name: item.type, tokens }];
  }
}

function modelName(item: Item): string {
  const tool = stringAt(item, 'name');
  if (item.type.endsWith('_call') && tool !== undefined) return `calls of ${tool}`;
  return item.type === 'message' ? 'messages' : item.type;
}

function sectionOf(kind: string): { readonly section?: string } {
  const section = sections.find(({ kinds }) => [...kinds.telling, ...kinds.withdrawing].includes(kind));
  return section === undefined ? {} : { section: section.id };
}
