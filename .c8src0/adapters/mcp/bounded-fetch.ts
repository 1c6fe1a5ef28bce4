import { otherSchemeOf } from '../../core/policy/network/host-name.ts';
import { BoundedBuffer } from '../../base/bounded-buffer.ts';
import { explainLostConnection } from '../../protocol/http.ts';

/** Limit of one message: a JSON answer, or one event of a stream. */
const mostMessageBytes = 32_000_000;
const mostRedirects = 5;
/** Anyone who has one of these headers can act as this client. */
const heldByOrigin = ['authorization', 'cookie', 'mcp-session-id'];

/**
 * A fetch for one server and its login. Configured headers go only to the origin of the server's address: no
 * authorization server, metadata host or redirect gets them.
 */
export function createServerFetch(
  serverUrl: string,
  configured: Readonly<Record<string, string>>,
): typeof boundedFetch {
  const { origin } = new URL(serverUrl);
  return async (input, init = {}) => {
    let [url, method, body] = [new URL(input), init.method ?? 'GET', init.body];
    const given = new Headers(init.headers);
    for (let redirects = 0; ; redirects++) {
      const headers = new Headers(given);
      if (url.origin === origin)
        for (const [name, value] of Object.entries(configured)) if (!given.has(name)) headers.set(name, value);
      const response = await boundedFetch(url, { ...init, method, headers, body: body ?? null, redirect: 'manual' });
      const target = init.redirect === 'manual' ? undefined : redirectTarget(url, response);
      if (target === undefined) return response;
      await response.body?.cancel();
      if (init.redirect === 'error' || redirects >= mostRedirects)
        throw new Error(`it redirects${redirects === 0 ? '' : ' too often'}`);
      if (target.origin !== url.origin) for (const name of heldByOrigin) given.delete(name);
      if (response.status === 303 || (response.status < 303 && method === 'POST')) {
        [method, body] = ['GET', undefined];
        for (const name of ['content-type', 'content-length']) given.delete(name);
      } else if (target.origin !== url.origin && isForm(given, body))
        throw new Error(`${url.host} sends a login on to ${target.host}, which must not have it`);
      url = target;
    }
  };
}

/** Recognises token requests, which hold a code, a refresh token or a client secret. */
const isForm = (headers: Headers, body: unknown): boolean =>
  body instanceof URLSearchParams || /^application\/x-www-form-urlencoded\b/i.test(headers.get('content-type') ?? '');

function redirectTarget(from: URL, { status, headers }: Response): URL | undefined {
  const location = headers.get('location');
  if (![301, 302, 303, 307, 308].includes(status) || location === null || !URL.canParse(location, from.href))
    return undefined;
  const target = new URL(location, from);
  return /^https?:$/.test(target.protocol) ? target : undefined;
}

/**
 * A fetch with bounded memory: an endless answer or event is an error. It passes streams on in whole lines, and other
 * answers in one piece, because the reader keeps a list of all pieces.
 */
export async function boundedFetch(input: string | URL, init?: RequestInit): Promise<Response> {
  const response = await reachedBy(fetch(input, init), new URL(input), init?.signal);
  if (response.body === null) return response;
  const isStream = response.headers.get('content-type')?.includes('text/event-stream') === true;
  return withOtherBody(response, response.body.pipeThrough(isStream ? wholeLines() : oneChunk()));
}

/** An answer with another body. A constructed `Response` lacks the address, which readers need for redirects. */
export function withOtherBody(answer: Response, body: ConstructorParameters<typeof Response>[0]): Response {
  const { url, redirected } = answer;
  return Object.defineProperties(new Response(body, answer), {
    url: { value: url },
    redirected: { value: redirected },
  });
}

/** The message is part of a sentence. */
export class ErrorWithAdvice extends Error {
  readonly next: string;

  constructor(message: string, next: string, options?: ErrorOptions) {
    super(message, options);
    this.next = next;
  }
}

/** No server answered. */
export class UnreachableServer extends ErrorWithAdvice {}

/** `fetch` only says that it failed; the cause says why. */
async function reachedBy(asked: Promise<Response>, url: URL, signal?: AbortSignal | null): Promise<Response> {
  try {
    return await asked;
  } catch (error) {
    if (signal?.aborted === true) throw error;
    throw unreachable(causeCode(error), url, error);
  }
}

function causeCode(error: unknown): string | undefined {
  for (let each = error; each instanceof Error; each = each.cause) {
    if ('code' in each && typeof each.code === 'string') return each.code;
    // One error for each address of the host.
    if (each instanceof AggregateError) return causeCode(each.errors[0]);
  }
  return undefined;
}

function unreachable(code: string | undefined, { protocol, hostname, port }: URL, cause: unknown): UnreachableServer {
  const shown = `${hostname}:${port === '' ? (protocol === 'https:' ? 443 : 80) : port}`;
  const otherScheme = otherSchemeOf({ protocol, host: hostname.replace(/^\[(.*)\]$/, '$1') });
  const peer = { shown, setting: 'its url', otherScheme, authorities: 'NODE_EXTRA_CA_CERTS' };
  const { message, next } = explainLostConnection(peer, code ?? '');
  const sign = code === undefined ? '' : ` (${code})`;
  return new UnreachableServer(`${message.charAt(0).toLowerCase()}${message.slice(1)}${sign}`, next, { cause });
}

function oneChunk(): TransformStream<Uint8Array, Uint8Array> {
  const held = new BoundedBuffer(mostMessageBytes);
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk) {
      if (!held.add(chunk)) throw tooLong();
    },
    flush(controller) {
      if (held.length > 0) controller.enqueue(held.take());
    },
  });
}

const [lineFeed, carriageReturn] = [10, 13];
/** An event ends with an empty line, whichever line ends are used. */
const eventEnds = ['\n\n', '\r\r', '\n\r'];

function wholeLines(): TransformStream<Uint8Array, Uint8Array> {
  const held = new BoundedBuffer(mostMessageBytes);
  let passedBytes = 0;
  let last = '';
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const end = Math.max(chunk.lastIndexOf(lineFeed), chunk.lastIndexOf(carriageReturn)) + 1;
      if (!held.add(chunk.subarray(0, end === 0 ? chunk.length : end))) throw tooLong();
      if (end > 0) {
        const lines = held.take();
        const text = last + lines.toString('latin1');
        const eventEnd = Math.max(...eventEnds.map((each) => text.lastIndexOf(each)));
        passedBytes = eventEnd === -1 ? passedBytes + lines.length : text.length - eventEnd;
        last = text.slice(-1);
        controller.enqueue(lines);
        held.add(chunk.subarray(end));
      }
      if (passedBytes + held.length > mostMessageBytes) throw tooLong();
    },
    flush(controller) {
      if (held.length > 0) controller.enqueue(held.take());
    },
  });
}

const tooLong = (): Error => new Error(`the server sent a message of more than ${mostMessageBytes} bytes`);
