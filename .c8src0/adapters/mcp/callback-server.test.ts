import { expect, test } from 'vitest';
import { openCallbackServer } from './oauth-login.ts';

test('the user is shown the page, and what comes back from it is the answer; anything else is not', async () => {
  const shown: string[] = [];
  const server = await openCallbackServer({ port: 0, show: (page) => shown.push(page.href) });
  const back = server.visit(new URL('https://a.org/login?state=s'));
  expect(shown).toEqual(['https://a.org/login?state=s']);
  expect(new URL(server.redirectUrl)).toMatchObject({ hostname: '127.0.0.1', pathname: '/callback' });
  for (const odd of [
    server.redirectUrl,
    `${server.redirectUrl}?state=s`,
    `${server.redirectUrl}?code=c`,
    `${server.redirectUrl}?error=denied&state=other`,
    new URL('/other?code=c', server.redirectUrl),
  ]) {
    expect((await fetch(odd)).status).toBe(404);
  }
  const page = await fetch(`${server.redirectUrl}?code=c&state=s`);
  expect([page.status, await page.text()]).toEqual([200, 'Capstan has the answer. You can close this page.\n']);
  expect([...(await back)]).toEqual([
    ['code', 'c'],
    ['state', 's'],
  ]);
  server.close();
});

test('a port that is taken is an error', async () => {
  const first = await openCallbackServer({ port: 0, show: () => {} });
  const port = Number(new URL(first.redirectUrl).port);
  await expect(openCallbackServer({ port, show: () => {} })).rejects.toThrow('EADDRINUSE');
  first.close();
});
