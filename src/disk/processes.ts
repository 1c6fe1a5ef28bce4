import { errorCode } from './file-system.ts';

/** Whether a process has the number, one of another user included. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
