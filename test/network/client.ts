import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { providerDefaults } from '../../src/core/config/providers/provider-config.ts';
import type { ProviderOptions } from '../../src/adapters/model/http/credentials-and-headers.ts';
import { responsesClient } from '../../src/adapters/model/responses/client.ts';
import type { ModelClient, ModelFailure } from '../../src/ports/model.ts';
import { answer, say, type ScriptedModel, startScriptedModel } from '../../src/testing/index.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';

/** A host that only a proxy can find. */
export const far = 'models.example.invalid';

export interface StartedModel {
  readonly model: ScriptedModel;
  readonly port: number;
  /** Its base URL under another name. */
  readonly at: (origin: string) => string;
}

/** A model that always answers. */
export async function startModel(): Promise<StartedModel> {
  const model = await startScriptedModel(() => answer({ items: [say('Hello.')] }));
  whenTestEnds(() => model.close());
  const { port, pathname } = new URL(model.url);
  return { model, port: Number(port), at: (origin) => `${origin}${pathname}` };
}

export type Variables = Readonly<Record<string, string>>;

export function clientAt(baseUrl: string, environment: Variables, more: Partial<ProviderOptions> = {}): ModelClient {
  return responsesClient({
    credentials: () => Promise.resolve({ kind: 'none' }),
    environment,
    clock: { now: () => 0, sleep: () => Promise.resolve() },
    random: () => 0.5,
    provider: { ...providerDefaults, id: 'p', name: 'Some Place', baseUrl, requestMaxRetries: 1, ...more },
  });
}

/** `answered`, or why there is no answer. */
export async function ask(
  client: ModelClient,
  signal: AbortSignal = new AbortController().signal,
): Promise<'answered' | ModelFailure> {
  for await (const event of client.stream({ body: [Buffer.from('{"model":"m"}')], headers: {} }, signal)) {
    if (event.kind === 'failed') return event.failure;
  }
  return 'answered';
}

/** A file for one test. */
export function fileWith(content: string | Buffer): string {
  const folder = mkdtempSync(join(tmpdir(), 'capstan-network-'));
  whenTestEnds(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'file.pem'), content);
  return join(folder, 'file.pem');
}
