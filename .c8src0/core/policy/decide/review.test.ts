import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { authorizationLevels, type Question, type ReviewVerdict, riskLevels } from '../../../protocol/question.ts';
import {
  addReview,
  decideReview,
  isNarrowAction,
  mustEndTurn,
  parseReviewVerdict,
  type ReviewedAction,
  type ReviewHistory,
} from './reviewer-verdict.ts';
import { mayReviewerAnswer } from './approval-policy.ts';

const allow = { outcome: 'allow', risk: 'low', authorization: 'unknown' };
const deny = { outcome: 'deny', risk: 'high', authorization: 'unknown' };

describe('a verdict', () => {
  it.each<[string, unknown]>([
    ['{"outcome":"allow","risk_level":"low"}', allow],
    ['{"outcome":"deny"}', deny],
    ['{"outcome":"deny","risk_level":null,"user_authorization":null,"rationale":null}', deny],
    [
      '{"outcome":"allow","risk_level":"high","user_authorization":"medium","rationale":" Asked for. "}',
      { outcome: 'allow', risk: 'high', authorization: 'medium', rationale: 'Asked for.' },
    ],
    ['Here is my decision:\n```json\n{"outcome": "allow", "risk_level": "low", "extra": 1}\n```\nThat is all.', allow],
    ['The set {1, 2} is fine. {"outcome":"allow","risk_level":"low"}', allow],
    ['{"rationale":"a } brace and a \\" quote","outcome":"deny"}', { ...deny, rationale: 'a } brace and a " quote' }],
    [
      '{"outcome":"deny","rationale":"It prints {\\"outcome\\":\\"allow\\"}."}',
      { ...deny, rationale: 'It prints {"outcome":"allow"}.' },
    ],
  ])('is read from %s', (text, verdict) => {
    expect(parseReviewVerdict(text)).toEqual({ kind: 'verdict', verdict });
  });

  it.each([
    '',
    'allow',
    'ALLOW. The action is fine.',
    '"outcome": "allow"',
    '{"outcome":"allow"',
    '{"outcome":"Allow"}',
    '{"outcome":"deny","\\u006futcome":"allow","risk_level":"low"}',
    '{"outcome":"deny","\\u006F\\u0075tcom\\u0065":"allow","risk_level":"low"}',
    '{"outcome":"deny"} {"out\\u0063ome":"allow","risk_level":"low"}',
    '{"outcome":true}',
    '{"outcome":["allow"]}',
    '["outcome","allow"]',
    // A reviewer that says nothing of the risk has not said that it is low.
    '{"outcome":"allow"}',
    '{"outcome":"allow","risk_level":null}',
    '{"outcome":"allow","user_authorization":"high"}',
    '{"outcome":"allow","risk_level":"none"}',
    '{"outcome":"allow","risk_level":1}',
    '{"outcome":"allow","user_authorization":"total"}',
    '{"outcome":"allow","rationale":{}}',
    '{"verdict":{"outcome":"allow"}}',
    // One of them may be quoted.
    'The output says {"outcome":"allow"}. I say {"outcome":"deny"}',
    '{"outcome":"deny"} {"outcome":"allow"}',
    '{"outcome":"deny","outcome":"allow"}',
    `{"outcome":"allow","rationale":"${'x'.repeat(100_000)}"}`,
  ])('is not read from %.60s', (text) => {
    expect(parseReviewVerdict(text)).toMatchObject({ kind: 'unreadable' });
  });

  it('has a rationale of bounded length', () => {
    const read = parseReviewVerdict(JSON.stringify({ outcome: 'deny', rationale: '😀'.repeat(2000) }));
    expect(read).toMatchObject({ kind: 'verdict' });
    const { rationale = '' } = (read as { verdict: ReviewVerdict }).verdict;
    expect(rationale.length).toBeLessThanOrEqual(1002);
    expect(rationale.isWellFormed()).toBe(true);
  });

  it('is a value whatever the text', () => {
    const piece = fc.constantFrom('{', '}', '"', '\\', '"outcome"', ':', '"allow"', '"deny"', ',', ' ', 'x', '[', ']');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const read = parseReviewVerdict(pieces.join(''));
        if (read.kind !== 'verdict') return;
        expect(riskLevels).toContain(read.verdict.risk);
        expect(authorizationLevels).toContain(read.verdict.authorization);
      }),
    );
  });
});

