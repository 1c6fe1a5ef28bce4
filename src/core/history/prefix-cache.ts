import type { ToolSpec } from '../../ports/model.ts';
import { defined } from '../../base/objects.ts';
import type { Item } from '../../protocol/item.ts';
import { type JsonObject, stringAt } from '../../protocol/json.ts';
import type { PrefixBreak } from '../../protocol/thread-event.ts';
import { instructionsTokens, itemTokens, toolTokens } from './token-counts.ts';

export interface SentRequest {
  readonly instructions: string;
  /** A name derived from the tools' content: equal names mean equal tools. */
  readonly toolSet: string;
  readonly tools: readonly ToolSpec[];
  readonly input: readonly Item[];
  readonly model: string;
  /** Options that precede the input. Labels and output options follow it and are excluded. */
  readonly settings: JsonObject;
}

export interface PrefixReport {
  /** Tokens only if something broke, because weighing a history takes time. */
  readonly kept: { readonly items: number; readonly tokens?: number };
  /** In request order. Empty if the request only grew. */
  readonly breaks: readonly PrefixBreak[];
}

export function comparePrefix(before: SentRequest, now: SentRequest): PrefixReport {
  const other = now.input.findIndex((item, at) => before.input[at] === undefined || !same(before.input[at], item));
  const equalItems = other < 0 ? now.input.length : other;
  const lost = before.input[equalItems];
  const settings = differentSettings(before, now);
  const otherWords = before.instructions !== now.instructions;
  const otherTools = before.toolSet !== now.toolSet;
  if (lost === undefined && settings.length === 0 && !otherWords && !otherTools)
    return { kept: { items: equalItems }, breaks: [] };

  const itemsAnew = total(now.input.slice(equalItems).map(itemTokens));
  const toolsOn = total(now.tools.map(toolTokens)) + total(now.input.slice(0, equalItems).map(itemTokens)) + itemsAnew;
  const everything = instructionsTokens(now.instructions) + toolsOn;

  const breaks: PrefixBreak[] = settings.map((name) => ({ kind: 'setting', name, tokens: everything }));
  if (otherWords) breaks.push({ kind: 'instructions', tokens: everything });
  if (otherTools) breaks.push({ kind: 'tools', ...differentTools(before.tools, now.tools), tokens: toolsOn });
  const items = breaks.length > 0 ? 0 : equalItems;
  if (lost !== undefined) {
    const what = isRemoved(lost, equalItems, before.input, now.input) ? 'removed' : 'changed';
    const itemId = stringAt(lost, 'id');
    breaks.push({ kind: 'entry', index: equalItems, ...defined({ itemId }), what, tokens: itemsAnew });
  }
  const tokens = everything - (breaks[0]?.tokens ?? 0);
  return { kept: { items, tokens }, breaks };
}

/** Mostly both are one object, and no text is built. `===` would read both objects; `Object.is` does not. */
const same = (a: Item, b: Item): boolean => Object.is(a, b) || JSON.stringify(a) === JSON.stringify(b);

/** True if the new input lacks the item, and has a later item or nothing in its place. */
function isRemoved(lost: Item, index: number, before: readonly Item[], now: readonly Item[]): boolean {
  const next = now[index];
  const follows = next === undefined || before.slice(index + 1).some((item) => isOneItem(item, next));
  return follows && !now.slice(index).some((item) => isOneItem(item, lost));
}

function isOneItem(a: Item, b: Item): boolean {
  if (a === b) return true;
  const [one, other] = [stringAt(a, 'id'), stringAt(b, 'id')];
  return one === undefined || other === undefined ? same(a, b) : one === other;
}

function differentSettings(before: SentRequest, now: SentRequest): readonly string[] {
  const [old, young] = [before, now].map(({ model, settings }) => ({ model, ...settings }) as JsonObject);
  const names = new Set([...Object.keys(old!), ...Object.keys(young!)]);
  return [...names].filter((name) => JSON.stringify(old![name]) !== JSON.stringify(young![name]));
}

function differentTools(before: readonly ToolSpec[], now: readonly ToolSpec[]) {
  const textOf = (tool: ToolSpec) => [stringAt(tool, 'name') ?? tool.type, JSON.stringify(tool)] as const;
  const [old, young] = [before, now].map((tools) => new Map(tools.map(textOf)));
  return {
    added: [...young!.keys()].filter((name) => !old!.has(name)),
    removed: [...old!.keys()].filter((name) => !young!.has(name)),
    changed: [...young!].flatMap(([name, text]) => (old!.has(name) && old!.get(name) !== text ? [name] : [])),
  };
}

const total = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0);
