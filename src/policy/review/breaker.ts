/** What the reviewer has decided in a turn, newest last. Reviews that failed are not among them. */
export type ReviewHistory = readonly ('allowed' | 'declined')[];

/** A model that goes on after so many denials in a row, or among so many reviews, will not find a way that is allowed. */
const mostInARow = 3;
const mostOfRecent = 10;
const recent = 50;

export function withReview(history: ReviewHistory, decision: ReviewHistory[number]): ReviewHistory {
  return [...history, decision].slice(-recent);
}

/** Whether the turn must end. */
export function isBroken(history: ReviewHistory): boolean {
  const last = history.slice(-mostInARow);
  if (last.length === mostInARow && last.every((decision) => decision === 'declined')) return true;
  return history.filter((decision) => decision === 'declined').length >= mostOfRecent;
}
