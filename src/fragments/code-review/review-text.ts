import type { CodeReview, ReviewFinding } from '../../protocol/code-review.ts';

/** Of a reviewer that ended without a word. */
export const noReview = 'Reviewer failed to output a response.';

/** A review as people read it, and as the thread that asked for it does. */
export function reviewText({ findings, explanation }: CodeReview): string {
  const said = explanation.trim();
  if (findings.length === 0) return said === '' ? noReview : said;
  const heading = findings.length === 1 ? 'Review comment:' : 'Full review comments:';
  return [...(said === '' ? [] : [said]), heading, ...findings.map(findingText)].join('\n\n');
}

function findingText({ title, body, place }: ReviewFinding): string {
  const where = place === undefined ? '' : ` — ${place.path}:${lines(place)}`;
  const said = body.split('\n').map((line) => `  ${line}`.trimEnd());
  return [`- ${title}${where}`, ...(body === '' ? [] : said)].join('\n');
}

function lines({ from, to }: { readonly from: number; readonly to: number }): string {
  return from === to ? String(from) : `${from}-${to}`;
}
