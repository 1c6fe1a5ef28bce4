import type { Client } from '@modelcontextprotocol/client';
import { type JsonObject, objectAt, stringAt } from '../protocol/json.ts';
import { anyObject } from './any-object.ts';

interface TaskOptions {
  readonly signal: AbortSignal;
  readonly timeout: number;
  /** The server has named the task. */
  began(taskId: string): void;
}

/** Whether a server wants calls of this tool as tasks, and in no other way. */
export function wantsTask(tool: JsonObject): boolean {
  return objectAt(tool, 'execution')?.['taskSupport'] === 'required';
}

/** Calls a tool that works on after its call is answered, and waits for its result. An interrupted one is cancelled. */
export async function callAsTask(
  client: Client,
  params: JsonObject,
  { began, ...options }: TaskOptions,
): Promise<JsonObject> {
  const begun = await client.request({ method: 'tools/call', params: { ...params, task: {} } }, anyObject, options);
  const taskId = stringAt(objectAt(begun, 'task'), 'taskId');
  // A server may answer at once all the same.
  if (taskId === undefined) return begun;
  began(taskId);
  try {
    return await client.request({ method: 'tasks/result', params: { taskId } }, anyObject, options);
  } catch (error) {
    void client.request({ method: 'tasks/cancel', params: { taskId } }, anyObject, { timeout: 1000 }).catch(() => {});
    throw error;
  }
}
