import { defined } from '../../protocol/defined.ts';
import type { ToldContext } from './tellings.ts';
import { count, table } from '../terminal/table.ts';
import type { ThreadStory } from './thread-story.ts';
import { sumTokens } from './window-content.ts';

/** What each turn told the model of the world, for programs. Tokens are estimates. */
export function changesView({ turns }: ThreadStory) {
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

/** The widest thing that a turn did. */
function formOf(told: readonly ToldContext[]): 'nothing' | ToldContext['form'] {
  const order = ['bundle', 'change', 'unknown', 'event'] as const;
  return order.find((form) => told.some((each) => each.form === form)) ?? 'nothing';
}

const formNames = { bundle: 'full bundle', change: 'change', event: 'event', unknown: 'not recorded' };

export function changesText(turns: ReturnType<typeof changesView>, width: number): string {
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
