import type { ModelFailure } from '../../ports/model-client.ts';
import { type FailureDraft, modelFailure } from './failure.ts';

/** With whom a connection was to be made. */
export interface Peer {
  /** Its address as it may be shown, and what it is. */
  readonly shown: string;
  /** Where the user finds and corrects the address. */
  readonly setting: string;
}

/** No answer came at all. `given` is what Node calls the problem. */
export function connectionFailure(peer: Peer, given: string): ModelFailure {
  // A peer without TLS has a name of OpenSSL's or of the system's, by whether we read or wrote first. One is enough.
  const code = given.startsWith('ERR_SSL_') && !certificateProblem.test(given) ? 'EPROTO' : given;
  const { message, ...rest } = kindOf(peer, code);
  return modelFailure({ code: 'connection-failed', message: `${message} (${code}).`, ...rest });
}

/** Node's and OpenSSL's names for a peer that cannot prove who it is. Trying again changes nothing. */
const certificateProblem =
  /^(CERT_|ERR_TLS_|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED_|UNABLE_TO_(GET|VERIFY)|ERR_SSL_\w*(CERT|_CA_|ALERT))/;

function kindOf({ shown, setting }: Peer, code: string): Omit<FailureDraft, 'code'> {
  if (certificateProblem.test(code)) {
    return {
      message: `The connection to ${shown} is not secure`,
      next: `Check ${setting}; for a private authority, name the file with its certificate in CODEX_CA_CERTIFICATE.`,
      retry: 'never',
    };
  }
  if (code === 'EPROTO') {
    return {
      message: `What answers at ${shown} does not speak TLS as it should`,
      next: `Check ${setting}: a server without TLS needs http:// instead of https://.`,
      retry: 'never',
    };
  }
  if (code.startsWith('HPE_')) {
    return {
      message: `What answers at ${shown} does not speak HTTP`,
      next: `Check the port in ${setting}, and whether it must begin with https://.`,
      retry: {},
    };
  }
  if (code === 'ECONNREFUSED') {
    return {
      message: `Nothing listens at ${shown}: the connection was refused`,
      next: `Start the server, or correct ${setting}.`,
      retry: {},
    };
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return {
      message: `The host in ${shown} could not be found`,
      next: `Check the spelling of ${setting}, and the network.`,
      retry: {},
    };
  }
  return { message: `No answer from ${shown}`, next: `Check the network and ${setting}.`, retry: {} };
}

export function cutFailure(code: string): ModelFailure {
  return modelFailure({
    code: 'stream-cut',
    message: `The connection ended before the answer was complete (${code}).`,
    retry: {},
  });
}

/** The answer began and ended like a stream, without one event in it. */
export function emptyFailure(contentType: string | undefined, api: string): ModelFailure {
  const type = contentType === undefined ? 'without a content type' : `of type ${contentType}`;
  return modelFailure({
    code: 'server-error',
    message: `The provider sent an answer ${type} in which there is no event.`,
    next: `Check that the base URL of the provider leads to the ${api}; if it does, send again.`,
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
