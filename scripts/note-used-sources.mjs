// Loaded before the program: writes to the file NOTED_SOURCES, once the head of the first request is about to be sent,
// which sources have run a function by then, not counting those that are only loaded.
import { writeFileSync } from 'node:fs';
import { ClientRequest } from 'node:http';
import { Session } from 'node:inspector';

const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: false, detailed: false });

const { _implicitHeader: writeHead } = ClientRequest.prototype;
ClientRequest.prototype._implicitHeader = function (...given) {
  ClientRequest.prototype._implicitHeader = writeHead;
  session.post('Profiler.takePreciseCoverage', (_error, { result }) => {
    // The first function is the module itself.
    const used = result.filter(({ functions }) => functions.slice(1).some(({ ranges }) => ranges[0].count > 0));
    writeFileSync(process.env.NOTED_SOURCES, used.map(({ url }) => url).join('\n'));
  });
  return writeHead.apply(this, given);
};
