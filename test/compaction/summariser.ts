import { isJsonObject, type JsonObject } from '../../src/protocol/json.ts';
import { answer, type RecordedRequest, say, type ScriptedUsage, type ScriptStep } from '../../src/testing/index.ts';

/** True for a request of a compaction: tools are shown, and none may be called. */
export function isCompaction({ body }: RecordedRequest): boolean {
  const choice = body['tool_choice'];
  return choice === 'none' || (isJsonObject(choice) && choice['type'] === 'none');
}

/** The answer of a model that follows the instructions: the request word for word, the newest words, and a summary. */
export function checkpointText(request: string, recent: readonly string[], summary = 'Half of it is done.'): string {
  const intent = [
    'Work in the folder of the project.',
    '<VERBATIM_REQUEST_START>',
    request,
    '<VERBATIM_REQUEST_END>',
    '<RECENT_USER_CONTEXT_START>',
    ...recent,
    '<RECENT_USER_CONTEXT_END>',
  ].join('\n');
  return JSON.stringify({ intent_user_message: intent, summary: `${summary}\nRESUME_AT: the second half` });
}

export function saysCheckpoint(text: string, usage?: ScriptedUsage): ScriptStep {
  return answer({ items: [say(text)], ...(usage === undefined ? {} : { usage }) });
}

/** The text of the messages of the user in a request, context of ours included. */
export function userTexts({ body }: RecordedRequest): readonly string[] {
  const input = (body['input'] ?? body['messages']) as unknown as readonly JsonObject[];
  return input
    .filter(({ role }) => role === 'user')
    .flatMap(({ content }) => content as unknown as readonly JsonObject[])
    .flatMap(({ type, text }) => (type === 'tool_result' ? [] : [String(text)]));
}
