import { describe, expect, it } from 'vitest';
import { copiedParts, copyText, copyWays } from './copy-answer.ts';

const names = (env: Record<string, string>, platform: NodeJS.Platform = 'linux') =>
  copyWays(env, platform).map((way) => (way.kind === 'program' ? way.words[0] : way.name));

describe('the way to the clipboard', () => {
  it('over SSH is the terminal around it, never a program of this machine', () => {
    expect(names({ SSH_TTY: '/dev/pts/0', DISPLAY: ':0', WAYLAND_DISPLAY: 'w' })).toEqual(['the terminal']);
    expect(names({ SSH_CONNECTION: '1', TMUX: 't' })).toEqual(['tmux', 'the terminal']);
  });

  it('is what the system has, then the terminal', () => {
    expect(names({})).toEqual(['the terminal']);
    expect(names({ DISPLAY: ':0' })).toEqual(['xclip', 'xsel', 'the terminal']);
    expect(names({ WAYLAND_DISPLAY: 'w', TMUX: 't' })).toEqual(['wl-copy', 'tmux', 'the terminal']);
    expect(names({ WSL_DISTRO_NAME: 'u' })).toEqual(['clip.exe', 'the terminal']);
    expect(names({}, 'darwin')).toEqual(['pbcopy', 'the terminal']);
    expect(names({}, 'win32')).toEqual(['clip.exe', 'the terminal']);
  });

  it('is the next one where a program is missing or fails, and no terminal for a long text', async () => {
    const written: string[] = [];
    const ways = [
      { kind: 'program', words: ['missing'], name: 'none' },
      { kind: 'terminal', name: 'the terminal' },
    ] as const;
    const feed = (words: readonly string[], text: string) => Promise.resolve(words[0] === 'takes' && text === 'hello');
    const parts = { ways, feed, write: (text: string) => void written.push(text) };
    expect(await copyText('hello', parts)).toEqual(ways[1]);
    expect(written).toEqual(['\u001B]52;c;aGVsbG8=\u0007']);
    expect(await copyText('x'.repeat(100_001), parts)).toMatchObject({ code: 'not-copied' });
    expect(written).toHaveLength(1);
    const takes = { kind: 'program', words: ['takes'], name: 'takes' } as const;
    expect(await copyText('hello', { ...parts, ways: [takes] })).toBe(takes);
  });
});

describe('the parts of an answer', () => {
  it('are the whole, code by its language, and quotes', () => {
    const answer =
      'Do:\n\n```ts\nconst a = 1;\n```\n\n- and\n\n  ~~~\n  ls\n    -l\n  ~~~\n\n> said\n> so\n\n````md\n```\nx\n```\n````\n';
    expect(copiedParts(answer)).toEqual([
      { kind: 'answer', text: answer.trimEnd() },
      { kind: 'code', language: 'ts', text: 'const a = 1;' },
      { kind: 'code', text: 'ls\n  -l' },
      { kind: 'quote', text: 'said\nso' },
      { kind: 'code', language: 'md', text: '```\nx\n```' },
    ]);
    expect(copiedParts('```sh\nopen to the end')).toHaveLength(2);
  });
});
