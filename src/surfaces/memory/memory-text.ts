import type { HomeMemory } from '../engine/home-memory.ts';
import { count, plural } from '../wording/number-words.ts';

/** What is remembered, for people. */
export function memoryText({ folder, summary, notes }: HomeMemory): string {
  if (summary === '' && notes.length === 0) return 'Nothing is remembered.\n';
  const lines = notes.map(({ threadId, kind, usedAt, tokens, failed }) => {
    const day = new Date(usedAt).toISOString().slice(0, 10);
    const later = failed === undefined ? '' : ', a later attempt failed';
    return `${day}  ${threadId}  ${words[kind]}${later}, ${count(tokens)} tokens\n`;
  });
  const total = notes.reduce((sum, { tokens }) => sum + tokens, 0);
  const noted = notes.filter(({ kind }) => kind === 'noted').length;
  const threads = plural(notes.length, 'thread');
  const which =
    noted === 0 ? `No notes about ${threads}` : `Notes about ${noted === notes.length ? '' : `${noted} of `}${threads}`;
  const about = notes.length === 0 ? '' : `\n${which}, for ${count(total)} tokens:\n${lines.join('')}`;
  return `${folder}\n\n${summary.trim() === '' ? 'There is no summary yet.' : summary.trim()}\n${about}`;
}

const words = { noted: 'noted', nothing: 'nothing to note', failed: 'failed' } as const;
