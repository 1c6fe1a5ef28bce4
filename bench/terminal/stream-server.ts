// A model for the terminal, in a process of its own: it fills the transcript, or streams words at a steady pace.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { answer, say } from '../../src/testing/script.ts';
import { responsesRenderer } from '../../src/testing/responses-renderer.ts';
import { createIdNumbering } from '../../src/testing/wire-renderer.ts';
import { deltasPerSecond, ends, fillText, streamText } from './pieces.ts';

const context = { ids: createIdNumbering(), usage: {} };
/** Timers are no finer than this. */
const tickMs = 5;

const server = createServer({ noDelay: true }, (request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (text: string) => (body += text));
  request.on('end', () => void respond(body, response));
});
server.listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` });
});
process.on('disconnect', () => process.exit());

async function respond(body: string, response: ServerResponse): Promise<void> {
  const asked = Math.max(body.lastIndexOf('Fill.'), body.lastIndexOf('Stream.'));
  const isStream = asked !== -1 && body.startsWith('Stream.', asked);
  // Requests beside the conversation, such as for a title, get a word.
  const text = asked === -1 ? 'done' : isStream ? `${streamText} ${ends.stream}` : `${fillText} ${ends.fill}`;
  const step = answer({ items: [say(text)], ...(isStream ? { deltas: true } : {}) });
  const events = responsesRenderer.events(step, context);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  if (!isStream) return void response.end(Buffer.concat(events));
  const start = performance.now();
  for (let sent = 0; sent < events.length;) {
    const due = Math.floor(((performance.now() - start) * deltasPerSecond) / 1000) + 1;
    if (due > sent) response.write(Buffer.concat(events.slice(sent, due)));
    sent = Math.max(sent, due);
    await setTimeout(tickMs);
  }
  response.end();
}
