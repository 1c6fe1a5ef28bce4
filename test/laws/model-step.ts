import {
  answer,
  cutAfter,
  failed,
  hang,
  httpError,
  malformed,
  overflow,
  say,
  type ScriptedUsage,
  type ScriptStep,
} from '../../src/testing/index.ts';
import type { ModelStep } from './random-turns.ts';

/** The scripted answer to a request of a turn. */
export function stepFor(step: ModelStep | undefined, usage: ScriptedUsage, interrupt: () => void): ScriptStep {
  if (step === undefined) return answer({ items: [say('Done.')], usage });
  const plain = answer({ items: step.items, usage });
  switch (step.fault) {
    case 'none':
      return plain;
    case 'cut':
      return cutAfter({ bytes: 400, of: plain });
    case 'failed':
      return failed({ code: 'server_error', message: 'It broke.', items: step.items });
    case 'malformed':
      return malformed({ of: plain });
    case 'status':
      return httpError({ status: 400, body: { error: { message: 'no' } } });
    case 'quota':
      return httpError({ status: 429, body: { error: { message: 'No credit.', code: 'insufficient_quota' } } });
    case 'overflow':
      return overflow('failed');
    case 'interrupt':
      setTimeout(interrupt, 1);
      return hang({ afterBytes: 300, of: plain });
  }
}
