/** Of `intent_user_message`, in their order. */
export const intentTags = [
  '<VERBATIM_REQUEST_START>',
  '<VERBATIM_REQUEST_END>',
  '<RECENT_USER_CONTEXT_START>',
  '<RECENT_USER_CONTEXT_END>',
] as const;

type IntentTag = (typeof intentTags)[number];

/** Where the tags stand, in their order; or those that are missing; or that they are out of order. */
export type IntentPlaces =
  | { readonly kind: 'found'; readonly at: readonly [number, number, number, number] }
  | { readonly kind: 'missing'; readonly tags: readonly IntentTag[] }
  | { readonly kind: 'disordered' };

/**
 * A tag counts alone on its line, so that tags inside the user's words split nothing: of the starts the first counts, of
 * the ends the last before the next block. Only where a model wrote none of its tags alone are they taken as they stand.
 */
export function findTags(intent: string): IntentPlaces {
  const alone = (tag: IntentTag): readonly number[] =>
    [...intent.matchAll(new RegExp(`(?<=^|\\n)[^\\S\\n]*${tag}[^\\S\\n]*(?=\\n|$)`, 'g'))].map(
      ({ index, 0: line }) => index + line.indexOf('<'),
    );
  const anywhere = (tag: IntentTag): readonly number[] =>
    [...intent.matchAll(new RegExp(tag, 'g'))].map(({ index }) => index);
  const lines = intentTags.map(alone);
  const places = lines.every((found) => found.length === 0) ? intentTags.map(anywhere) : lines;
  const tags = intentTags.filter((_, index) => places[index]!.length === 0);
  if (tags.length > 0) return { kind: 'missing', tags };
  const [starts, ends, recents, closings] = places as [number[], number[], number[], number[]];
  const start = starts[0]!;
  const closing = closings.at(-1)!;
  const firstEnd = ends.find((end) => end > start) ?? Infinity;
  const recent = recents.find((at) => at > firstEnd);
  const end = recent === undefined ? undefined : ends.findLast((at) => at > start && at < recent);
  if (recent === undefined || end === undefined || closing < recent) return { kind: 'disordered' };
  return { kind: 'found', at: [start, end, recent, closing] };
}

/** Of an intent whose tags are all there, in order: the request, as the model says, and what stands outside of both blocks. */
export function splitIntent(intent: string): { readonly request: string; readonly context: string } {
  const places = findTags(intent);
  if (places.kind !== 'found') return { request: '', context: intent.trim() };
  const [start, end, recent, closing] = places.at;
  const after = (place: number, tag: IntentTag): number => place + tag.length;
  const outside = [
    intent.slice(0, start),
    intent.slice(after(end, intentTags[1]), recent),
    intent.slice(after(closing, intentTags[3])),
  ];
  const context = outside.map((part) => part.trim()).filter((part) => part !== '');
  return { request: intent.slice(after(start, intentTags[0]), end), context: context.join('\n\n') };
}
