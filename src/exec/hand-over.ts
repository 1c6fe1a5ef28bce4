import type { ChildProcess } from 'node:child_process';
import type { Handover } from '../ports/sandbox.ts';

/** One message each way. The channel is closed before the command runs, so that no command can speak on it. */
export function handOver(child: ChildProcess, { message, received }: Handover): void {
  child.once('message', (_, handle: unknown) => {
    received(handle);
    if (child.connected) child.disconnect();
  });
  // A process that died already shows by its end.
  child.send(message, () => {});
}
