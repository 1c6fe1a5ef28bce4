import { expect, it } from 'vitest';
import { EventEntries } from '../transcript/event-entries.ts';
import { defaultScreenLook } from '../screen/tui-screen.ts';
import { Transcript } from '../transcript/transcript.ts';
import { type ShellParts, UserShells } from './running-work.ts';

const look = {
  ...defaultScreenLook({ NO_COLOR: '1', LC_ALL: 'C.UTF-8' }, { cwd: '/w', home: '/h' }),
  width: 60,
  details: 'folded' as const,
  now: 20_000,
};

it('a command whose record cannot be saved runs no more, keeps its output, and the reason goes to the caller', async () => {
  const transcript = new Transcript();
  const shells = new UserShells({
    stage: { draw() {} } as unknown as ShellParts['stage'],
    entries: new EventEntries(transcript, () => true),
    thread: () =>
      ({
        async shell({ output }: { output(bytes: Uint8Array): void }) {
          output(Buffer.from('printed'));
          throw new Error('ENOSPC');
        },
      }) as unknown as ReturnType<ShellParts['thread']>,
    now: () => 0,
    told() {},
  });
  await expect(shells.run('make')).rejects.toThrow('ENOSPC');
  const rows = transcript.entries.flatMap((entry) => transcript.spacedRows(entry, look)).join('\n');
  expect(rows).toMatch(/Not recorded: make\n[^]*printed/);
  expect([shells.running, transcript.entries.map(({ isFinal }) => isFinal)]).toEqual([[], [true]]);
});
