import { describe, expect, it } from 'vitest';
import type { TurnId } from '../../../protocol/ids.ts';
import type { PrefixBrokenEvent, ThreadEvent } from '../../../protocol/thread-event.ts';
import { noUsage } from '../../../protocol/usage.ts';
import { requestChangeLine } from './change-entries.ts';
import type { Look } from '../screen/text/look.ts';
import { EventEntries } from './event-entries.ts';
import { Transcript } from './transcript.ts';

const turnId = 'turn-1' as TurnId;
const look: Look = {
  width: 200,
  colours: 'none',
  palette: 'dark',
  glyphs: 'unicode',
  details: 'folded',
  now: 0,
  cwd: '/',
  home: '/home',
};

const started: ThreadEvent = { kind: 'turn-started', turnId, usage: noUsage };
const switched: ThreadEvent = { kind: 'model-switched', turnId, from: 'large', to: 'small', changes: [] };
const said: ThreadEvent = { kind: 'context', turnId, itemId: 'i', content: 'plain', cause: 'user', text: 'Go on.' };
const broken: PrefixBrokenEvent = {
  kind: 'prefix-broken',
  turnId,
  step: 0,
  keptTokens: 0,
  breaks: [{ kind: 'setting', name: 'model', tokens: 1200 }],
};
const weighed: ThreadEvent = {
  kind: 'usage',
  turnId,
  step: 0,
  total: noUsage,
  tokens: 5000,
  measure: 'exact',
  effectiveWindow: 100_000,
  percentRemaining: 95,
};
const retry = {
  kind: 'retrying',
  outcome: { code: 'stream-cut', message: 'The connection was lost. Trying again (1 of 5).', next: '' },
  reason: 'The connection was lost.',
  waitMs: 1000,
  attempt: 1,
  of: 5,
} satisfies ThreadEvent;
const installed: ThreadEvent = {
  kind: 'checkpoint-installed',
  turnId,
  id: 'c',
  report: {
    id: 'c',
    number: 1,
    trigger: 'manual',
    reason: 'user_requested',
    phase: 'standalone_turn',
    strategy: 'plain',
    model: 'large',
    tokensBefore: 9000,
    tokensAfter: 3000,
    words: { kept: 1, cut: 0, dropped: 0 },
    folded: 4,
    requests: 1,
    usage: noUsage,
    mended: [],
  },
};
const completed: ThreadEvent = { kind: 'turn-completed', turnId, usage: noUsage };

function shown(...events: readonly ThreadEvent[]) {
  const transcript = new Transcript();
  const entries = new EventEntries(transcript, () => true);
  for (const event of events) entries.event(event, undefined);
  const rows = transcript.entries.flatMap(({ cell }) => cell.rows(look));
  return { rows, isFinal: transcript.entries.every((entry) => entry.isFinal) };
}

describe('changes of the requests', () => {
  it('says that tokens may be sent again where only the provider knows', () => {
    const prefix: PrefixBrokenEvent = { ...broken, breaks: [{ kind: 'setting', name: 'cacheKey', tokens: 1200 }] };
    expect(requestChangeLine({ kind: 'prefix', prefix }).line).toBe(
      'Cache: about 1,200 tokens may be sent again uncached (a thread with a cache of its own)',
    );
    expect(requestChangeLine({ kind: 'prefix', prefix: broken }).line).toBe(
      'Cache lost: about 1,200 tokens are sent again uncached (the setting model)',
    );
  });

  it('a switch of models waits for its cost, and is one line with it', () => {
    expect(shown(started, switched, said)).toMatchObject({ isFinal: false });
    expect(shown(started, switched, said, broken)).toEqual({
      rows: ['• Model changed from large to small; about 1,200 tokens are sent again uncached', '› Go on.'],
      isFinal: true,
    });
  });

  it('a switch that costs nothing is final when the request has ended', () => {
    expect(shown(started, switched, said, weighed)).toEqual({
      rows: ['• Model changed from large to small', '› Go on.'],
      isFinal: true,
    });
  });

  it('a cache that is lost without them has a line of its own', () => {
    expect(shown(started, said, broken).rows.at(-1)).toBe(
      '• Cache lost: about 1,200 tokens are sent again uncached (the setting model)',
    );
  });

  it('retries of one request are one line', () => {
    expect(shown(started, said, weighed, retry, retry, weighed)).toEqual({
      rows: ['› Go on.', '⚠ Sent again 2 times, about 5,000 tokens: The connection was lost.'],
      isFinal: true,
    });
    expect(shown(started, said, retry, weighed, retry, completed).rows.slice(1, 3)).toEqual([
      '⚠ Sent again: The connection was lost.',
      '⚠ Sent again, about 5,000 tokens: The connection was lost.',
    ]);
  });

  it('retries have no line while they last, and none if the turn fails by them', () => {
    const failed: ThreadEvent = { kind: 'turn-failed', turnId, outcome: retry.outcome };
    expect(shown(started, said, weighed, retry, retry).rows).toEqual(['› Go on.']);
    expect(shown(started, said, weighed, retry, failed).rows.join('\n')).not.toContain('Sent again');
  });

  it('a turn that only compacts says nothing of an answer; one that was asked something does', () => {
    expect(shown(started, installed, completed)).toEqual({
      rows: ['• Checkpoint 1: about 9,000 → 3,000 tokens by large (plain), 1 of 1 user message kept'],
      isFinal: true,
    });
    expect(shown(started, installed, said, completed).rows.at(-1)).toMatch(/without an answer/);
  });
});
