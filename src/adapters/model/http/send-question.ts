import { type AnswerLimits, defaultAnswerLimits } from '../../../core/config/defaults.ts';
import type { ModelFailure, ModelRequest, ProviderCapabilities } from '../../../ports/model.ts';
import type { Clock } from '../../../ports/system.ts';
import { valueOrAbort } from '../../../protocol/abort.ts';
import { isHeaderValue } from '../../../protocol/http.ts';
import type { EnvironmentVariables } from '../../../protocol/shell.ts';
import type { HttpWire } from './answer-decoder.ts';
import type { Credentials, CredentialsWanted, HeaderSources, ProviderOptions } from './credentials-and-headers.ts';
import { keyAdvice, requestSecrets, wireHeaders } from './credentials-and-headers.ts';
import { abortedFailure } from './failures/answer-failure.ts';
import { failed, modelFailure, withoutSecrets } from './failures/model-failure.ts';
import { endpointTarget, type RequestTarget } from './network/destination.ts';
import type { SendHttpRequest } from './network/exchange.ts';
import { type AwaitedRequest, type FailedAnswer, type OpenAnswer, openAnswer } from './open-answer.ts';

export interface HttpClientOptions {
  readonly provider: ProviderOptions;
  /** Absent: only what every server can do. */
  readonly capabilities?: Pick<ProviderCapabilities, 'requestCompression'>;
  /** Called before every request. If it rejects, nothing is sent and the reason is not shown: it may hold a secret. */
  readonly credentials: (wanted: CredentialsWanted) => Promise<Credentials>;
  readonly environment: EnvironmentVariables;
  readonly limits?: AnswerLimits;
  readonly clock: Clock;
  /** A number in [0, 1) to spread retries. */
  readonly random: () => number;
  /** Connections shared with other clients. Absent: the client has its own. */
  readonly sendTo?: (target: RequestTarget) => SendHttpRequest;
}

export interface ProviderConnection {
  readonly wire: HttpWire;
  readonly options: HttpClientOptions;
  readonly sendTo: (target: RequestTarget) => SendHttpRequest;
}

export const answerLimits = (
  { limits = defaultAnswerLimits }: Pick<HttpClientOptions, 'limits'>,
  { maxBytes }: Pick<ModelRequest, 'maxBytes'>,
): AnswerLimits => (maxBytes === undefined ? limits : { ...limits, maxBytes: Math.min(limits.maxBytes, maxBytes) });

export type ModelSendOptions = Pick<AwaitedRequest, 'wants' | 'idleMs' | 'signal'> & { readonly endpoint: string };
/** `hide` removes the secrets of the request from a failure, before any caller sees it. */
export interface SentModelRequest {
  readonly opened: OpenAnswer | FailedAnswer;
  readonly hide: (failure: ModelFailure) => ModelFailure;
}

/** Enough for credentials that another program has renewed meanwhile, and for those renewed for this request. */
const mostRenewals = 2;

/** Sends the request and waits for the head of the answer. Refused credentials are replaced by others, if any. */
export async function sendModelRequest(
  connection: ProviderConnection,
  request: ModelRequest,
  question: ModelSendOptions,
): Promise<SentModelRequest> {
  const { signal } = question;
  let credentials = await usableCredentials(connection.options, { signal });
  for (let renewals = 0; ; renewals++) {
    if (credentials.kind === 'failed') return { opened: credentials, hide: (failure) => failure };
    const asked = await askAs(credentials, connection, request, question);
    const isRefused = asked.opened.kind === 'failed' && asked.opened.failure.status === 401;
    if (!isRefused || credentials.kind !== 'bearer' || credentials.renewable !== true) return asked;
    if (renewals === mostRenewals) return asked;
    const { token } = credentials;
    credentials = await usableCredentials(connection.options, { signal, rejected: token });
    if (credentials.kind === 'bearer' && credentials.token === token) return asked;
  }
}

