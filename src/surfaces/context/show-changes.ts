import { defined } from '../../protocol/defined.ts';
import type { ToldContext } from './tellings.ts';
import { count, table } from '../terminal/table.ts';
import type { ThreadStory } from './thread-story.ts';
import { sumTokens } from './window-content.ts';

/** What one turn told the model of the world, for programs. */
export interface TurnChanges {
  readonly turn: number;
  readonly turn_id?: string;
  readonly at: string;
  /** The widest thing that it did. */
  readonly form: 'nothing' | ToldContext['form'];
  /** By our estimate. */
  readonly tokens: number;
  readonly told: readonly ToldContext[];
  /** Only compacts: the user said nothing in it. */
  readonly compacts: boolean;
}

export function changesView({ turns }: ThreadStory): readonly TurnChanges[] {
  return turns.map(({ number, id, at, told, compacts }) => ({
    turn: number,
    ...defined({ turn_id: id }),
    at,
    form: formOf(told),
    tokens: sumTokens(told),
    told,
    compacts,
  }));
}

function formOf(told: readonly ToldContext[]): TurnChanges['form'] {
  const order = ['bundle', 'change', 'unknown', 'event'] as const;
  return order.find((form) => told.some((each) => each.form === form)) ?? 'nothing';
}

const formNames = { bundle: 'full bundle', change: 'change', event: 'event', unknown: 'not recorded' };

export function changesText(turns: readonly TurnChanges[], width: number): string {
  const rows = turns.flatMap(({ turn, told, compacts }) => {
    if (told.length === 0) return [[String(turn), '', 'nothing', '', compacts ? 'a compaction' : '']];
    return told.map((each, index) => [
      index === 0 ? String(turn) : '',
      String(each.step),
      formNames[each.form],
      `~${count(each.tokens)}`,
      reason(each),
      toldNames(each),
    ]);
  });
  return table([['turn', 'step', 'told', 'tokens', 'why', 'what'], ...rows], { right: [3], width });
}

function toldNames({ texts, sections }: ToldContext): string {
  const names = [...new Set(texts.map(({ content }) => content))].join(', ');
  const silent = Object.keys(sections).join(', ');
  return names === '' ? `nothing to say; recorded: ${silent}` : names;
}

function reason({ form, cause, why, sections }: ToldContext): string {
  if (cause === 'initial') return 'the thread began';
  if (cause === 'reinjection') return `told again: ${why ?? 'unproven'}`;
  if (cause === 'event') return 'it happened';
  if (form === 'unknown') return '-';
  const changed = Object.entries(sections).flatMap(([section, names]) =>
    names.length === 0 ? [section] : names.map((name) => `${section}.${name}`),
  );
  const shown = changed.slice(0, 2).join(', ');
  return form === 'bundle' ? '-' : `${shown}${changed.length > 2 ? ` and ${changed.length - 2} more` : ''}`;
}
