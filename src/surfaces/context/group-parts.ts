import type { Measure } from '../../history/ledger.ts';
import { defined } from '../../protocol/defined.ts';
import { families, type Family, type NamedPart } from './part-names.ts';
import { sumTokens } from './window-content.ts';

/** All parts of one family, the heaviest first. */
export interface FamilyShare {
  readonly family: Family;
  readonly tokens: number;
  readonly shares: readonly NamedShare[];
}

/** All parts of one name. */
export interface NamedShare {
  readonly name: string;
  readonly section?: string;
  readonly tokens: number;
  /** How many parts. */
  readonly items: number;
  /** The turns in which they entered, each once, in order. */
  readonly turns: readonly number[];
  /** Some of them would come with the next turn. */
  readonly next?: boolean;
  /** Of the least certain one. */
  readonly measure: Measure;
  /** How many of the tokens the provider had in its cache; undefined when it said nothing about any of them. */
  readonly cached?: number;
}

export function groupParts(parts: readonly NamedPart[]): readonly FamilyShare[] {
  return families.flatMap((family) => {
    const own = parts.filter((part) => part.family === family);
    if (own.length === 0) return [];
    const names = [...new Set(own.map(({ name }) => name))];
    const shares = names.map((name) => share(own.filter((part) => part.name === name)));
    return [{ family, tokens: sumTokens(own), shares: shares.toSorted((a, b) => b.tokens - a.tokens) }];
  });
}

const certainty: readonly Measure[] = ['estimated', 'scaled', 'exact'];

function share(parts: readonly NamedPart[]): NamedShare {
  const [{ name, section }] = parts as readonly [NamedPart];
  const turns = new Set(parts.flatMap(({ turn }) => turn ?? []));
  const told = parts.flatMap(({ cached }) => cached ?? []);
  return {
    name,
    ...defined({ section }),
    tokens: sumTokens(parts),
    items: parts.length,
    turns: [...turns].toSorted((a, b) => a - b),
    ...(parts.some(({ next }) => next === true) ? { next: true } : {}),
    measure: certainty.find((measure) => parts.some((part) => part.measure === measure)) ?? 'exact',
    ...(told.length === 0 ? {} : { cached: told.reduce((sum, each) => sum + each, 0) }),
  };
}
