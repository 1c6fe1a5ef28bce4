import type { EventEmitter } from 'node:events';

/**
 * For what has ended. Node holds a child, a socket, a pipe that was closed until its next full collection, and by the
 * listeners all that they know: of each command that outlived two small collections 45 KB would stay.
 */
export function silence(ended: EventEmitter): void {
  ended.removeAllListeners().on('error', ignore);
}

/** As soon as the stream is closed. */
export function silenceAtEnd(stream: EventEmitter): void {
  stream.on('error', ignore).on('close', () => silence(stream));
}

/** Without a listener an error would end the process. */
function ignore(): void {}
