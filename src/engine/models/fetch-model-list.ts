import { providerAddress, type ProviderConfig } from '../../core/config/providers/provider-config.ts';
import { isFromSameServer, type KeptModels } from '../../adapters/gather/provider-models.ts';
import { apiKeyHeaders } from '../../adapters/model/anthropic/client.ts';
import { providerCredentials } from '../../adapters/model/http/auth/provider-credentials.ts';
import type { Credentials, HeaderSources } from '../../adapters/model/http/credentials-and-headers.ts';
import { authModeOf, requestSecrets, wireHeaders } from '../../adapters/model/http/credentials-and-headers.ts';
import { askServerModels, createServerQuestions, type ServerModels } from '../../adapters/model/server-models.ts';
import { accountHeaders } from '../../adapters/model/responses/client.ts';
import type { EngineParts } from '../engine-parts.ts';

export interface ModelListQuery {
  readonly provider: ProviderConfig;
  /** The model to ask about. Absent: all. */
  readonly model?: string;
  readonly known?: Pick<KeptModels, 'etag' | 'from'>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export type AskingParts = Pick<
  EngineParts,
  'options' | 'clock' | 'sendTo' | 'logins' | 'requests' | 'programs' | 'programFolder'
>;

/** The address of a provider's requests under the present login. Asks no server and runs no program. */
export async function providerRequestAddress(engine: AskingParts, provider: ProviderConfig): Promise<string> {
  if (provider.login?.baseUrl === undefined || provider.tokenCommand !== undefined) return providerAddress(provider);
  const credentials = await credentialsAsIs(engine, provider, new AbortController().signal);
  return providerAddress({ baseUrl: urlUnder(credentials, provider) });
}

function credentialsAsIs(engine: AskingParts, provider: ProviderConfig, signal: AbortSignal): Promise<Credentials> {
  const { logins, requests, programs, programFolder, clock } = engine;
  const { env: environment } = engine.options;
  const sources = { environment, logins, requests, programs, programFolder, now: () => clock.now() };
  return providerCredentials(provider, sources)({ signal, asIs: true }).catch(() => ({ kind: 'none' }) as const);
}

const urlUnder = (credentials: Credentials, { baseUrl }: ProviderConfig): string =>
  ('baseUrl' in credentials ? credentials.baseUrl : undefined) ?? baseUrl;

/** `from`: the kind of key and the address. Absent: no server was asked. */
export type AskedModels = ServerModels & { readonly from?: string };

/** Asks a provider for its models with the key, headers and proxies of its other requests. Never rejects. */
export async function askServerForModels(engine: AskingParts, question: ModelListQuery): Promise<AskedModels> {
  const { provider, model, known, timeoutMs, signal } = question;
  const credentials = await credentialsAsIs(engine, provider, signal);
  // A provider would refuse the question without its key.
  if (credentials.kind === 'missing')
    return { kind: 'unknown', why: { message: credentials.message, next: credentials.next } };
  if (signal.aborted) return { kind: 'unknown' };
  const sent: HeaderSources = {
    provider,
    environment: engine.options.env,
    request: {},
    identify: provider.wireApi === 'anthropic' ? apiKeyHeaders : accountHeaders,
    credentials,
    wants: 'json',
  };
  const baseUrl = urlUnder(credentials, provider);
  const from = `${authModeOf(credentials)} ${providerAddress({ baseUrl })}`;
  // An etag counts only for the kind of key and the address that its list came from.
  const etag = isFromSameServer(known, from) ? known?.etag : undefined;
  const [headers, secrets] = [wireHeaders(sent), requestSecrets(sent)];
  const asked = { provider: { ...provider, baseUrl }, headers, secrets, timeoutMs, signal, model, etag };
  return { ...(await askServerModels(createServerQuestions(engine.sendTo), asked)), from };
}
