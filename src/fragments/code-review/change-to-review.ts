import type { ReviewTarget } from '../../protocol/code-review.ts';
import { neutraliseEnd, quote } from '../text/markup.ts';

export interface ChangeToReview {
  readonly target: ReviewTarget;
  /** The commit that a branch was made from. Absent: it could not be found. */
  readonly mergeBase?: string;
  /** What git says of the change. Absent: it was not asked, or said nothing. */
  readonly diff?: AttachedDiff;
}

export interface AttachedDiff {
  /** Whole diffs of files. */
  readonly text: string;
  /** Files of the change whose diffs are not in the text. */
  readonly leftOut: readonly string[];
  /** There may be more files than those. */
  readonly isCut: boolean;
}

/** What the reviewer is asked, with the change as far as it fits. */
export function changeToReview({ target, mergeBase, diff }: ChangeToReview): string {
  return [wanted(target, mergeBase), ...(diff === undefined ? [] : attached(diff))].join('\n\n');
}

function wanted(target: ReviewTarget, mergeBase: string | undefined): string {
  switch (target.kind) {
    case 'uncommitted':
      return 'Review the changes of this repository that are not committed: staged, unstaged and new files.';
    case 'base': {
      const branch = quote(target.branch);
      if (mergeBase === undefined)
        return `Review what the current branch adds to the branch ${branch}. Find the commit where they part with \`git merge-base HEAD\` and the branch or its upstream, and look at \`git diff\` from there.`;
      return `Review what the current branch adds to the branch ${branch}. They part at the commit ${mergeBase}: \`git diff ${mergeBase}\` shows the change.`;
    }
    case 'commit': {
      const title = target.title === undefined ? '' : ` (${quote(target.title)})`;
      return `Review the change of the commit ${quote(target.commit)}${title}.`;
    }
    case 'words':
      return target.words;
  }
}

const end = '</attached_diff>';

function attached({ text, leftOut, isCut }: AttachedDiff): readonly string[] {
  const names = leftOut.map((path) => `- ${quote(path)}`).join('\n');
  return [
    ...(text === '' ? [] : [`<attached_diff>\n${neutraliseEnd(text, end)}\n${end}`]),
    ...(names === ''
      ? []
      : [`These files are part of the change and did not fit here. Look at them yourself:\n${names}`]),
    ...(isCut ? ['The change is so large that files may be missing above. List its files with git first.'] : []),
  ];
}

/** What is reviewed, in a few words for people. */
export function reviewHint(target: ReviewTarget): string {
  switch (target.kind) {
    case 'uncommitted':
      return 'current changes';
    case 'base':
      return `changes against '${target.branch}'`;
    case 'commit': {
      const title = target.title === undefined ? '' : `: ${target.title}`;
      return `commit ${target.commit.slice(0, 7)}${title}`;
    }
    case 'words':
      return target.words.trim();
  }
}
