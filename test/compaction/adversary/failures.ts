import { expect } from 'vitest';
import {
  answer,
  cutAfter,
  failed,
  hang,
  httpError,
  incomplete,
  malformed,
  overflow,
  overflowForms,
  say,
  type ScriptStep,
} from '../../../src/testing/index.ts';
import { saysCheckpoint } from '../summariser.ts';
import { good, onSecondTry, structured } from './answers.ts';
import type { Doing, Trigger } from './play.ts';
import { aFew, type Told } from './told.ts';

/** The failure of a provider that is asked for a checkpoint, and the report to people. */
export interface Failing {
  readonly name: string;
  readonly does: Doing;
  readonly told: Readonly<Record<Trigger, readonly Told[]>>;
  /** Requests that the provider gets. */
  readonly posts: Readonly<Record<Trigger, number>>;
  readonly waits?: 'a moment';
}

/** A caller that asked for it can ask again. A thread that is full has to continue: code makes the checkpoint. */
function lasting(name: string, step: ScriptStep, code: string, times = 1, posts = times): Failing {
  return {
    name,
    does: () => [step],
    told: {
      manual: [{ failed: code, paused: false }],
      'mid-turn': [{ strategy: 'mechanical', requests: 2 * times, mended: [], why: code }],
    },
    posts: { manual: posts, 'mid-turn': 2 * posts },
  };
}

/** Nothing helps: it is tried once more after the turn, and then no more. */
function everywhere(name: string, step: ScriptStep, code: string): Failing {
  return {
    name,
    does: () => [step],
    told: {
      manual: [{ failed: code, paused: false }],
      'mid-turn': [
        { failed: code, paused: false },
        { failed: code, paused: true },
      ],
    },
    posts: { manual: 1, 'mid-turn': 2 },
  };
}

/** The same, but it passes: every turn tries it once. */
function passing(name: string, step: ScriptStep, code: string): Failing {
  const told = { failed: code, paused: false };
  return {
    ...everywhere(name, step, code),
    told: { manual: [told], 'mid-turn': [told, told] },
    posts: { manual: 1, 'mid-turn': 3 },
  };
}

/** A row with the same result for every trigger. */
function always(name: string, does: Doing, told: Told, posts: number): Failing {
  return { name, does, told: { manual: [told], 'mid-turn': [told] }, posts: { manual: posts, 'mid-turn': posts } };
}

/** On a slow machine the moment may be over before the provider has looked at the request. */
function silent(name: string, afterBytes: number): Failing {
  const posts = { manual: upTo(3), 'mid-turn': upTo(6) };
  return { ...lasting(name, hang({ afterBytes, of: prose }), 'stream-idle', 3), posts, waits: 'a moment' };
}

function upTo(most: number): number {
  return expect.toBeOneOf(Array.from({ length: most + 1 }, (_, posts) => posts)) as number;
}

const prose = answer({ items: [say('Half of the loop is done, and that is all.')] });

