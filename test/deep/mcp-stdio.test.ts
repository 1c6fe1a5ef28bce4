import { afterEach, describe } from 'vitest';
import { revisions, stdioProgram } from '../mcp-server/clients.ts';
import { wireSuite } from '../mcp-server/suite.ts';

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

describe.each(revisions)('over standard streams, revision %s', (revision) => {
  wireSuite(revision, () => {
    const program = stdioProgram();
    open.push(() => program.transport.close());
    return program;
  });
});
