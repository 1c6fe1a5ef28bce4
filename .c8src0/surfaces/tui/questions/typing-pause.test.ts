import { createConnection, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { defaultScreenLook } from '../screen/tui-screen.ts';
import { keyPress } from '../screen/terminal/terminal-port.ts';
import type { Look } from '../screen/text/look.ts';
import { TypingPause } from './typing-pause.ts';

const look: Look = {
  ...defaultScreenLook({ NO_COLOR: '1' }, { cwd: '/w', home: '/h' }),
  width: 80,
  details: 'folded',
  now: 0,
};

// The order in which a process reads its keyboard and its clock is that of the real ones.
let keyboard: Socket;
let reader: Socket;
const server = createServer((socket) => void (reader = socket));
beforeEach(async () => {
  const path = join(tmpdir(), `guarded-${process.pid}.sock`);
  await new Promise<void>((over) => server.listen(path, over));
  keyboard = createConnection(path);
  await vi.waitUntil(() => reader !== undefined && keyboard.readyState === 'open', { timeout: 20_000 });
});
afterEach(() => {
  keyboard.destroy();
  reader.destroy();
  server.close();
});

function question(draw: () => void) {
  const taken: string[] = [];
  const pause = new TypingPause(() => Date.now(), { typed: 1000, drawn: 300, next: 300, over: 0 });
  const view = pause.guard({
    frame() {
      draw();
      return { rows: [] };
    },
    input: (input) => void taken.push(input.kind === 'key' ? input.name : ''),
  });
  return { view, taken };
}

/** A question in sight. Each byte of the keyboard is a key for it. */
function asked(drawMs = 0): readonly string[] {
  const { view, taken } = question(() => block(drawMs));
  reader.on('data', (bytes) => {
    for (const sign of bytes.toString()) view.input(keyPress(sign));
  });
  view.frame(look, 24);
  return taken;
}

/** Nothing is read and no timer runs meanwhile. */
function block(milliseconds: number): void {
  for (const until = Date.now() + milliseconds; Date.now() < until;);
}

const passes = (milliseconds: number): Promise<void> => new Promise((over) => setTimeout(over, milliseconds));

it('a key that was pressed while the process stood still is dropped', async () => {
  const taken = asked();
  keyboard.write('y');
  block(900);
  await passes(60);
  expect(taken).toEqual([]);
});

it('a process that stands still again and again takes a key once the pause is over', async () => {
  const taken = asked(400);
  for (let at = 0; at < 3; at++) {
    await passes(1);
    block(300);
  }
  // Twice: a timer that is late itself must not come before those that open the question.
  await passes(60);
  await passes(60);
  keyboard.write('y');
  await vi.waitFor(() => expect(taken).toEqual(['y']), { timeout: 20_000 });
});

it('the pause begins when the question is drawn, however long that took', () => {
  vi.useFakeTimers();
  try {
    const { view, taken } = question(() => vi.setSystemTime(Date.now() + 800));
    view.frame(look, 24);
    vi.advanceTimersByTime(250);
    view.input(keyPress('y'));
    expect(taken).toEqual([]);
    vi.advanceTimersByTime(400);
    view.input(keyPress('y'));
    expect(taken).toEqual(['y']);
  } finally {
    vi.useRealTimers();
  }
});
