import { defined } from '../../base/objects.ts';
import type { Json, JsonObject } from '../../protocol/json.ts';
import { arrayAt, isJsonObject, numberAt, objectAt, parseJsonObject, stringAt } from '../../protocol/json.ts';
import type { CodeReview, ReviewFinding, ReviewTarget } from '../../protocol/thread-event.ts';
import { escapeEndMarker, quote } from './text/escape-markup.ts';

export interface ChangeToReview {
  readonly target: ReviewTarget;
  /** The commit that a branch started from. Absent: not found. */
  readonly mergeBase?: string;
  /** Git's diff of the change. Absent: not requested, or empty. */
  readonly diff?: AttachedDiff;
}

export interface AttachedDiff {
  /** Complete diffs of files. */
  readonly text: string;
  readonly leftOut: readonly string[];
  /** The list of files may be incomplete. */
  readonly isCut: boolean;
}

export const changeToReviewText = ({ target, mergeBase, diff }: ChangeToReview): string =>
  [wanted(target, mergeBase), ...(diff === undefined ? [] : attached(diff))].join('\n\n');

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
    ...(text === '' ? [] : [`<attached_diff>\n${escapeEndMarker(text, end)}\n${end}`]),
    ...(names === ''
      ? []
      : [`These files are part of the change and did not fit here. Look at them yourself:\n${names}`]),
    ...(isCut ? ['The change is so large that files may be missing above. List its files with git first.'] : []),
  ];
}

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

/** Accepts JSON, JSON surrounded by words, or plain words, which then become the explanation. */
export function parseReviewFindings(answer: string): CodeReview {
  const text = answer.trim();
  const given = parseJsonObject(text) ?? parseJsonObject(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
  if (given === undefined || !isReview(given)) return { findings: [], correctness: '', explanation: text };
  return {
    findings: (arrayAt(given, 'findings') ?? []).flatMap(readFinding),
    correctness: stringAt(given, 'overall_correctness') ?? '',
    explanation: stringAt(given, 'overall_explanation') ?? '',
    ...defined({ confidence: numberAt(given, 'overall_confidence_score') }),
  };
}

/** Any other object may be one that the reviewer quotes. */
const isReview = (given: JsonObject): boolean =>
  ['findings', 'overall_correctness', 'overall_explanation'].some((key) => given[key] !== undefined);

function readFinding(value: Json): readonly ReviewFinding[] {
  if (!isJsonObject(value)) return [];
  const [title, body] = [stringAt(value, 'title') ?? '', stringAt(value, 'body') ?? ''];
  if (title === '' && body === '') return [];
  const location = objectAt(value, 'code_location');
  const path = stringAt(location, 'absolute_file_path');
  const range = objectAt(location, 'line_range');
  const [from, to] = [numberAt(range, 'start'), numberAt(range, 'end')];
  const place = path === undefined || from === undefined ? undefined : { path, from, to: to ?? from };
  const scores = { priority: numberAt(value, 'priority'), confidence: numberAt(value, 'confidence_score') };
  return [{ title, body, ...defined({ ...scores, place }) }];
}

export const reviewRubric = `You review a change that another engineer made. You change nothing: you read, run commands that only look, and report.

What counts as a finding
- It makes the code wrong, slow, unsafe or hard to maintain in a way that matters.
- It was brought in by the change. What was there before is not a finding.
- It can be shown: name the input or the state in which it goes wrong. A guess that something might break elsewhere is no finding until you have found the place.
- The author would fix it if they knew. Taste, and style that the project does not ask for, are no findings.
- Instructions of the project (AGENTS.md) count as requirements.

How to look
- Read the change, then the code around it: callers, tests, and what the change does not touch but should.
- Report every finding that the author would want to know, and go on after the first. If there is none, say so: an empty list is a good answer.

How to write a finding
- One finding for each cause. The title names the fault in at most 80 characters and begins with its priority: [P0] stops everything, [P1] must be fixed next, [P2] should be fixed, [P3] would be nice.
- The body is one paragraph: why it is wrong, and when. No praise, no blame, no code block longer than three lines.
- The place is the shortest range of lines that shows it, at most 10, in a file of the change.

Answer with one JSON object and nothing else, no fence around it:
{"findings":[{"title":"[P1] ...","body":"...","confidence_score":0.0,"priority":1,"code_location":{"absolute_file_path":"/...","line_range":{"start":1,"end":1}}}],"overall_correctness":"patch is correct","overall_explanation":"one to three sentences","overall_confidence_score":0.0}
overall_correctness is "patch is correct" or "patch is incorrect": incorrect if existing code or tests break, or a finding must be fixed before the change can be used.`;

export const noReviewFindings = 'Reviewer failed to output a response.';

export function reviewText({ findings, explanation }: CodeReview): string {
  const said = explanation.trim();
  if (findings.length === 0) return said === '' ? noReviewFindings : said;
  const heading = findings.length === 1 ? 'Review comment:' : 'Full review comments:';
  return [...(said === '' ? [] : [said]), heading, ...findings.map(findingText)].join('\n\n');
}

function findingText({ title, body, place }: ReviewFinding): string {
  const where = place === undefined ? '' : ` — ${place.path}:${lines(place)}`;
  const said = body.split('\n').map((line) => `  ${line}`.trimEnd());
  return [`- ${title}${where}`, ...(body === '' ? [] : said)].join('\n');
}

const lines = ({ from, to }: { readonly from: number; readonly to: number }): string =>
  from === to ? String(from) : `${from}-${to}`;