export const failures: readonly Failing[] = [
  // It might be about the schema: without one it is asked as well.
  {
    ...lasting('status 400', httpError({ status: 400, body: { error: { message: 'No.' } } }), 'invalid-request'),
    told: {
      manual: [{ failed: 'invalid-request', paused: false }],
      'mid-turn': [{ strategy: 'mechanical', requests: 3, mended: [], why: 'invalid-request' }],
    },
    posts: { manual: 2, 'mid-turn': 3 },
  },
  lasting('status 404', httpError({ status: 404 }), 'invalid-request'),
  everywhere('status 401', httpError({ status: 401 }), 'unauthorized'),
  everywhere('status 403', httpError({ status: 403 }), 'unauthorized'),
  passing('status 402', httpError({ status: 402 }), 'usage-limit'),
  lasting('status 429', httpError({ status: 429 }), 'rate-limited', 3),
  lasting('status 500', httpError({ status: 500 }), 'server-error', 3, 15),
  lasting('status 529', httpError({ status: 529 }), 'overloaded', 3, 15),
  lasting('a redirection', httpError({ status: 302, headers: { location: '/' } }), 'invalid-request'),
  lasting(
    'a page for people',
    httpError({ status: 200, body: '<html><title>Sign in</title></html>', headers: { 'content-type': 'text/html' } }),
    'invalid-request',
  ),
  lasting(
    'a body without events',
    httpError({ status: 200, body: 'ok', headers: { 'content-type': 'text/event-stream' } }),
    'server-error',
    3,
  ),
  lasting('a refusal by policy', failed({ code: 'cyber_policy', message: 'This is not allowed.' }), 'policy'),
  lasting('a prompt that it does not accept', failed({ code: 'invalid_prompt', message: 'No.' }), 'invalid-request'),
  passing('an empty account', failed({ code: 'insufficient_quota', message: 'Pay.' }), 'usage-limit'),
  lasting('a failure in the stream', failed({ code: 'server_error', message: 'Oops.' }), 'server-error', 3),
  lasting(
    'an error event',
    failed({ code: 'server_is_overloaded', message: 'Busy.', event: 'error' }),
    'overloaded',
    3,
  ),
  lasting('a stream that is cut', cutAfter({ bytes: 150, of: prose }), 'stream-cut', 3),
  {
    ...passing('a connection that is cut', cutAfter({ bytes: 0, of: prose }), 'connection-failed'),
    // A connection that was kept open may be found dead, which costs one more each time.
    posts: { manual: expect.toBeOneOf([3, 4]) as number, 'mid-turn': expect.toBeOneOf([9, 10, 11, 12]) as number },
  },
  lasting(
    'an item that cannot be read',
    malformed({ of: prose, data: '{"type":"response.output_item.done","item":{"type' }),
    'server-error',
    3,
  ),
  silent('silence', 0),
  silent('silence after a few words', 150),
  always(
    'an answer that ends early',
    (about) => [incomplete({ reason: 'max_output_tokens', items: [say(good(about).slice(0, 90))] })],
    { strategy: 'mechanical', requests: 3, mended: [], why: 'compaction-answer-unusable' },
    3,
  ),
  always(
    'an answer that a filter ends',
    () => [incomplete({ reason: 'content_filter' })],
    { strategy: 'mechanical', requests: 3, mended: [], why: 'compaction-answer-unusable' },
    3,
  ),
  always(
    'an answer that ends early, once',
    (about) => [incomplete({ reason: 'max_output_tokens' }), saysCheckpoint(good(about))],
    onSecondTry(
      'The provider ended the answer before it was complete. Reason: max_output_tokens. The answer must be shorter, so that all of it fits.',
    ),
    2,
  ),
  always(
    'an event that cannot be read',
    (about) => [malformed({ of: answer({ items: [say(good(about))] }) })],
    structured(),
    1,
  ),
  always('no usage', (about) => [saysCheckpoint(good(about), 'none')], structured(), 1),
  always('a failure, once', (about) => [httpError({ status: 500 }), saysCheckpoint(good(about))], structured(), 2),
  always(
    'a cut, once',
    (about) => [cutAfter({ bytes: 150, of: prose }), saysCheckpoint(good(about))],
    { ...structured(), requests: 2 },
    2,
  ),
];

/** The provider says that the request does not fit, in each form. */
export const overflows: Readonly<Record<'forEver' | 'once', readonly Failing[]>> = {
  forEver: overflowForms.map((form) =>
    always(
      `${form}, for ever`,
      () => [overflow(form)],
      { strategy: 'mechanical', requests: aFew, mended: [], why: 'context-window-exceeded' },
      aFew,
    ),
  ),
  // The first part is noted, then the checkpoint is made.
  once: overflowForms.map((form) =>
    always(
      `${form}, once`,
      (about) => [overflow(form), saysCheckpoint(good(about))],
      { ...structured(), requests: aFew },
      aFew,
    ),
  ),
};
