import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Visitor } from './login-session.ts';

const path = '/callback';

export interface CallbackServer extends Visitor {
  close(): void;
}

/** Waits on this machine alone for the page to send the user back. `show`: tells the user which page to visit. */
export async function openCallbackServer({
  port,
  show,
}: {
  readonly port: number;
  readonly show: (page: URL) => void;
}): Promise<CallbackServer> {
  let came = Promise.withResolvers<URLSearchParams>();
  let state: string | null = null;
  const server = createServer((request, response) => {
    const asked = new URL(request.url ?? '/', 'http://127.0.0.1');
    const given = asked.searchParams;
    const isAnswer = asked.pathname === path && (given.has('code') || given.has('error'));
    // Any page can send the user here. Only the one that was visited knows what was asked.
    const isBack = isAnswer && state !== null && given.get('state') === state;
    response.writeHead(isBack ? 200 : 404, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
    response.end(isBack ? 'Capstan has the answer. You can close this page.\n' : 'Not found.\n');
    if (isBack) came.resolve(given);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  const { port: chosen } = server.address() as AddressInfo;
  return {
    redirectUrl: `http://127.0.0.1:${chosen}${path}`,
    visit(page) {
      state = page.searchParams.get('state');
      came = Promise.withResolvers();
      show(page);
      return came.promise;
    },
    close: () => void server.close(),
  };
}
