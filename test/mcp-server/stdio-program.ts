// Serves the fake app on its standard streams, as `capstan mcp-server` serves the real one.
import { serveStdio } from '../../src/surfaces/servers/mcp/wire/serve-stdio.ts';
import { fakeApp } from './fake-app.ts';

const note = (text: string): void => void process.stderr.write(`${text}\n`);
const app = fakeApp(note);
const server = serveStdio(
  { app, listsAliases: process.argv.includes('--compat'), report: (problem) => note(`problem: ${problem}`) },
  { input: process.stdin, output: process.stdout },
);
await server.ended;
await app.close();
