/** One message: an answer in JSON, or a line of a stream. */
const mostMessageBytes = 32_000_000;

const mostRedirects = 5;

/**
 * A fetch for one server and for those that a login to it involves. The headers that the user configured go to the
 * origin of the server's address alone: no authorization server, no host of metadata and no redirect gets them.
 */
export function fetchFor(serverUrl: string, configured: Readonly<Record<string, string>>): typeof boundedFetch {
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
      if (target.origin !== url.origin) for (const name of ['authorization', 'cookie']) given.delete(name);
      if (response.status === 303 || (response.status < 303 && method === 'POST')) {
        [method, body] = ['GET', undefined];
        for (const name of ['content-type', 'content-length']) given.delete(name);
      }
      url = target;
    }
  };
}

function redirectTarget(from: URL, { status, headers }: Response): URL | undefined {
  const location = headers.get('location');
  if (![301, 302, 303, 307, 308].includes(status) || location === null || !URL.canParse(location, from.href))
    return undefined;
  const target = new URL(location, from);
  return /^https?:$/.test(target.protocol) ? target : undefined;
}

/** A fetch whose answers cannot fill the memory: one that does not end, or a line that does not, is an error. */
export async function boundedFetch(input: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, init);
  if (response.body === null) return response;
  const isStream = response.headers.get('content-type')?.includes('text/event-stream') === true;
  let pending = 0;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const lineEnd = isStream ? chunk.lastIndexOf(10) : -1;
      pending = lineEnd < 0 ? pending + chunk.length : chunk.length - lineEnd - 1;
      if (pending > mostMessageBytes)
        throw new Error(`the server sent a message of more than ${mostMessageBytes} bytes`);
      controller.enqueue(chunk);
    },
  });
  const bounded = new Response(response.body.pipeThrough(counted), {
    status: response.status,
    statusText: response.statusText,
    headers: response.headers,
  });
  // What a constructed answer lacks, and readers of redirects go by.
  Object.defineProperty(bounded, 'url', { value: response.url });
  Object.defineProperty(bounded, 'redirected', { value: response.redirected });
  return bounded;
}
