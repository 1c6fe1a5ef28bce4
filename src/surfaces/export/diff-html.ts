import { escapeHtml } from './escape-html.ts';

/** A patch or a diff: lines that add, remove, or name a file have a colour each. */
export function diffHtml(text: string): string {
  const lines = text.split('\n').map((line) => {
    const kind = kinds.find(([start]) => start.test(line))?.[1];
    return kind === undefined ? escapeHtml(line) : `<span class="${kind}">${escapeHtml(line)}</span>`;
  });
  return `<pre>${lines.join('\n')}</pre>`;
}

const kinds = [
  [/^(?:\*{3} |diff |index |--- |\+{3} )/, 'file'],
  [/^@@/, 'place'],
  [/^\+/, 'added'],
  [/^-/, 'removed'],
] as const;
