import { describe, expect, it } from 'vitest';
import { reviewContext, userActionFragment } from '../../fragments/events/user-actions.ts';
import { contextMessageItem } from '../../fragments/message-items.ts';
import { renderFragment } from '../../fragments/text/define-fragment.ts';
import type { TurnId } from '../../../protocol/ids.ts';
import type { Json, JsonObject } from '../../../protocol/json.ts';
import { noUsage } from '../../../protocol/usage.ts';
import { codeReviewIn } from './user-actions.ts';

const results = 'One & <two>.\n\nReview comment:\n\n- Off by one — /w/a.txt:2';
const { role, text } = renderFragment(userActionFragment, { action: 'review', context: reviewContext, results });
const line = (more: JsonObject, words = text): JsonObject => ({
  kind: 'item',
  id: '1',
  item: contextMessageItem('msg_1', role, [words]) as unknown as JsonObject,
  ...more,
});
const read = (payload: JsonObject) => codeReviewIn(payload, 'turn' as TurnId, noUsage);
const told = { kind: 'told', text: results };

describe('a review of code that a line keeps', () => {
  it('is what was kept of it', () => {
    const target = { kind: 'base', branch: 'main' };
    const kept = { target, durationMs: 5, end: { kind: 'aborted' } };
    expect(read(line({ review: kept }))).toEqual({ kind: 'code-reviewed', turnId: 'turn', id: 'msg_1', ...kept });
  });

  it.each<readonly [string, Json]>([
    ['nothing', null],
    ['a text', 'review'],
    ['no end', { target: { kind: 'words' }, durationMs: 'long' }],
    ['an end of another kind', { target: 7, end: { kind: 'later' } }],
    ['no findings', { end: { kind: 'reviewed', review: { findings: 'many' } } }],
  ])('is what the model was told where the line has %s', (_, review) => {
    expect(read(line({ review }))).toEqual({ kind: 'code-reviewed', turnId: 'turn', id: 'msg_1', end: told });
  });

  it('leaves out what makes no sense in a finding', () => {
    const findings = [null, 3, { title: 4, place: { path: 'a', from: 'b' } }];
    const end = { kind: 'reviewed', review: { findings, correctness: [] } };
    expect(read(line({ review: { end } }))?.end).toEqual({
      kind: 'reviewed',
      review: { findings: [{ title: '', body: '' }], correctness: '', explanation: '' },
    });
  });

  it('is none in other messages', () => {
    for (const words of ['Hello.', '', '<user_action></user_action>', `${text} And more.`]) {
      expect(read(line({}, words))).toBeUndefined();
    }
    expect(read({ kind: 'item', item: 3 })).toBeUndefined();
    expect(read({ kind: 'words' })).toBeUndefined();
  });
});