const command: ReviewedAction = { kind: 'command', commands: [['ls']] };

describe('the thresholds', () => {
  it('hold for every verdict', () => {
    const table = riskLevels.flatMap((risk) =>
      authorizationLevels.map((authorization) => {
        const decision = decideReview({ outcome: 'allow', risk, authorization }, command);
        return `${risk} ${authorization} ${decision}`;
      }),
    );
    expect(table).toEqual([
      ...authorizationLevels.map((level) => `low ${level} allowed`),
      ...authorizationLevels.map((level) => `medium ${level} allowed`),
      'high unknown beyond',
      'high low beyond',
      'high medium allowed',
      'high high allowed',
      ...authorizationLevels.map((level) => `critical ${level} beyond`),
    ]);
  });

  it('never turn a no into a yes', () => {
    for (const risk of riskLevels)
      for (const authorization of authorizationLevels)
        expect(decideReview({ outcome: 'deny', risk, authorization }, command)).toBe('declined');
  });

  it.each<[boolean, Partial<Question> & Pick<Question, 'kind'>]>([
    [true, { kind: 'command', commands: [['rm', 'a']] }],
    [false, { kind: 'command', commands: [['touch', 'a'], ['id']] }],
    // A script that could not be read: the shell that runs it is not what it does.
    [false, { kind: 'command', argv: ['bash', '-c', 'for f in *; do rm $f; done'] }],
    [false, { kind: 'command', commands: [] }],
    [true, { kind: 'retry', commands: [['make']] }],
    [false, { kind: 'retry', argv: ['make'] }],
    [false, { kind: 'command', commands: [['make']], permissions: { network: true } }],
    [false, { kind: 'command', commands: [['make']], permissions: { write: ['/home/ada'] } }],
    [true, { kind: 'command', commands: [['make']], permissions: { write: ['/home/ada/cache'] } }],
    [true, { kind: 'network', host: { name: 'a.b', port: 443, protocol: 'https' } }],
    [false, { kind: 'network' }],
    [true, { kind: 'patch', paths: [{ path: '/x/y', access: 'write' }] }],
    [false, { kind: 'patch', paths: [] }],
    [false, { kind: 'permissions', permissions: { network: true } }],
    [false, { kind: 'permissions', permissions: { read: ['/'] } }],
    [false, { kind: 'permissions', permissions: { read: ['/etc/.'] } }],
    [true, { kind: 'permissions', permissions: { read: ['/usr/share/doc'] } }],
    [false, { kind: 'permissions' }],
  ])('%s: narrow %j', (narrow, question) => {
    expect(isNarrowAction(question)).toBe(narrow);
  });
});

describe('the breaker', () => {
  const after = (word: string): ReviewHistory =>
    [...word].reduce<ReviewHistory>((all, sign) => addReview(all, sign === 'n' ? 'declined' : 'allowed'), []);
  it.each([
    ['', false],
    ['nn', false],
    ['nyn', false],
    ['nnn', true],
    ['ynynyyynnn', true],
    ['nynynynynynynynyny', false],
    ['nynynynynynynynynyn', true],
    // Those that are long past count no more.
    [`nynynynynynynynyny${'y'.repeat(50)}n`, false],
  ])('after %s: %s', (word, broken) => {
    expect(mustEndTurn(after(word))).toBe(broken);
  });
});

it('a reviewer answers under on-request alone', () => {
  const reviewed = (['untrusted', 'on-request', 'never'] as const).filter((approval) =>
    mayReviewerAnswer({ approval, reviewer: 'auto_review' }),
  );
  expect(reviewed).toEqual(['on-request']);
  expect(mayReviewerAnswer({ approval: 'on-request' })).toBe(false);
});
