import { type AnswerLimits, defaultAnswerLimits } from '../../config/defaults.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ProviderCapabilities } from '../../ports/provider.ts';
import type { ModelFailure, ModelRequest } from '../../ports/model-client.ts';
import { beforeAbort } from '../../protocol/before-abort.ts';
import { isHeaderValue } from '../../protocol/header-text.ts';
import { wireBody } from './compressed-body.ts';
import { abortedFailure } from './answer-failure.ts';
import type { Send } from './network/exchange.ts';
import { modelFailure, withoutSecrets } from './failure.ts';
import { type Asking, type FailedAnswer, openAnswer, type OpenedAnswer } from './open-answer.ts';
import type { Variables } from '../../protocol/variables.ts';
import { type Credentials, type CredentialsWanted, keyAdvice, type ProviderOptions } from './credentials.ts';
import type { HttpWire } from './answer-decoder.ts';
import { type HeaderSources, wireHeaders, secretsOf } from './request-headers.ts';
import { type Target, targetOf } from './network/target.ts';

export interface HttpClientOptions {
  readonly provider: ProviderOptions;
  /** Absent: nothing but what every server can do. */
  readonly capabilities?: Pick<ProviderCapabilities, 'requestCompression'>;
  /** Asked before every request. When it rejects, no request is sent and the reason is not shown: it may hold a secret. */
  readonly credentials: (wanted: CredentialsWanted) => Promise<Credentials>;
  /** Where the variables of `envHttpHeaders` are looked up. */
  readonly environment: Variables;
  /** Without it, those of a configuration that says nothing. */
  readonly limits?: AnswerLimits;
  readonly clock: Clock;
  /** A number from 0 up to but not including 1: spreads the retries. */
  readonly random: () => number;
  /** Connections that other clients use as well. Absent: the client has its own. */
  readonly sendTo?: (target: Target) => Send;
}

/** The provider's options, its open connections, and what is spoken over them. */
export interface Connection {
  readonly wire: HttpWire;
  readonly options: HttpClientOptions;
  readonly sendTo: (target: Target) => Send;
}

/** What the answer to this request may bring. */
export function limitsOf(
  { limits = defaultAnswerLimits }: Pick<HttpClientOptions, 'limits'>,
  { maxBytes }: Pick<ModelRequest, 'maxBytes'>,
): AnswerLimits {
  return maxBytes === undefined ? limits : { ...limits, maxBytes: Math.min(limits.maxBytes, maxBytes) };
}

/** Which endpoint is asked, and how patiently. */
export type ModelQuestion = Pick<Asking, 'wants' | 'idleMs' | 'signal'> & { readonly endpoint: string };

/** `hide` takes the secrets of the request out of a failure. Every failure goes through it before a caller sees it. */
export type Asked = { readonly opened: OpenedAnswer; readonly hide: (failure: ModelFailure) => ModelFailure };

/** One that another program renewed meanwhile, and one that is renewed for this. */
const mostRenewals = 2;

/** Sends the request and waits for the head of the answer. Once refused, it is sent with other credentials, if any. */
export async function ask(connection: Connection, request: ModelRequest, question: ModelQuestion): Promise<Asked> {
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

/** Where a request goes, what it says of its sender, and how that is kept out of failures. */
export function addressOf(
  { wire, options }: Pick<Connection, 'wire' | 'options'>,
  { request, credentials, endpoint, wants }: Addressing,
): Pick<Asked, 'hide'> & { readonly target: Target | undefined; readonly headers: Readonly<Record<string, string>> } {
  const { provider } = options;
  const { baseUrl = provider.baseUrl } = 'baseUrl' in credentials ? credentials : provider;
  const target = targetOf({ ...provider, baseUrl }, endpoint);
  const { identify } = wire;
  const sources = {
    ...options,
    identify: (known: Credentials) => identify(known, request),
    request: request.headers,
    credentials,
    wants,
  };
  const secrets = secretsOf(sources);
  return { target, headers: wireHeaders(sources), hide: (failure) => withoutSecrets(failure, secrets) };
}

interface Addressing extends Pick<ModelQuestion, 'endpoint'> {
  readonly request: Pick<ModelRequest, 'headers' | 'routing'>;
  readonly credentials: Usable;
  readonly wants: HeaderSources['wants'];
}

async function askAs(
  credentials: Usable,
  { wire, options, sendTo }: Connection,
  request: ModelRequest,
  { endpoint, ...question }: ModelQuestion,
): Promise<Asked> {
  const { provider } = options;
  const about = { request, credentials, endpoint, wants: question.wants };
  const { target, headers, hide } = addressOf({ wire, options }, about);
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
  const credentials = await beforeAbort(askCredentials(options, wanted), wanted.signal, undefined);
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

function failed(failure: ModelFailure): FailedAnswer {
  return { kind: 'failed', failure };
}
