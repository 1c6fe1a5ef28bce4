import { overrideList } from '../../src/adapters/gather/config/config-layers.ts';
import { expect } from 'vitest';
import type { EngineOptions, ThreadRequest } from '../../src/index.ts';
import type { Script, ScriptedModelOptions } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { rebuiltRequests } from '../laws/prefix-law.ts';
import { type Format, type Said, speaking } from './formats.ts';

/** A thread at a scripted model that speaks one of the formats. */
export class FormatThread {
  readonly live: LiveThread;
  readonly format: Format;

  private constructor(live: LiveThread, format: Format) {
    this.live = live;
    this.format = format;
  }

  static async in(
    format: Format,
    script: Script,
    { config = '', model = {} }: { readonly config?: string; readonly model?: ScriptedModelOptions } = {},
  ): Promise<FormatThread> {
    return new FormatThread(await LiveThread.in(script, config, model), format);
  }

  /** Begins the thread, or continues it as another process would. */
  async open(request: Partial<ThreadRequest> = {}, options: Partial<EngineOptions> = {}): Promise<this> {
    const { config: overrides } = speaking(this.format);
    await this.live.open({ ...options, config: [...overrides, ...overrideList(options.config)] }, request);
    return this;
  }

  /** The messages of a request. */
  said(request: number): readonly Said[] {
    return this.format.said(this.live.model.requests[request]!.body);
  }

  /** The messages of a request that the one before it does not have. */
  added(request: number): readonly Said[] {
    return this.said(request).slice(request === 0 ? 0 : this.said(request - 1).length);
  }
}

/**
 * Checks the rules that hold for every run: every request that was posted can be rebuilt from the file, byte by byte,
 * and each begins with the one before it, save where the record says what broke it.
 */
export async function checkThread({ live, format }: FormatThread): Promise<void> {
  await live.close();
  // Large tool sets are beside the file.
  const { lines } = await (await live.engine()).stored.read(live.id);
  const rebuilt = await rebuiltRequests(lines);
  const plain = format.plain ?? ((body: string) => body);
  const posted = live.model.requests.map(({ bytes }) => bytes.toString('utf8'));
  for (const body of posted) expect(rebuilt.map((each) => each.body)).toContain(body);
  const steps = rebuilt
    .filter(({ auxiliary }) => !auxiliary)
    .map(({ body, breaks }) => ({ body: plain(body), breaks }));
  if (format.isSocket) expect(live.model.frames.length).toBeGreaterThanOrEqual(steps.length);
  expect(live.model.requests.flatMap(({ body }) => format.broken?.(body) ?? [])).toEqual([]);
  for (const [index, { body, breaks }] of steps.entries()) {
    const before = steps[index - 1]?.body;
    if (before === undefined || breaks.length > 0) continue;
    expect(body.startsWith(format.kept(before)), `request ${index} does not extend the one before`).toBe(true);
  }
}
