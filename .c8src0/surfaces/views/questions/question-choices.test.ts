import { describe, expect, it } from 'vitest';
import type { AnswerScope, Question } from '../../../protocol/question.ts';
import { choicesFor } from './question-choices.ts';

const keysWith = (scopes: readonly AnswerScope[]): string =>
  choicesFor({ id: 'q', kind: 'command', scopes } as unknown as Question)
    .map(({ key }) => key)
    .join('');

describe('the order of the answers', () => {
  it.each([
    [['call'], 'ynts'],
    [['call', 'session'], 'yants'],
    [['call', 'rule'], 'ypnts'],
    [['call', 'session', 'rule'], 'yanpts'],
  ] as const)('with %j: the third answer never allows anything', (scopes, keys) => {
    expect(keysWith(scopes)).toBe(keys);
  });
});
