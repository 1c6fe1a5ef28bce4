import type { ThreadStory, ContextUpdate } from './thread-story.ts';
import { dim, type TextLook, type Span } from '../terminal/styled-text.ts';
import { type PageForm, type TableCell, tableSpans } from '../terminal/tables.ts';
import { formatCount } from '../../../engine/wording.ts';
import { wrap } from '../terminal/visible-text.ts';
import { sumTokens } from './window-content.ts';

/** For programs: the environment changes that each turn told the model. Tokens are estimates. */
export function contextChangesView({ turns }: ThreadStory) {
  return turns.map(({ number, id, at, told, compacts }) => ({
    turn: number,
    turn_id: id,
    at,
    form: formOf(told),
    tokens: sumTokens(told),
    // The texts themselves are in the requests.
    told: told.map(({ texts, ...each }) => ({ ...each, texts: texts.map(({ text: _text, ...named }) => named) })),
    compacts,
  }));
}

function formOf(told: readonly ContextUpdate[]): 'nothing' | ContextUpdate['form'] {
  const order = ['bundle', 'change', 'unknown', 'event'] as const;
  return order.find((form) => told.some((each) => each.form === form)) ?? 'nothing';
}

export const contextUpdateForms = { bundle: 'full bundle', change: 'change', event: 'event', unknown: 'not recorded' };

/** Marks for texts, from the view of a model that has read everything before. */
const marks = {
  new: { sign: '+', look: 'green' },
  changed: { sign: '~', look: 'yellow' },
  again: { sign: '=', look: 'dim' },
} as const satisfies Readonly<Record<string, { readonly sign: string; readonly look: TextLook }>>;

type ShownUpdate = ReturnType<typeof contextChangesView>[number]['told'][number];
const otherColumns = 60;

/** A row for each update, and one for each of its texts, marked as added, changed or repeated. */
export function contextChangesPage(turns: ReturnType<typeof contextChangesView>, { width }: PageForm): readonly Span[] {
  const known = new Set<string>();
  const rows = turns.flatMap(({ turn, told, compacts }): readonly (readonly TableCell[])[] => {
    if (told.length === 0) return [[String(turn), '', dim('nothing'), '', dim(compacts ? 'a compaction' : '')]];
    return told.flatMap((each, index) => {
      const cells = toldCells(each, known);
      const why = wrap(updateReason(each), Math.max(16, width - otherColumns));
      const tokens = `~${formatCount(each.tokens)}`;
      const head = [index === 0 ? String(turn) : '', String(each.step), contextUpdateForms[each.form], tokens];
      return Array.from({ length: Math.max(cells.length, why.length) }, (_, at) => {
        return [...(at === 0 ? head : ['', '', '', '']), why[at] ?? '', cells[at] ?? ''];
      });
    });
  });
  const head = ['turn', 'step', 'sent', 'tokens', 'why', 'what'].map(dim);
  const legend = Object.entries(marks).map(([name, { sign }]) => `${sign} ${name === 'again' ? 'sent again' : name}`);
  const page = tableSpans([head, ...rows], { right: [3], width });
  return known.size === 0 ? page : [...page, '\n', dim(legend.join('   ')), '\n'];
}

function toldCells({ texts, sections, cause, form }: ShownUpdate, known: Set<string>): readonly TableCell[] {
  const names = [...new Set(texts.map(({ content }) => content))];
  if (names.length === 0) return [dim(`nothing was sent; recorded: ${Object.keys(sections).join(', ')}`)];
  return names.map((name) => {
    const isRepeated = cause === 'reinjection' || form === 'unknown';
    const { sign, look } = marks[!known.has(name) || form === 'event' ? 'new' : isRepeated ? 'again' : 'changed'];
    known.add(name);
    return { look, text: `${sign} ${name}` };
  });
}

type UpdateWithContents = Omit<ContextUpdate, 'texts'> & { readonly texts: readonly { readonly content: string }[] };

export function updateReason({ form, cause, why, sections, texts }: UpdateWithContents): string {
  if (cause === 'initial') return 'the thread began';
  if (cause === 'reinjection') return `sent again: ${why ?? 'unproven'}`;
  if (cause === 'event') return firstTwo([...new Set(texts.map(({ content }) => plainWords(content)))]);
  return form === 'unknown' || form === 'bundle' ? '-' : firstTwo(changedWords(sections));
}

const firstTwo = (words: readonly string[]): string =>
  `${words.slice(0, 2).join(', ')}${words.length > 2 ? ` and ${words.length - 2} more` : ''}`;

/** Members that contain their whole section, or the rest of it: users read the name of the section instead. */
const wholes: ReadonlySet<string> = new Set(['instructions', 'rest', 'text', 'value']);

/** Describes changes in words: users do not know stored names such as `environments.capstan.approvalPolicy`. */
export function changedWords(sections: ContextUpdate['sections']): readonly string[] {
  const words = Object.entries(sections).flatMap(([section, names]) => {
    const members = names.map((name) => name.slice(name.lastIndexOf('.') + 1));
    return members.length === 0 ? [section] : members.map((name) => (wholes.has(name) ? section : name));
  });
  return [...new Set(words.map(plainWords))];
}

const plainWords = (name: string): string =>
  name === 'agents_md'
    ? 'AGENTS.md'
    : name
        .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
        .replaceAll('_', ' ')
        .toLowerCase();
