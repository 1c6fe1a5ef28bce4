import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { responsesEncoder } from '../../src/adapters/model/responses/encode.ts';
import type { RequestOptions } from '../../src/ports/model.ts';
import type { TurnId } from '../../src/protocol/ids.ts';
import { planRequest, promptFor } from '../../src/core/state/plan-request.ts';
import type { RequestRecord } from '../../src/core/state/request-record.ts';
import { emptyThreadState, type ThreadState } from '../../src/core/state/thread-state.ts';

/** Two values for each option: often enough two requests have the same. */
const options: fc.Arbitrary<RequestOptions> = fc.record(
  {
    model: fc.constantFrom('one', 'other'),
    effort: fc.constantFrom('low', 'high'),
    summary: fc.constantFrom('auto', 'concise'),
    verbosity: fc.constantFrom('low', 'high'),
    serviceTier: fc.constantFrom('priority', 'flex'),
    outputSchema: fc.constantFrom({ type: 'object' }, { type: 'array' }),
    cyberAccessProgram: fc.constantFrom('standard', 'trusted'),
    toolChoice: fc.constant('none' as const),
    form: fc.constant('compact' as const),
    parallelToolCalls: fc.boolean(),
    cacheKey: fc.constantFrom('a', 'b'),
    labels: fc.constantFrom<Readonly<Record<string, string>>>({}, { turn_id: 't' }),
  },
  { requiredKeys: ['model', 'parallelToolCalls', 'cacheKey', 'labels'] },
);
/** One option of a request becomes another, or goes: that alone. */
const changed = fc
  .tuple(options, options, fc.constantFrom(...optionNames()))
  .map(([before, other, name]): readonly [RequestOptions, RequestOptions] => {
    const { [name]: _old, ...rest } = before;
    const now = other[name] === undefined ? rest : { ...rest, [name]: other[name] };
    const required = { model: before.model, parallelToolCalls: before.parallelToolCalls };
    return [before, { ...required, cacheKey: before.cacheKey, labels: before.labels, ...now } as RequestOptions];
  });

function optionNames(): readonly (keyof RequestOptions)[] {
  const behind = ['verbosity', 'outputSchema', 'toolChoice', 'form', 'labels'] as const;
  return [...behind, 'model', 'effort', 'summary', 'serviceTier', 'cyberAccessProgram', 'cacheKey'];
}

describe('the prefix guard', () => {
  it('names a setting exactly when the bytes before the end of the input differ', () => {
    const encoder = responsesEncoder();
    const bytes = (state: ThreadState, record: RequestRecord): string => {
      const text = Buffer.concat(encoder.body(promptFor(state, record))).toString('utf8');
      return text.slice(0, text.indexOf('"input":['));
    };
    const asked = { turnId: 't' as TurnId, step: 0, encoder: encoder.version, modalities: ['text'] };
    fc.assert(
      fc.property(fc.oneof(changed, fc.tuple(options, options)), ([then, now]) => {
        const before = planRequest(emptyThreadState, { ...asked, options: then }, []).record;
        const state: ThreadState = {
          ...emptyThreadState,
          toolSets: new Map([[before.toolSet, []]]),
          sent: { kind: 'request', record: before, history: emptyThreadState.history },
        };
        const { record, prefix } = planRequest(state, { ...asked, options: now }, []);
        expect(prefix!.breaks.length === 0).toBe(bytes(state, before) === bytes(state, record));
      }),
      { numRuns: 500 },
    );
  });
});
