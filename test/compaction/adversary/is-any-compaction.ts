import type { RecordedRequest } from '../../../src/testing/index.ts';

/** True if a request is one of a compaction, in any form. */
export function isAnyCompaction({ path, body }: Pick<RecordedRequest, 'path' | 'body'>): boolean {
  if (path.endsWith('/compact') || body['tool_choice'] === 'none') return true;
  return JSON.stringify(body['input']).includes('{"type":"compaction_trigger"}');
}
