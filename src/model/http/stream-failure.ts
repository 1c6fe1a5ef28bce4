import type { ModelFailure } from '../../ports/model-client.ts';
import { defined } from '../../protocol/defined.ts';
import { type JsonObject, stringAt } from '../../protocol/json.ts';
import { detailOf, modelFailure } from './failure.ts';
import { causeOfSign } from './failure-causes.ts';
import { isOverflowCode, saysOverflow } from './overflow.ts';
import { waitFromMessage } from './retry-hint.ts';

export interface ApiError {
  readonly code: string;
  readonly message: string;
  readonly status?: number | undefined;
  /** The wait that the server asked for outside the message. */
  readonly waitMs?: number | undefined;
}

/** The failure that a code or a type of error stands for, or undefined when it says nothing to us. */
export function failureByCode({ code, message, status, waitMs }: ApiError): ModelFailure | undefined {
  const known = isOverflowCode(code) ? { cause: 'overflow' as const, blank: undefined } : causeOfSign(code);
  if (known === undefined) return undefined;
  const said = detailOf(message) || known.blank;
  const wait = waitMs ?? (known.cause === 'rate-limit' ? waitFromMessage(message) : undefined);
  return modelFailure({ cause: known.cause, ...defined({ message: said }), status, waitMs: wait, words: message });
}

/** A request that does not fit, in the provider's words if it has any. */
export function overflowFailure(message: string): ModelFailure {
  const said = detailOf(message);
  return modelFailure({ cause: 'overflow', ...(said === '' ? {} : { message: said }), words: message });
}

/** Why an answer failed, by the `error` object of the event that says so. */
export function streamFailure(error: JsonObject | undefined): ModelFailure {
  const [code = '', type = '', message = ''] = ['code', 'type', 'message'].map((key) => error && stringAt(error, key));
  const known = failureByCode({ code, message }) ?? failureByCode({ code: type, message });
  if (known !== undefined) return known;
  if (saysOverflow(message)) return overflowFailure(message);
  const name = code === '' ? 'an error' : `the error ${detailOf(code)}`;
  const words = detailOf(message);
  const reported = `The provider reported ${name}${words === '' ? '.' : `: ${words}`}`;
  return modelFailure({ cause: 'server', message: reported });
}