export function prepareRequest(
  { wire, options }: Pick<ProviderConnection, 'wire' | 'options'>,
  { request, credentials, endpoint, wants }: Addressing,
) {
  const { provider } = options;
  const { baseUrl = provider.baseUrl } = 'baseUrl' in credentials ? credentials : provider;
  const target = endpointTarget({ ...provider, baseUrl }, endpoint);
  const identify = (known: Credentials) => wire.identify(known, request);
  const sources = { ...options, identify, request: request.headers, credentials, wants };
  const secrets = requestSecrets(sources);
  const hide = (failure: ModelFailure): ModelFailure => withoutSecrets(failure, secrets);
  return { target, headers: wireHeaders(sources), hide };
}

interface Addressing extends Pick<HeaderSources, 'wants'>, Pick<ModelSendOptions, 'endpoint'> {
  readonly request: Pick<ModelRequest, 'headers' | 'routing'>;
  readonly credentials: Usable;
}

async function askAs(
  credentials: Usable,
  { wire, options, sendTo }: ProviderConnection,
  request: ModelRequest,
  { endpoint, ...question }: ModelSendOptions,
): Promise<SentModelRequest> {
  const { provider } = options;
  const about = { request, credentials, endpoint, wants: question.wants };
  const { target, headers, hide } = prepareRequest({ wire, options }, about);
  if (target === undefined) {
    const message = `The base URL of ${provider.name} is not an http or https address.`;
    const next = 'Correct base_url in the settings of the provider.';
    return { opened: failed(modelFailure({ cause: 'request', message, next })), hide };
  }
  const { after, onSent } = request;
  const { body, headers: packed } = await wireBody(request.body, options.capabilities ?? {}, credentials);
  const opened = await openAnswer(
    { ...options, send: sendTo(target), origin: target.origin, api: wire.api },
    {
      ...question,
      headers: { ...headers, ...packed },
      body,
      after,
      onSent,
      keyAdvice: keyAdvice(provider, credentials),
      onRetry: (retry) => request.onRetry?.({ ...retry, failure: hide(retry.failure) }),
    },
  );
  return { opened, hide };
}

type Usable = Exclude<Credentials, { kind: 'missing' }>;

export async function usableCredentials(
  options: HttpClientOptions,
  wanted: CredentialsWanted,
): Promise<Usable | FailedAnswer> {
  const credentials = await valueOrAbort(askCredentials(options, wanted), wanted.signal, undefined);
  if (credentials === undefined) return failed(abortedFailure());
  if (credentials.kind === 'missing') {
    const { message, next, passing = false } = credentials;
    return failed(modelFailure({ cause: passing ? 'connection' : 'no-key', message, next }));
  }
  if (credentials.kind === 'bearer' && !isHeaderValue(credentials.token)) {
    const message = `The key for ${options.provider.name} contains characters that are not allowed in a key.`;
    return failed(modelFailure({ cause: 'no-key', message }));
  }
  return credentials;
}

export async function askCredentials(
  { provider, credentials }: HttpClientOptions,
  wanted: CredentialsWanted,
): Promise<Credentials> {
  try {
    return await credentials(wanted);
  } catch {
    const message = `The credentials for ${provider.name} could not be read.`;
    return { kind: 'missing', message, next: 'Check how the key of this provider is stored, or sign in again.' };
  }
}

const level = 3;

/** Compressed once for all attempts, where the provider accepts that from an account. Records keep the plain body. */
async function wireBody(
  body: readonly Uint8Array[],
  { requestCompression }: Pick<ProviderCapabilities, 'requestCompression'>,
  credentials: Credentials,
): Promise<Pick<AwaitedRequest, 'body' | 'headers'>> {
  const isAccount = credentials.kind === 'bearer' && credentials.mode === 'chatgpt';
  if (requestCompression !== 'zstd' || !isAccount) return { body, headers: {} };
  const zlib = process.getBuiltinModule('node:zlib');
  const params = { [zlib.constants.ZSTD_c_compressionLevel]: level };
  const compress = process.getBuiltinModule('node:util').promisify(zlib.zstdCompress);
  return { body: [await compress(Buffer.concat(body), { params })], headers: { 'content-encoding': 'zstd' } };
}
