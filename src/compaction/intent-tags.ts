/** Of `intent_user_message`, in their order. */
export const intentTags = [
  '<VERBATIM_REQUEST_START>',
  '<VERBATIM_REQUEST_END>',
  '<RECENT_USER_CONTEXT_START>',
  '<RECENT_USER_CONTEXT_END>',
] as const;

export interface IntentParts {
  /** What the model says is the request that defines the task. */
  readonly request: string;
  readonly recent: string;
  /** What stands outside of both blocks. */
  readonly context: string;
}

/** The parts of an intent whose tags are all there, in order. */
export function splitIntent(intent: string): IntentParts {
  const [request, requestEnd, recent, recentEnd] = intentTags;
  const [before, rest] = cutAt(intent, request);
  const [asked, afterAsked] = cutAt(rest, requestEnd);
  const [between, afterBetween] = cutAt(afterAsked, recent);
  const end = afterBetween.lastIndexOf(recentEnd);
  const after = afterBetween.slice(end + recentEnd.length);
  const context = [before, between, after].map((part) => part.trim()).filter((part) => part !== '');
  return { request: asked, recent: afterBetween.slice(0, end), context: context.join('\n\n') };
}

function cutAt(text: string, tag: string): readonly [before: string, after: string] {
  const at = text.indexOf(tag);
  return [text.slice(0, at), text.slice(at + tag.length)];
}
