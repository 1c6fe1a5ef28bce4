import type { ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { httpError } from './script.ts';
import type { AnswerOptions, CompactedStep, ExchangeEnd, HttpErrorStep, ScriptStep, StreamStep } from './script.ts';
import { type StreamContext, renderStream, type WireRenderer } from './wire-renderer.ts';

export type StepClient = { readonly renderer: WireRenderer; readonly context: StreamContext };

/** Plays one step to the client. Resolves with how the exchange ended. */
export async function performStep(
  step: ScriptStep,
  response: ServerResponse,
  audience: StepClient,
): Promise<ExchangeEnd> {
  const gone = new AbortController();
  const closed = new Promise((resolve) => gone.signal.addEventListener('abort', resolve));
  response.once('close', () => gone.abort());
  // A client that leaves while bytes are on their way is no fault of the script.
  response.on('error', () => undefined);
  if (response.destroyed) return 'client-left';
  const stage: Stage = { ...audience, response, gone: gone.signal };
  switch (step.kind) {
    case 'http-error':
      writeError(step, response);
      break;
    case 'cut':
      await play(step.of, { bytes: step.bytes }, stage);
      if (gone.signal.aborted) return 'client-left';
      response.destroy();
      return 'cut';
    case 'hang':
      await play(step.of, { bytes: step.afterBytes }, stage);
      break;
    default:
      await play(step.kind === 'socket-fault' ? step.of : step, 'whole', stage);
  }
  await closed;
  return response.writableFinished ? 'answered' : 'client-left';
}

type Stage = StepClient & { readonly response: ServerResponse; readonly gone: AbortSignal };

/** Sends a body, or its first bytes without an end. Resolves when the operating system has them. */
async function play(
  step: StreamStep | CompactedStep,
  extent: 'whole' | { readonly bytes: number },
  { response, gone, renderer, context }: Stage,
): Promise<void> {
  const { delayMs = 0, firstByteDelayMs = 0, chunkBytes, headers = {} } = pauseBetweenPieces(step);
  const bytes = extent === 'whole' ? Number.POSITIVE_INFINITY : extent.bytes;
  await pause(firstByteDelayMs, gone);
  if (bytes <= 0 || gone.aborted) return;
  if (step.kind === 'compacted' && renderer.whole === undefined) return writeError(noSuchEndpoint, response);
  const contentType = step.kind === 'compacted' ? 'application/json' : 'text/event-stream';
  response.writeHead(200, { 'content-type': contentType, 'cache-control': 'no-cache', ...headers });
  const body = step.kind === 'compacted' ? [renderer.whole!(step, context)] : renderStream(renderer, step, context);
  const events = firstBytes(body, bytes);
  // Without pauses, event borders are not visible on the wire, and a chunk may contain several.
  const bursts = delayMs > 0 ? events : [Buffer.concat(events)];
  for (const [index, burst] of bursts.entries()) {
    if (index > 0) await pause(delayMs, gone);
    if (gone.aborted) return;
    const writes = splitBytes(burst, chunkBytes).map((piece) => written(response, piece));
    // In the same tick as the last bytes, so that the end travels with them, as from most servers.
    if (extent === 'whole' && index === bursts.length - 1) response.end();
    await Promise.all(writes);
  }
}

export const noSuchEndpoint = httpError({
  status: 500,
  body: { error: { message: 'This wire format has no endpoint that makes checkpoints.', code: 'script_unfit' } },
});

export const pauseBetweenPieces = (step: ScriptStep): Partial<AnswerOptions> =>
  step.kind === 'answer' ? step : step.kind === 'malformed' ? step.of : {};

function firstBytes(events: readonly Buffer[], bytes: number): readonly Buffer[] {
  let left = bytes;
  return events.flatMap((event) => {
    const part = event.subarray(0, Math.max(0, left));
    left -= part.length;
    return part.length === 0 ? [] : [part];
  });
}

export function splitBytes(burst: Buffer, size: number | undefined): readonly Buffer[] {
  if (size === undefined) return [burst];
  const count = Math.ceil(burst.length / size);
  return Array.from({ length: count }, (_, index) => burst.subarray(index * size, (index + 1) * size));
}

/** Also resolves when the connection is gone and the bytes are lost. */
const written = (response: ServerResponse, bytes: Buffer): Promise<void> =>
  new Promise((resolve) => void response.write(bytes, () => resolve()));

function writeError(step: HttpErrorStep, response: ServerResponse): void {
  const isText = typeof step.body === 'string';
  const body = Buffer.from(isText ? (step.body as string) : JSON.stringify(step.body));
  response.writeHead(step.status, {
    'content-type': isText ? 'text/plain; charset=utf-8' : 'application/json',
    'content-length': body.length,
    ...step.headers,
  });
  response.end(body);
}

export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (milliseconds > 0) await setTimeout(milliseconds, undefined, { signal }).catch(() => undefined);
}
