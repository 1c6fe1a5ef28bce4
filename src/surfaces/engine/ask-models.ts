import type { ProviderConfig } from '../../config/providers.ts';
import { identifyByKey } from '../../model/anthropic/client.ts';
import { providerCredentials } from '../../model/http/auth/credentials.ts';
import { askSmall } from '../../model/http/ask-small.ts';
import { type HeaderSources, secretsOf, wireHeaders } from '../../model/http/request-headers.ts';
import { identify } from '../../model/responses/client.ts';
import { askServerModels, type ServerModels } from '../../model/server-models.ts';
import { defined } from '../../protocol/defined.ts';
import type { EngineParts } from './engine-parts.ts';

export interface ModelsQuestion {
  readonly provider: ProviderConfig;
  /** The one that matters. Absent: all do. */
  readonly model?: string;
  readonly etag?: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Asks a provider for its models as its requests would be sent: with the same key, headers and proxies. Never rejects. */
export async function askModels(
  engine: Pick<EngineParts, 'options' | 'clock' | 'sendTo' | 'logins' | 'requests' | 'programs' | 'programFolder'>,
  { provider, model, etag, timeoutMs, signal }: ModelsQuestion,
): Promise<ServerModels> {
  const { logins, requests, programs, programFolder, clock, sendTo } = engine;
  const { env: environment } = engine.options;
  const sources = { environment, logins, requests, programs, programFolder, now: () => clock.now() };
  const credentials = await providerCredentials(
    provider,
    sources,
  )({ signal, asIs: true }).catch(() => ({ kind: 'none' }) as const);
  // Without its key a provider would refuse the question.
  if (credentials.kind === 'missing') {
    const { message, next } = credentials;
    return { kind: 'unknown', why: { message, next } };
  }
  if (signal.aborted) return { kind: 'unknown' };
  const { baseUrl = provider.baseUrl } = 'baseUrl' in credentials ? credentials : {};
  const sent: HeaderSources = {
    provider,
    environment,
    request: {},
    identify: provider.wireApi === 'anthropic' ? identifyByKey : identify,
    credentials,
    wants: 'json',
  };
  const [headers, secrets] = [wireHeaders(sent), secretsOf(sent)];
  const asked = {
    provider: { ...provider, baseUrl },
    headers,
    secrets,
    timeoutMs,
    signal,
    ...defined({ model, etag }),
  };
  return askServerModels(askSmall(sendTo), asked);
}
