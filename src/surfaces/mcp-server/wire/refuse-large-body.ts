import type { IncomingMessage, ServerResponse } from 'node:http';

/** A client that sends more than this, or for longer, is cut off. */
const mostDrained = 256 * 1024 * 1024;
const drainMs = 10_000;

/**
 * Answers a request whose body says that it is too long; false where it does not. The body is read and dropped first: most
 * clients read no answer while they send, and would find the connection closed instead.
 */
export function refuseLargeBody(request: IncomingMessage, response: ServerResponse, longest: number): boolean {
  const length = Number(request.headers['content-length']);
  if (!(length > longest)) return false;
  if (length > mostDrained) answer(response, longest);
  else {
    const timer = setTimeout(() => request.destroy(), drainMs).unref();
    request.once('close', () => clearTimeout(timer));
    request.once('end', () => answer(response, longest));
    request.resume();
  }
  return true;
}

function answer(response: ServerResponse, longest: number): void {
  const message = `Payload Too Large: a message has at most ${longest / 1024 / 1024} MiB.`;
  response.writeHead(413, { 'content-type': 'application/json', connection: 'close' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32_000, message } }));
}
