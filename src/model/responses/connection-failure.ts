import type { ModelFailure } from '../../ports/model-client.ts';
import { modelFailure } from './failure.ts';

/** Node's and OpenSSL's names for a peer that cannot prove who it is. Trying again changes nothing. */
const certificateProblem = /^(CERT_|ERR_TLS_|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED_|UNABLE_TO_(GET|VERIFY)|ERR_SSL_)/;

/** No answer came at all. `origin` is where the request went; `code` is what Node calls the problem. */
export function connectionFailure(origin: string, code: string): ModelFailure {
  if (certificateProblem.test(code)) {
    return modelFailure({
      code: 'connection-failed',
      message: `The connection to ${origin} is not secure (${code}).`,
      next: 'Check the base URL; for a private authority, name its certificate in NODE_EXTRA_CA_CERTS.',
      retry: 'never',
    });
  }
  return modelFailure({ code: 'connection-failed', message: `No answer from ${origin} (${code}).`, retry: {} });
}

export function cutFailure(code: string): ModelFailure {
  return modelFailure({
    code: 'stream-cut',
    message: `The connection ended before the answer was complete (${code}).`,
    retry: {},
  });
}

export function idleFailure(idleMs: number): ModelFailure {
  return modelFailure({
    code: 'stream-idle',
    message: `The provider sent nothing for ${idleMs / 1000} seconds.`,
    retry: {},
  });
}

export function abortedFailure(): ModelFailure {
  return modelFailure({ code: 'aborted', message: 'The request was stopped.', retry: 'never' });
}
