import type { ClosedGap } from '../harness/closed-gap.ts';

const shared = 'test/formats/same-threads.test.ts';
const failures = 'test/providers/failure-table.test.ts';
const client = 'src/adapters/model/responses/client.test.ts';
const decode = 'src/adapters/model/responses/decode.test.ts';

/** Gaps that users of other models, servers and keys notice. */
export const closedGaps: readonly ClosedGap[] = [
  {
    missed: 'wire formats besides Responses, without a proxy',
    shownBy: [
      [shared, 'tells, writes and does the same in every format: $title'],
      [shared, 'does so if it changes its format at every turn: $title'],
    ],
  },
  {
    missed: 'a compaction, however a server says that a request is too long',
    shownBy: [
      ['src/adapters/model/http/failures/overflow.test.ts', 'with the code %s is seen in every form'],
      ['src/adapters/model/http/failures/overflow.test.ts', 'in words alone is seen in every form: %s'],
      ['test/formats/compaction.test.ts', 'after a refusal for length, as %s'],
    ],
  },
  {
    missed: 'patience with limits and overloads, as long as the server asks',
    shownBy: [
      [failures, 'a header in seconds'],
      [failures, 'an overload'],
      [client, 'wait as long as the server asks, up to a minute'],
    ],
  },
  {
    missed: 'no second request where the answer would stay the same',
    shownBy: [
      [failures, 'every cause that a provider can show has a case, and every row can be read'],
      [client, 'are not for answers that would stay the same: %i'],
      [decode, 'of an answer that was ended early are permanent and name the reason'],
    ],
  },
  {
    missed: 'the cause of a failure when it is said, also if the connection stays open',
    shownBy: [
      [
        'test/providers/model-gaps.test.ts',
        'a failure counts when its event comes, and not when the connection closes: $type',
      ],
      ['test/formats/socket-client.test.ts', 'an error in the stream'],
      [client, 'end the stream at once although the server keeps it open'],
    ],
  },
  {
    missed: 'an answer that no odd count can spoil',
    shownBy: [
      [decode, 'is never lost over accounting: %s'],
      ['src/adapters/model/responses/wire-usage.test.ts', 'is what an auditor makes of the raw counts, or nothing'],
    ],
  },
  {
    missed: 'a word about a call that got lost on the way',
    shownBy: [
      [decode, 'does not hide a finished item or an end that cannot be read'],
      [client, 'of a lost item are seen'],
    ],
  },
  {
    missed: 'totals that go on where a server counts nothing',
    shownBy: [
      ['test/cost/cost.test.ts', 'an answer that no provider counted is estimated, marked, and has a cost'],
      ['test/threads/uncounted-cost.test.ts', 'in a thread without any count, nothing is zero'],
    ],
  },
  {
    missed: 'behaviour that depends on what a server can do, and not on its name',
    shownBy: [
      ['src/adapters/model/responses/capabilities.test.ts', 'a name alone'],
      ['src/adapters/model/responses/capabilities.test.ts', 'one that says so'],
    ],
  },
  {
    missed: 'the window that a model has where it runs, also after a change of provider, and with a key',
    shownBy: [
      ['test/providers/server-windows.test.ts', 'the first turn at %s knows the window of the server'],
      ['test/providers/server-windows.test.ts', 'what one provider says of a model is not said of another one’s'],
      ['test/commands/models.test.ts', 'keeps the list of a key apart from those of logins'],
      [
        'test/providers/models-etag.test.ts',
        'an answer that names another state of the list lets Capstan read it again, for the next turn',
      ],
      ['src/adapters/gather/model-catalogue-file.test.ts', 'a notice says how to describe an unknown model'],
    ],
  },
  {
    missed: 'query parameters that arrive as they were meant, in their order',
    shownBy: [['src/adapters/model/http/network/target.test.ts', '%s with %j']],
  },
  {
    missed: 'a way back from HTTP to the WebSocket, and another model where one is down',
    shownBy: [
      [
        'test/formats/socket-fallback.test.ts',
        'it is tried again after a while, beside a request, and used when it is there',
      ],
      ['test/cost/fallback.test.ts', 'another provider in another format continues'],
    ],
  },
  {
    missed: 'an end of waiting for a server that cannot be reached',
    shownBy: [
      [client, 'of connecting to this machine are final at once, unless the configuration says how often to try'],
      [client, 'come to an end'],
    ],
  },
  {
    missed: 'a limit on the length of answers, a temperature, stop words',
    shownBy: [
      ['test/cost/limits.test.ts', 'an answer that ends at the limit ends the turn with it'],
      ['test/formats/sampling.test.ts', 'sends what the provider and the model are configured with, and replays it'],
    ],
  },
  {
    missed: 'what it costs, with what was cached at its own price',
    shownBy: [
      ['test/cost/cost.test.ts', 'a thread counts what its answers cost, and its file says so again'],
      ['test/envelope/price.test.ts', 'each sort of token at its price'],
    ],
  },
  {
    missed: 'a warning of another model than the one that was asked, which claims no cause',
    shownBy: [
      [
        'test/providers/other-model.test.ts',
        'a server that names another model in a header is reported once per thread and model',
      ],
      ['test/providers/other-model.test.ts', 'claims no cause, and an odd name says nothing'],
    ],
  },
  {
    missed: 'a word to the user about pictures and recordings that the model does not get',
    shownBy: [
      [
        'test/context/left-out-media.test.ts',
        'the user learns of pictures that the model does not get: once in a turn, and of each of them once',
      ],
      ['test/context/left-out-media.test.ts', 'a recording is left out as well'],
    ],
  },
];

/** Gaps that are still open, by their rows in test/gaps.md. */
export const openGaps: readonly string[] = ['Arguments of a call cannot be shown while they arrive'];
