import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { readThreadStory, type ThreadStory } from '../../src/surfaces/views/context/thread-story.ts';
import { describeContextWindow } from '../../src/surfaces/views/context/window-view.ts';
import { replayRequests } from '../../src/surfaces/views/threads/replay-report.ts';
import { changesBrowse } from '../../src/surfaces/tui/pages/insight/changes.ts';
import { checkpointsPage, confirmationList } from '../../src/surfaces/tui/pages/insight/checkpoints.ts';
import { contextBrowse, contextCard, pinsPage } from '../../src/surfaces/tui/pages/insight/context.ts';
import { differencePage, envelopeBrowse } from '../../src/surfaces/tui/pages/insight/envelope.ts';
import {
  type ContextWindowContents,
  contextWindowRoom,
} from '../../src/surfaces/tui/pages/insight/context-window-view.ts';
import { replayPage } from '../../src/surfaces/tui/pages/insight/replay.ts';
import { groupItems } from '../../src/surfaces/tui/pages/insight/context-window-groups.ts';
import { countColumns } from '../../src/base/text-columns.ts';
import type { Look } from '../../src/surfaces/tui/screen/text/look.ts';
import { type BrowsePage, BrowseView } from '../../src/surfaces/tui/pages/browse-view.ts';
import { hostile, toldThread } from './told-thread.ts';

const look: Look = {
  width: 60,
  colours: 'none',
  palette: 'dark',
  glyphs: 'unicode',
  details: 'folded',
  now: 0,
  cwd: '/home/ada/engine',
  home: '/home/ada',
};

let id: string;
let story: ThreadStory;
let window: ContextWindowContents;
let pages: Readonly<Record<string, readonly [page: BrowsePage, ...keys: string[]]>>;

beforeAll(async () => {
  const told = await toldThread();
  ({ id } = told);
  story = readThreadStory(told.lines);
  const { view, items, cost } = describeContextWindow(story, {
    code: 'none',
    message: 'There is no engine.',
    next: '',
  });
  window = { view, groups: await groupItems(items, () => Promise.resolve()), room: contextWindowRoom(view), cost };
  const replayed = [];
  for await (const { request, shown } of replayRequests(told.lines, { turn: 1 })) {
    const encoded = request.kind === 'rebuilt' ? request.encoded : undefined;
    replayed.push({ shown, body: () => encoded && Buffer.concat(encoded.body).toString('utf8') });
  }
  const envelope = envelopeBrowse(id, story);
  const difference = differencePage(id, story, 1);
  if ('code' in envelope || 'code' in difference) throw new Error('There is no envelope.');
  const context = contextBrowse(window, { pin: () => {} });
  const checkpoints = checkpointsPage(story, { takeBack: () => {} });
  const replay = replayPage(story, { turn: 1, replayed });
  const pins = [{ id: 'pin-1', text: `Never touch the lock file. ${hostile}` }];
  const confirm = { title: 'Take it back?', about: ['Everything after it is taken back.'], yes: 'Yes', no: 'No' };
  pages = {
    context: [context],
    'context-group': [context, 'down', 'down', 'down', 'enter'],
    'context-item': [context, 'down', 'enter', 'enter'],
    changes: [changesBrowse(story)],
    'changes-text': [changesBrowse(story), 'end', 'enter'],
    envelope: [envelope],
    'envelope-window': [envelope, 'down', 'down', 'down', 'down', 'down', 'down', 'down', 'enter'],
    'envelope-turns': [envelope, 'end', 'enter'],
    'envelope-difference': [difference],
    checkpoints: [checkpoints],
    'checkpoint-one': [checkpoints, 'enter'],
    'checkpoint-items': [checkpoints, 'enter', 'down', 'enter'],
    replay: [replay],
    'replay-request': [replay, 'down', 'enter'],
    'replay-body': [replay, 'enter', 'end', 'enter'],
    pins: [pinsPage(story, pins, { pin: () => {}, remove: () => {} })],
    'pins-messages': [pinsPage(story, pins, { pin: () => {}, remove: () => {} }), 'down', 'enter'],
    confirm: [confirmationList({ ...confirm, decide: () => {} })],
  };
});

function screen(name: string, width: number, some: Partial<Look> = {}): readonly string[] {
  const [page, ...keys] = pages[name]!;
  const view = new BrowseView(page, () => {});
  const shown = { ...look, width, ...some };
  view.frame(shown, 24);
  for (const key of keys) {
    view.input({ kind: 'key', name: key, text: '' });
    view.frame(shown, 24);
  }
  return view.frame(shown, 24).rows;
}

const names = [
  'context',
  'context-group',
  'context-item',
  'changes',
  'changes-text',
  'envelope',
  'envelope-window',
  'envelope-turns',
  'envelope-difference',
  'checkpoints',
  'checkpoint-one',
  'checkpoint-items',
  'replay',
  'replay-request',
  'replay-body',
  'pins',
  'pins-messages',
  'confirm',
] as const;

describe('views of what the model is sent', () => {
  it.each(names)('%s', async (name) => {
    const screens = [60, 100, 200].map((width) => [`── ${width} ${'─'.repeat(40)}`, ...screen(name, width)].join('\n'));
    // The address of the model is another one with every run.
    const text = screens.join('\n\n').replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT');
    await expect(`${text}\n`).toMatchFileSnapshot(join(import.meta.dirname, 'golden/insight', `${name}.txt`));
  });

  it('the card of /context', async () => {
    const widths = [20, 60, 100, 200].map((width) =>
      contextCard(window)
        .rows({ ...look, width })
        .join('\n'),
    );
    const file = join(import.meta.dirname, 'golden/insight/card.txt');
    await expect(`${widths.join('\n\n')}\n`).toMatchFileSnapshot(file);
  });

  it.each(names)('%s fits every screen, and nothing of it steers the terminal', (name) => {
    for (const width of [1, 20, 33, 60, 100, 200, 300]) {
      for (const some of [{}, { glyphs: 'ascii' }, { colours: 'true' }] as const) {
        const rows = screen(name, width, some);
        expect(rows.length).toBe(24);
        const plain = rows.map((row) => row.replaceAll(/\u001B\[[\d;]*m/g, ''));
        // oxlint-disable-next-line no-control-regex -- what must not be there
        for (const row of plain) expect(row).not.toMatch(/[\u0000-\u001F\u007F-\u009F\u202E]/);
        for (const row of plain) expect(countColumns(row)).toBeLessThanOrEqual(width);
      }
    }
  });

  it.each(names)('%s has only ASCII signs where that is wanted', (name) => {
    for (const row of screen(name, 100, { glyphs: 'ascii' })) expect(row).toMatch(/^[ -~]*$/);
  });

  it('the map has the figures of capstan context', () => {
    const { view, groups, room } = window;
    expect(groups.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(view.total);
    for (const [family, kinds] of Object.entries({
      instructions: ['system'],
      tools: ['tools', 'mcp'],
      user: ['user'],
      model: ['answers', 'reasoning', 'calls'],
      tool: ['commands', 'files', 'outputs'],
    })) {
      const own = groups.filter(({ kind }) => kinds.includes(kind)).reduce((sum, { tokens }) => sum + tokens, 0);
      expect([family, own]).toEqual([family, view.families.find((each) => each.family === family)?.tokens ?? 0]);
    }
    const effective = view.budgets.find(({ name }) => name === 'effective')!.limit;
    expect(view.total + room.free + room.reserve).toBe(effective);
  });
});
