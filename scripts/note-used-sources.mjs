// Loaded before the program: writes to the file NOTED_SOURCES, once the head of the first request is about to be sent,
// which sources have run a function by then, not counting those that are only loaded.
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { Socket } from 'node:net';

const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: false, detailed: false });

const { write } = Socket.prototype;
Socket.prototype.write = function (...given) {
  if (!String(given[0]).startsWith('POST ')) return write.apply(this, given);
  Socket.prototype.write = write;
  session.post('Profiler.takePreciseCoverage', (_error, { result }) => {
    // The first function is the module itself.
    const used = result.filter(({ functions }) => functions.slice(1).some(({ ranges }) => ranges[0].count > 0));
    writeFileSync(process.env.NOTED_SOURCES, used.map(({ url }) => url).join('\n'));
  });
  return write.apply(this, given);
};
