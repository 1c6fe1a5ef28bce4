import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, afterEach, describe } from 'vitest';
import { serveHttp } from '../../src/surfaces/servers/mcp/wire/serve-http.ts';
import { revisions } from './clients.ts';
import { fakeApp } from './fake-app.ts';
import { wireSuite } from './suite.ts';

const notes: string[] = [];
const app = fakeApp((text) => void notes.push(text));
const token = 'a-token-of-the-test';
const server = await serveHttp(
  { app, listsAliases: false, report: (problem) => void notes.push(`problem: ${problem}`) },
  { host: '127.0.0.1', port: 0, token },
);
afterEach(() => void notes.splice(0));
afterAll(() => server.close());

describe.each(revisions)('over HTTP, revision %s', (revision) => {
  wireSuite(revision, () => ({
    transport: new StreamableHTTPClientTransport(new URL(server.url), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    }),
    notes,
  }));
});
