import { readOnlyProfile } from '../../../core/policy/profiles/narrower-profile.ts';
import type { ReviewTarget, ThreadEvent } from '../../../protocol/thread-event.ts';
import { type ReviewChoices, listReviewChoices } from '../../../engine/review/changes-to-review.ts';
import type { TuiSession } from '../session/session.ts';
import { putInComposer, showInTranscript } from './command-session.ts';
import { reviewCell, interruptedReview, reviewStartCell } from '../transcript/cells/review-cells.ts';
import { chooseFrom, type ListItem } from '../pages/list-view.ts';

export async function review(session: TuiSession, words: string): Promise<void> {
  if (words !== '') return runReview(session, { kind: 'words', words });
  const folder = session.parts.engine.lookAtFolder(session.thread.settings.cwd);
  if ('code' in folder) return session.noticeProblem(folder);
  if (folder.repository === undefined)
    return session.notice('This folder is in no git repository. Say what to review: /review WORDS.', 'error');
  choosePreset(session);
}

function choosePreset(session: TuiSession): void {
  const begin = (target: ReviewTarget) => session.inBackground(runReview(session, target));
  const offer = (listOf: (choices: ReviewChoices) => TargetList) =>
    session.inBackground(offerTargets(session, listOf, begin));
  const presets: readonly (readonly [label: string, about: string, take: () => void])[] = [
    ['Against a base branch', 'what this branch adds to another one', () => offer(branchList)],
    [
      'Uncommitted changes',
      'what differs from the last commit, new files included',
      () => begin({ kind: 'uncommitted' }),
    ],
    ['A commit', 'the change of one commit', () => offer(commitList)],
    ['In your own words', 'say what to review', () => putInComposer(session, '/review', '/review ')],
  ];
  const items = presets.map(([label, about]) => ({ label, about }));
  const pick = (index: number): void => presets[index]![2]();
  chooseFrom(session.parts.stage, { title: 'What should be reviewed?', items, pick });
}

interface TargetList {
  readonly title: string;
  readonly items: readonly (ListItem & { readonly target: ReviewTarget })[];
  readonly none: string;
}

const branchList = ({ current, branches }: ReviewChoices): TargetList => ({
  title: `Base branch for ${current ?? 'the commit that is checked out'}`,
  items: branches.map((branch) => {
    const about = `${current ?? 'HEAD'} -> ${branch}`;
    return { label: branch, about, target: { kind: 'base', branch } };
  }),
  none: 'This repository has no other branch to compare with.',
});

const commitList = ({ commits }: ReviewChoices): TargetList => ({
  title: 'Commit to review',
  items: commits.map(({ id, title }) => {
    return { label: id.slice(0, 9), about: title, target: { kind: 'commit', commit: id, title } };
  }),
  none: 'This repository has no commit yet.',
});

async function offerTargets(
  session: TuiSession,
  listOf: (choices: ReviewChoices) => TargetList,
  begin: (target: ReviewTarget) => void,
): Promise<void> {
  const { stage, engine } = session.parts;
  const { cwd, sandbox: profile } = session.thread.settings;
  const sandbox = await engine.openSandbox({ cwd, permissions: { profile: readOnlyProfile(profile) } });
  const choices = 'code' in sandbox ? sandbox : await listReviewChoices(sandbox);
  if ('code' in choices) return session.noticeProblem(choices);
  const { title, items, none } = listOf(choices);
  if (items.length === 0) return session.notice(none);
  const close = (): void => choosePreset(session);
  chooseFrom(stage, { title, items, isSearched: true, close, pick: (index) => begin(items[index]!.target) });
}

async function runReview(session: TuiSession, target: ReviewTarget): Promise<void> {
  const { stage, engine, now } = session.parts;
  const { entries, thread } = session;
  let end: ThreadEvent | undefined;
  const listener = (event: ThreadEvent): void => {
    if (event.kind === 'turn-completed') end = event;
    else if (isShown(event)) entries.event(spoken(event), now());
    stage.draw();
  };
  const opened = (): void => showInTranscript(session, reviewStartCell(target));
  const result = await session.workBeside('Reviewing', (signal) =>
    engine.review({ target, parent: thread, signal, listener, opened, recordedAs: (id) => entries.ranHere(id) }),
  );
  if (result?.kind === 'reviewed') stage.transcript.add({ cell: reviewCell(result.review), isFinal: true });
  if (end !== undefined) entries.event(end, now());
  stage.draw();
}

/** Hides the reviewer's answer: Capstan parses it and shows the findings. */
const isShown = (event: ThreadEvent): boolean => !('item' in event) || event.item?.kind !== 'agent-message';

/** Reports an interruption as that of the review: "interrupted turn" would mean a turn of the user. */
function spoken(event: ThreadEvent): ThreadEvent {
  if (event.kind !== 'turn-aborted') return event;
  return { kind: 'turn-failed', turnId: event.turnId, outcome: interruptedReview };
}
