// The scripted model in a process of its own. It answers with the events of the testing server, and differs from it in
// what it does with a request: it notes the time and throws the body away, because parsing and keeping two hundred
// bodies of a megabyte would cost more than what is measured.
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type StepClient, performStep } from '../../src/testing/perform-step.ts';
import { answer, callTool, httpError, say } from '../../src/testing/script.ts';
import { responsesRenderer } from '../../src/testing/responses-renderer.ts';
import { createIdNumbering } from '../../src/testing/wire-renderer.ts';
import { type Arrival, countedInput, type FromModel, monotonicMs, type Piece, type ToModel } from './piece.ts';

let piece: Piece = { calls: 0, tool: '', arguments: {} };
let arrivals: Arrival[] = [];
let lastBody = '';
let audience = newAudience();
let goOn = Promise.withResolvers<void>();

const server = createServer({ noDelay: true }, (request, response) => {
  if (request.method === 'POST' && /\/responses(\?|$)/.test(request.url ?? '')) listen(request, response);
  else void performStep(httpError({ status: 404 }), response, audience);
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  tell({ kind: 'listening', url: `http://127.0.0.1:${port}/v1` });
});

process.on('message', (message: ToModel) => {
  switch (message.kind) {
    case 'play':
      ({ piece } = message);
      arrivals = [];
      lastBody = '';
      audience = newAudience();
      goOn = Promise.withResolvers();
      return tell({ kind: 'ready' });
    case 'go-on':
      return goOn.resolve();
    case 'report':
      return tell({ kind: 'report', performance: { arrivals, lastBody } });
  }
});
process.on('disconnect', () => process.exit());

/**
 * Every request has the same count: too few tokens to fill a window, and enough for Capstan to believe them without
 * weighing the history.
 */
function newAudience(): StepClient {
  return { renderer: responsesRenderer, context: { ids: createIdNumbering(), usage: { input: countedInput } } };
}

function listen(request: IncomingMessage, response: ServerResponse): void {
  const index = arrivals.length;
  const isKept = index === piece.calls || (index === 0 && piece.keepFirstBody !== undefined);
  const kept: Buffer[] = [];
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (isKept) kept.push(chunk);
  });
  request.on('end', () => {
    arrivals.push({ at: monotonicMs(), bytes });
    void respond(index, Buffer.concat(kept), response);
  });
}

async function respond(index: number, body: Buffer, response: ServerResponse): Promise<void> {
  if (index === 0 && piece.keepFirstBody !== undefined) writeFileSync(piece.keepFirstBody, body);
  if (index < piece.calls) {
    await performStep(answer({ items: [callTool(piece.tool, piece.arguments)] }), response, audience);
    return;
  }
  lastBody = body.toString('utf8');
  tell({ kind: 'held' });
  await goOn.promise;
  await performStep(answer({ items: [say('Done.')] }), response, audience);
}

function tell(message: FromModel): void {
  process.send?.(message);
}
