import type { HistoryEntry } from '../../../core/history/entry.ts';
import { historyEntries } from '../../../core/history/history.ts';
import { cachedShares, type CountAccuracy } from '../../../core/history/window-usage.ts';
import { worldSections } from '../../../core/world/catalog.ts';
import { fragmentKindsOf } from '../../../core/world/sections/section.ts';
import type { Item } from '../../../protocol/item.ts';
import { stringAt } from '../../../protocol/json.ts';
import { contextTexts, type ThreadStory } from './thread-story.ts';
import { sumTokens, type ContextWindowPart } from './window-content.ts';

export type FamilyShare = ReturnType<typeof groupParts>[number];
export type NamedShare = ReturnType<typeof share>;

export const groupParts = (parts: readonly NamedPart[]) =>
  families.flatMap((family) => {
    const own = parts.filter((part) => part.family === family);
    if (own.length === 0) return [];
    const names = [...new Set(own.map(({ name }) => name))];
    const shares = names.map((name) => share(own.filter((part) => part.name === name)));
    return [{ family, tokens: sumTokens(own), shares: shares.toSorted((a, b) => b.tokens - a.tokens) }];
  });

const certainty: readonly CountAccuracy[] = ['estimated', 'scaled', 'exact'];

function share(parts: readonly NamedPart[]) {
  const [{ name, section }] = parts as readonly [NamedPart];
  const turns = new Set(parts.flatMap(({ turn }) => turn ?? []));
  const told = parts.flatMap(({ cached }) => cached ?? []);
  return {
    name,
    section,
    tokens: sumTokens(parts),
    items: parts.length,
    // Turns in which the parts entered history.
    turns: [...turns].toSorted((a, b) => a - b),
    // Some of them would come with the next turn.
    next: parts.some(({ next }) => next === true) || undefined,
    // The measure of the least certain part.
    measure: certainty.find((measure) => parts.some((part) => part.measure === measure)) ?? 'exact',
    // Undefined if the provider reported nothing about any of them.
    cached: told.length === 0 ? undefined : told.reduce((sum, each) => sum + each, 0),
  };
}

/** `tool`: results of tools; `tools`: their descriptions. */
const families = ['instructions', 'tools', 'user', 'model', 'tool', 'context', 'client', 'unknown'] as const;
export type OriginFamily = (typeof families)[number];
const familyNames: Partial<Record<OriginFamily, string>> = { tool: 'tool outputs', unknown: 'not in the file' };
export const originFamilyName = (family: OriginFamily): string => familyNames[family] ?? family;

/** A part of the window with a name for people. A message with several texts gives several of these. */
export interface NamedPart extends Omit<ContextWindowPart, 'what'> {
  readonly family: OriginFamily;
  readonly name: string;
  readonly section?: string;
  readonly turn?: number;
}

export function partNamer(story: ThreadStory): (part: ContextWindowPart) => readonly NamedPart[] {
  const tools = callNames(historyEntries(story.state.history));
  return ({ what, ...weight }) => {
    switch (what.kind) {
      case 'instructions':
        return [{ family: 'instructions', name: 'base instructions', ...weight }];
      case 'tool':
        return [{ family: 'tools', name: what.name, ...weight }];
      case 'missing':
        return [{ family: 'unknown', name: what.name, ...weight }];
      case 'entry': {
        const { item, turn: id } = what.entry;
        const turn = story.turnOf.get(item) ?? story.turns.find((each) => id !== undefined && each.id === id)?.number;
        const named = namedEntry(what.entry, tools, weight.tokens);
        const tokens = named.map((part) => part.tokens);
        const cached = weight.cached === undefined ? undefined : cachedShares(tokens, weight.cached);
        return named.map((part, at) => ({ ...weight, ...part, turn, cached: cached?.[at] ?? weight.cached }));
      }
    }
  };
}

const callNames = (known: readonly HistoryEntry[]): ReadonlyMap<string, string> =>
  new Map(
    known.flatMap(({ item }) => {
      const [id, name] = [stringAt(item, 'call_id'), stringAt(item, 'name')];
      return id === undefined || name === undefined ? [] : [[id, name] as const];
    }),
  );

function namedEntry(
  entry: HistoryEntry,
  tools: ReadonlyMap<string, string>,
  tokens: number,
): readonly Pick<NamedPart, 'family' | 'name' | 'section' | 'tokens'>[] {
  const { item, origin } = entry;
  const { family } = origin;
  switch (family) {
    case 'context':
      return contextTexts(entry, tokens).map(({ kind, content, tokens: share }) => {
        const section = worldSections.find((each) => fragmentKindsOf(each).includes(kind))?.id;
        return { family, name: content, section, tokens: share };
      });
    case 'tool':
      return [{ family, name: tools.get(stringAt(item, 'call_id') ?? '') ?? item.type, tokens }];
    case 'model':
      return [{ family, name: modelName(item), tokens }];
    case 'user':
      return [{ family, name: 'messages', tokens }];
    case 'client':
      return [{ family, name: item.type, tokens }];
  }
}

function modelName(item: Item): string {
  const tool = stringAt(item, 'name');
  if (item.type.endsWith('_call') && tool !== undefined) return `calls of ${tool}`;
  return item.type === 'message' ? 'messages' : item.type;
}
