import { formatCount, plural } from '../../../../engine/wording.ts';
import { changedWords, contextUpdateForms, updateReason } from '../../../views/context/changes-page.ts';
import type { StoryTurn, ThreadStory, ContextUpdate } from '../../../views/context/thread-story.ts';
import { clockTimeOf } from '../../../views/wording/time-words.ts';
import { cleanLine } from '../../screen/text/clean-text.ts';
import { dimStyle, plain, styled } from '../../screen/text/style.ts';
import { type BrowseList, type BrowsePage, figureRow, listPage, browsableText } from '../browse-view.ts';
import type { TuiSession } from '../../session/session.ts';
import { browseThread } from './inspected-thread.ts';

export const showContextChanges = (host: TuiSession): Promise<void> =>
  browseThread(host, 'What each turn sent', ({ story }) => changesBrowse(story));

/** `told` is absent if the turn sent no context. */
type ShownUpdate = { readonly turn: StoryTurn; readonly told?: ContextUpdate };

export function changesBrowse({ turns, checkpoints }: Pick<ThreadStory, 'turns' | 'checkpoints'>): BrowseList {
  const updatesOf = (turn: StoryTurn): readonly ShownUpdate[] =>
    turn.told.length === 0 ? [{ turn }] : turn.told.map((told) => ({ turn, told }));
  const updates = turns.flatMap(updatesOf).toReversed();
  const width = Math.max(0, ...updates.map(({ told }) => formatCount(told?.tokens ?? 0).length)) + 1;
  const wide = `turn ${turns.length}`.length;
  return listPage('What each turn sent', updates, {
    row({ turn, told }, look) {
      const number = styled(`${`turn ${turn.number}`.padEnd(wide)}  `, dimStyle);
      const hasCheckpoint = checkpoints.some((checkpoint) => checkpoint.turn === turn.number);
      const compaction = hasCheckpoint ? 'a compaction' : 'a compaction that made no checkpoint';
      if (told === undefined) return [number, styled(turn.compacts ? `nothing: ${compaction}` : 'nothing', dimStyle)];
      const words = `${contextUpdateForms[told.form]}: ${cleanLine(updateReason(told))}`;
      return figureRow([number, plain(words)], look, [`~${formatCount(told.tokens)}`, width]);
    },
    open: updatePage,
    opens: (index) => updates[index]?.told !== undefined,
    empty: 'The thread has no turn yet.',
  });
}

function updatePage({ turn, told }: ShownUpdate): BrowsePage | undefined {
  if (told === undefined) return undefined;
  const { step, form, texts, sections, tokens } = told;
  const changed = changedWords(sections).join(', ');
  const about = [
    `Turn ${turn.number}, before step ${step}, ${clockTimeOf(turn.at)}`,
    `${contextUpdateForms[form]}: ${updateReason(told)}; ${plural(texts.length, 'text')}, about ${formatCount(tokens)} tokens`,
    ...(form === 'change' && changed !== '' ? [`changed: ${changed}`] : []),
  ];
  const said = texts.map((each) => `--- ${each.content}, about ${formatCount(each.tokens)} tokens\n${each.text}`);
  const nothing = `Nothing was sent. Recorded: ${Object.keys(sections).join(', ')}`;
  return browsableText({ title: `turn ${turn.number}`, about, text: () => said.join('\n\n') || nothing });
}
