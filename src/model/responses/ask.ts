import type { Clock } from '../../ports/clock.ts';
import type { ModelFailure, ModelRequest } from '../../ports/model-client.ts';
import { abortedFailure } from './connection-failure.ts';
import type { Send } from './exchange.ts';
import { modelFailure, withoutSecrets } from './failure.ts';
import { openAnswer } from './open-answer.ts';
import type { Asking, OpenedAnswer } from './open-answer.ts';
import { keyAdvice } from './provider.ts';
import type { Credentials, Environment, ProviderOptions } from './provider.ts';
import { isHeaderValue, requestHeaders, secretsOf } from './request-headers.ts';
import { targetOf } from './target.ts';
import type { Target } from './target.ts';

export interface ResponsesClientOptions {
  readonly provider: ProviderOptions;
  /** Asked before every request. When it rejects, no request is sent and the reason is not shown: it may hold a secret. */
  readonly credentials: () => Promise<Credentials>;
  /** Where the variables of `envHttpHeaders` are looked up. */
  readonly environment: Environment;
  readonly clock: Clock;
  /** A number from 0 up to but not including 1: spreads the retries. */
  readonly random: () => number;
}

/** The provider's options and its open connections. */
export interface Connection {
  readonly options: ResponsesClientOptions;
  readonly sendTo: (target: Target) => Send;
}

/** Which endpoint is asked, and how patiently. */
export type Question = Pick<Asking, 'wants' | 'idleMs' | 'signal'> & { readonly endpoint: string };

/** `hide` takes the secrets of the request out of a failure. Every failure goes through it before anybody sees it. */
export type Asked = { readonly opened: OpenedAnswer; readonly hide: (failure: ModelFailure) => ModelFailure };

/** Identifies us, sends the request and waits for the head of the answer. */
export async function ask(
  { options, sendTo }: Connection,
  request: ModelRequest,
  { endpoint, ...question }: Question,
): Promise<Asked> {
  const { provider } = options;
  const credentials = await usableCredentials(options, question.signal);
  if (credentials.kind === 'failed') return { opened: credentials, hide: (failure) => failure };
  const { baseUrl = provider.baseUrl } = 'baseUrl' in credentials ? credentials : provider;
  const target = targetOf({ ...provider, baseUrl }, endpoint);
  const sources = { ...options, request: request.headers, credentials, wants: question.wants };
  const secrets = secretsOf(sources);
  const hide = (failure: ModelFailure): ModelFailure => withoutSecrets(failure, secrets);
  if (target === undefined) return { opened: failed(badAddress(provider)), hide };
  const { body, after, onSent } = request;
  const opened = await openAnswer(
    { ...options, send: sendTo(target), origin: target.origin },
    { ...question, headers: requestHeaders(sources), body, after, onSent, keyAdvice: keyAdvice(provider, credentials) },
  );
  return { opened, hide };
}

type Usable = Exclude<Credentials, { kind: 'missing' }>;
type Failed = Extract<OpenedAnswer, { kind: 'failed' }>;

async function usableCredentials(options: ResponsesClientOptions, signal: AbortSignal): Promise<Usable | Failed> {
  const credentials = await beforeAbort(askCredentials(options), signal);
  if (credentials === undefined) return failed(abortedFailure());
  if (credentials.kind === 'missing') {
    return failed(modelFailure({ ...credentials, code: 'unauthorized', retry: 'never' }));
  }
  if (credentials.kind === 'bearer' && !isHeaderValue(credentials.token)) {
    const message = `The key for ${options.provider.name} holds characters that no key can have.`;
    return failed(modelFailure({ code: 'unauthorized', message, retry: 'never' }));
  }
  return credentials;
}

export async function askCredentials({ provider, credentials }: ResponsesClientOptions): Promise<Credentials> {
  try {
    return await credentials();
  } catch {
    return {
      kind: 'missing',
      message: `The credentials for ${provider.name} could not be read.`,
      next: 'Check how the key of this provider is stored, or sign in again.',
    };
  }
}

/** The value, or undefined as soon as the signal aborts. */
async function beforeAbort<Value>(value: Promise<Value>, signal: AbortSignal): Promise<Value | undefined> {
  if (signal.aborted) return undefined;
  const stop = Promise.withResolvers<undefined>();
  const onAbort = (): void => stop.resolve(undefined);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([value, stop.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function badAddress(provider: ProviderOptions): ModelFailure {
  return modelFailure({
    code: 'invalid-request',
    message: `The base URL of ${provider.name} is not an http or https address.`,
    next: 'Correct base_url in the settings of the provider.',
    retry: 'never',
  });
}

function failed(failure: ModelFailure): Failed {
  return { kind: 'failed', failure };
}
