import type { Measure } from '../../history/ledger.ts';
import { defined } from '../../protocol/defined.ts';
import { families, type Family, type NamedPart } from './part-names.ts';

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
    return [{ family, tokens: sum(own), shares: shares.toSorted((a, b) => b.tokens - a.tokens) }];
  });
}

function share(parts: readonly NamedPart[]): NamedShare {
  const [{ name, section }] = parts as readonly [NamedPart];
  const turns = [...new Set(parts.flatMap(({ turn }) => (turn === undefined ? [] : [turn])))];
  const told = parts.filter(({ cached }) => cached !== undefined);
  return {
    name,
    ...defined({ section }),
    tokens: sum(parts),
    items: parts.length,
    turns: turns.toSorted((a, b) => a - b),
    ...(parts.some(({ next }) => next === true) ? { next: true } : {}),
    measure: leastCertain(parts),
    ...(told.length === 0 ? {} : { cached: sum(told.filter(({ cached }) => cached)) }),
  };
}

const certainty: readonly Measure[] = ['estimated', 'scaled', 'exact'];

function leastCertain(parts: readonly NamedPart[]): Measure {
  return certainty.find((measure) => parts.some((part) => part.measure === measure)) ?? 'exact';
}

function sum(parts: readonly { readonly tokens: number }[]): number {
  return parts.reduce((total, { tokens }) => total + tokens, 0);
}
