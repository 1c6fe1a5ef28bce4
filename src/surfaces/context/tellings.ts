import { contentName } from '../../fragments/foreign/content-name.ts';
import type { EntryCause, Entry } from '../../history/entry.ts';
import { apportion } from '../../history/ledger.ts';
import { itemTokens } from '../../history/size.ts';
import { defined } from '../../protocol/defined.ts';
import { isMessage } from '../../protocol/item.ts';
import { isJsonObject, type Json, type JsonObject } from '../../protocol/json.ts';
import type { ThreadState } from '../../state/thread-state.ts';
import type { Baseline } from '../../world/baseline.ts';

/** What the model was told of the world at one moment, and why then. */
export interface ToldContext {
  /** The step before which it was told, counted from 1. */
  readonly step: number;
  /** `unknown`: another program told it and left no record. */
  form: 'bundle' | 'change' | 'event' | 'unknown';
  readonly cause?: EntryCause;
  /** What took away the proof that the model knows it. */
  why?: string;
  /** Sections whose record changed, with the names of what changed in them; empty for a section that is new or gone. */
  readonly sections: Record<string, readonly string[]>;
  /** `text`: as the model reads it. */
  readonly texts: { readonly content: string; readonly tokens: number; readonly text: string }[];
  /** By our estimate. */
  tokens: number;
}

/** Puts together what was told at one moment: the texts, then the record of them. */
export class Tellings {
  #open: ToldContext | undefined;

  told(entry: Entry, { baseline }: ThreadState, list: ToldContext[], step: number): void {
    if (entry.origin.family !== 'context') return;
    const { cause } = entry.origin;
    if (this.#open !== undefined && this.#open.cause !== cause) this.flush();
    this.#open ??= begin(list, step, cause);
    if (cause === 'reinjection') this.#open.why ??= whyOf(baseline);
    this.#open.texts.push(...textsOf(entry));
    this.#open.tokens += itemTokens(entry.item);
  }

  recorded({ full, state }: JsonObject, baseline: Baseline, list: ToldContext[], step: number): void {
    this.#open ??= begin(list, step, undefined);
    this.#open.form = full === true ? 'bundle' : 'change';
    const before = baseline.kind === 'known' ? baseline.state : {};
    for (const [section, now] of isJsonObject(state) ? Object.entries(state) : []) {
      this.#open.sections[section] = full === true || before[section] === undefined ? [] : namesIn(now ?? null);
    }
    this.flush();
  }

  flush(): void {
    this.#open = undefined;
  }
}

function begin(list: ToldContext[], step: number, cause: EntryCause | undefined): ToldContext {
  const form = cause === 'initial' || cause === 'reinjection' ? 'bundle' : (cause ?? 'unknown');
  const told: ToldContext = { step, form, ...defined({ cause }), sections: {}, texts: [], tokens: 0 };
  list.push(told);
  return told;
}

function whyOf(baseline: Baseline): string {
  return baseline.kind === 'known' || baseline.why === 'start' ? 'unproven' : baseline.why;
}

/** The texts of a message under the names that clients know them by, each with its share of the whole. */
export function textsOf({ item, origin }: Entry, total = itemTokens(item)) {
  const kinds = origin.family === 'context' ? origin.kinds : [];
  const parts = isMessage(item) ? item.content : [];
  const names = kinds.length === 0 ? ['foreign'] : kinds;
  const texts = names.map((_, index) => String(parts[index]?.['text'] ?? ''));
  const shares = apportion(
    texts.map(({ length }) => length),
    total,
  );
  return names.map((kind, index) => {
    return { kind, content: contentName(kind), tokens: shares[index] ?? 0, text: texts[index] ?? '' };
  });
}

/** Dotted names of the values in a merge patch. */
function namesIn(patch: Json, prefix = ''): readonly string[] {
  if (!isJsonObject(patch)) return prefix === '' ? [] : [prefix];
  return Object.entries(patch).flatMap(([key, value]) =>
    namesIn(value ?? null, prefix === '' ? key : `${prefix}.${key}`),
  );
}
