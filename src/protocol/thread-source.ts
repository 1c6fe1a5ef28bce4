import { isJsonObject, type Json, stringAt } from './json.ts';

/** Who started a thread, as its first line says it, in one word. Without any it is an editor's, as old files have it. */
export function sourceWord(source: Json | undefined): string {
  if (typeof source === 'string') return source;
  if (!isJsonObject(source)) return 'vscode';
  if ('subagent' in source) return 'subagent';
  if ('internal' in source) return 'internal';
  return stringAt(source, 'custom') ?? 'unknown';
}

/** Whether another thread started it: users mean it only by its name or id. */
export function isStartedByThread({ source }: { readonly source?: string }): boolean {
  return source === 'subagent' || source === 'internal';
}
