import type { ChildProcess } from 'node:child_process';
import type { Handover } from '../ports/sandbox.ts';

/** One message to the child, and its answers. The channel is closed before the command runs, so that no command can speak on it. */
export function handOver(child: ChildProcess, { message, received }: Handover): void {
  child.on('message', (index, handle: unknown) => {
    if (typeof index !== 'number') return;
    received(handle, index);
    if (index === 0 && child.connected) child.disconnect();
  });
  // A process that died already shows by its end.
  child.send(message, () => {});
}
