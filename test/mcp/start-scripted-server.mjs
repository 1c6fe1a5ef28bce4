// Starts the scripted server as a program: what Node makes of its source for one start serves the next.
import { enableCompileCache, flushCompileCache } from 'node:module';
import { join } from 'node:path';

enableCompileCache(join(import.meta.dirname, '../../.local/compiled-tests'));
await import('./scripted-server.ts');
flushCompileCache();
