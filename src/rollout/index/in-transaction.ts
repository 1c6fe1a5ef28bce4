import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import type { WorkProgress } from '../../ports/work-progress.ts';
import { sqliteCode } from './sqlite-code.ts';

/** So long a process waits for another one that writes the index. */
export const busyMs = 5000;
const pauseMs = 25;

/**
 * All of it, or nothing. Other processes wait. SQLite would do so without giving the process time for anything else:
 * this way progress can say what it waits for.
 */
export async function inTransaction(database: DatabaseSync, write: () => void, progress?: WorkProgress): Promise<void> {
  await begin(database, progress);
  try {
    write();
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

const busy = 5;

async function begin(database: DatabaseSync, progress: WorkProgress | undefined): Promise<void> {
  database.exec('PRAGMA busy_timeout = 0');
  try {
    for (let left = busyMs / pauseMs; ; left--) {
      try {
        return database.exec('BEGIN IMMEDIATE');
      } catch (error) {
        if (sqliteCode(error) !== busy || left <= 0) throw error;
        await progress?.('waiting');
        await pause(pauseMs);
      }
    }
  } finally {
    database.exec(`PRAGMA busy_timeout = ${busyMs}`);
  }
}
