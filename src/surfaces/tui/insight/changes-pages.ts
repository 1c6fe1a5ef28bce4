import { changedWords, formNames, tellingReason } from '../../context/show-changes.ts';
import type { ToldContext } from '../../context/tellings.ts';
import type { StoryTurn, ThreadStory } from '../../context/thread-story.ts';
import { count, plural } from '../../wording/number-words.ts';
import { clockTimeOf } from '../../wording/time-words.ts';
import { cleanLine } from '../text/clean.ts';
import { dimStyle, plain, styled } from '../text/style.ts';
import type { BrowseList, BrowsePage } from '../views/browse-page.ts';
import { figureRow } from '../views/figure-row.ts';
import { textPage } from '../views/text-page.ts';

interface Telling {
  readonly turn: StoryTurn;
  /** Absent: the turn sent no context. */
  readonly told?: ToldContext;
}

/** What Capstan sent the model in each turn beside the user's words, and why, the newest first. */
export function changesBrowse({ turns, checkpoints }: Pick<ThreadStory, 'turns' | 'checkpoints'>): BrowseList {
  const rows = turns
    .flatMap((turn): readonly Telling[] =>
      turn.told.length === 0 ? [{ turn }] : turn.told.map((told) => ({ turn, told })),
    )
    .toReversed();
  const width = Math.max(0, ...rows.map(({ told }) => count(told?.tokens ?? 0).length)) + 1;
  const wide = `turn ${turns.length}`.length;
  return {
    kind: 'list',
    title: 'What each turn sent',
    length: rows.length,
    row(index, look) {
      const { turn, told } = rows[index]!;
      const number = styled(`${`turn ${turn.number}`.padEnd(wide)}  `, dimStyle);
      const hasCheckpoint = checkpoints.some((checkpoint) => checkpoint.turn === turn.number);
      const compaction = hasCheckpoint ? 'a compaction' : 'a compaction that made no checkpoint';
      if (told === undefined) return [number, styled(turn.compacts ? `nothing: ${compaction}` : 'nothing', dimStyle)];
      const words = `${formNames[told.form]}: ${cleanLine(tellingReason(told))}`;
      return figureRow([number, plain(words)], [{ text: `~${count(told.tokens)}`, width }], look);
    },
    open: (index) => tellingPage(rows[index]!),
    opens: (index) => rows[index]?.told !== undefined,
    empty: 'The thread has no turn yet.',
  };
}

/** The exact text of one telling. */
function tellingPage({ turn, told }: Telling): BrowsePage | undefined {
  if (told === undefined) return undefined;
  const { step, form, texts, sections, tokens } = told;
  const changed = changedWords(sections).join(', ');
  const about = [
    `Turn ${turn.number}, before step ${step}, ${clockTimeOf(turn.at)}`,
    `${formNames[form]}: ${tellingReason(told)}; ${plural(texts.length, 'text')}, about ${count(tokens)} tokens`,
    ...(form === 'change' && changed !== '' ? [`changed: ${changed}`] : []),
  ];
  const text = (): string =>
    texts.length === 0
      ? `Nothing was sent. Recorded: ${Object.keys(sections).join(', ')}`
      : texts
          .map(({ content, tokens: weight, text: said }) => `--- ${content}, about ${count(weight)} tokens\n${said}`)
          .join('\n\n');
  return textPage({ title: `turn ${turn.number}`, about, text });
}
