/** One message: an answer in JSON, or a line of a stream. */
const mostMessageBytes = 32_000_000;

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
