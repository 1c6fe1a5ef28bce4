import { parseKeyMap } from '../screen/keys/read-key-map.ts';
import { describe, expect, it, vi } from 'vitest';
import type { ThreadId } from '../../../protocol/ids.ts';
import type { ThreadPage, ThreadQuery, ThreadSummary } from '../../../protocol/thread.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { keyPress } from '../screen/terminal/terminal-port.ts';
import { listOfFolder, ThreadPages } from './thread-pages.ts';
import { ThreadPickerView } from './thread-picker.ts';

const look = {
  width: 100,
  colours: 'none',
  palette: 'dark',
  glyphs: 'unicode',
  details: 'folded',
  now: 10_000_000,
  cwd: '/w',
  home: '/home/me',
} as const;

function thread(number: number, more: Partial<ThreadSummary> = {}): ThreadSummary {
  return {
    id: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}` as ThreadId,
    location: '',
    preview: `Message ${number}`,
    createdAt: 0,
    updatedAt: look.now - 60_000 * (number + 1),
    cwd: '/home/me/project',
    model: 'gpt-5.5',
    sandbox: 'workspace-write',
    approval: 'on-request',
    gitBranch: 'main',
    archived: false,
    compressed: false,
    turns: 2,
    totalTokens: 10,
    ...more,
  };
}

/** Five thousand threads in pages, each of them asked for once. */
function stage(answer?: (query: ThreadQuery) => ThreadPage | Outcome | Promise<never> | undefined) {
  const asked: ThreadQuery[] = [];
  const all = Array.from({ length: 5000 }, (_, at) => thread(at));
  const list = (query: ThreadQuery): Promise<ThreadPage | Outcome> => {
    asked.push(query);
    const special = answer?.(query);
    if (special !== undefined) return Promise.resolve(special);
    const from = Number(query.cursor ?? 0);
    return Promise.resolve({ threads: all.slice(from, from + query.limit), next: String(from + query.limit) });
  };
  const changed = vi.fn<() => void>();
  const pages = new ThreadPages({ pageSize: 50, list, changed });
  const picked = vi.fn<(thread: ThreadSummary) => void>();
  const nothing = vi.fn<() => void>();
  const closed = vi.fn<() => void>();
  const view = new ThreadPickerView({
    title: 'Resume',
    cwd: '/w',
    anyFolder: false,
    pages,
    openId: '',
    isDense: false,
    densityChosen: nothing,
    pick: picked,
    preview: nothing,
    archive: nothing,
    close: closed,
  });
  const press = (...names: readonly string[]): void => {
    for (const name of names) view.input(keyPress(name));
  };
  const settled = (): Promise<void> => vi.waitUntil(() => !pages.isReading, { timeout: 20_000 }).then(() => undefined);
  return { asked, pages, view, picked, closed, press, settled };
}

describe('the list of threads', () => {
  it('shows what each is about, and where, with what and under which policy it worked', async () => {
    const { view, settled } = stage(() => ({
      threads: [thread(2, { name: 'My name\u001B[2J', questions: 1 }), thread(3)],
    }));
    await settled();
    expect(view.frame(look, 12).rows).toEqual([
      'Resume  1 of 2',
      '› Type to search by title, first message, branch, folder or id',
      'Folder: [this one] all    Status: [active] archived    Sort: [updated] created ',
      '',
      `› My name${' '.repeat(82)}3 min ago`,
      '    waits for your answer · gpt-5.5 · workspace-write, on-request · 2 turns · main · ~/project',
      `  Message 3${' '.repeat(80)}4 min ago`,
      '    gpt-5.5 · workspace-write, on-request · 2 turns · main · ~/project',
      '',
      '',
      '',
      'enter opens · tab filters · ctrl+t preview · ctrl+a archive · ctrl+o one or two rows · esc back',
    ]);
  });

  it('names the keys that are bound', () => {
    const { map: keys } = parseKeyMap({ pager: { close_transcript: 'f9' } });
    expect(
      stage()
        .view.frame({ ...look, keys }, 12)
        .rows.at(-1),
    ).toContain('tab filters · f9 preview');
  });

  it('reads further pages as they come near, and picks from them', async () => {
    const { view, asked, settled, press, picked } = stage();
    await settled();
    for (let at = 0; at < 60; at++) {
      press('down');
      view.frame(look, 24);
      await settled();
    }
    expect(asked.map(({ cursor }) => cursor)).toEqual([undefined, '50']);
    press('enter');
    expect(picked.mock.calls[0]?.[0].preview).toBe('Message 60');
  });

  it('searches by what is typed, letters and blanks alike, and reads only the newest wish', async () => {
    const { view, asked, settled, press } = stage();
    press('k', 'j', 'space', 'q');
    await settled();
    expect(asked.map(({ text }) => text)).toEqual([undefined, 'kj q']);
    expect(asked[1]).toEqual({ sort: 'updated', cwd: '/w', text: 'kj q', textIn: 'all', limit: 50 });
    expect(view.frame(look, 24).cursor).toEqual({ row: 1, column: 6 });
  });

  it('filters and sorts by the switches', async () => {
    const { asked, settled, press } = stage();
    await settled();
    press('tab', 'right', 'tab', 'right', 'tab', 'left', 'tab');
    await settled();
    expect(asked.at(-1)).toEqual({ sort: 'created', archived: true, limit: 50 });
  });

  it('is closed while a page is still being read', () => {
    const { press, pages, closed } = stage(() => new Promise<never>(() => {}));
    expect(pages.isReading).toBe(true);
    press('enter', 'escape');
    expect(closed).toHaveBeenCalledOnce();
  });

  it('shows why a page could not be read, and tries it again', async () => {
    let isBroken = true;
    const { view, settled, press, asked } = stage(() =>
      isBroken ? { code: 'gone', message: 'The disk is gone.', next: '' } : undefined,
    );
    await settled();
    expect(view.frame(look, 24).rows.at(-2)).toBe('The disk is gone. Enter tries again.');
    isBroken = false;
    press('enter');
    await settled();
    expect(asked).toHaveLength(2);
    expect(view.frame(look, 24).rows.at(-2)).toBe('');
  });

  it.each([[60], [20], [3], [1]])('fits %i columns and few rows', async (width) => {
    const { view, settled } = stage();
    await settled();
    for (const height of [24, 7, 3, 1]) {
      const { rows } = view.frame({ ...look, width }, height);
      expect(rows.length).toBeLessThanOrEqual(height);
      expect(rows.every((row) => row.length <= width)).toBe(true);
    }
  });
});

describe('the threads of a folder', () => {
  it('are found among the newest of all, a few pages at a time, and none is left out', async () => {
    const all = Array.from({ length: 1000 }, (_, at) => thread(at, { cwd: at % 97 === 0 ? '/w' : '/other' }));
    const asked: ThreadQuery[] = [];
    const list = (query: ThreadQuery): Promise<ThreadPage> => {
      asked.push(query);
      const from = Number(query.cursor ?? 0);
      const next = from + query.limit;
      return Promise.resolve({ threads: all.slice(from, next), ...(next < all.length ? { next: String(next) } : {}) });
    };
    const found: ThreadSummary[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const query = { sort: 'updated', cwd: '/w', limit: 50, ...(cursor === undefined ? {} : { cursor }) } as const;
      const page = (await listOfFolder(list, query)) as ThreadPage;
      found.push(...page.threads);
      cursor = page.next;
      pages += 1;
    } while (cursor !== undefined);
    expect(found).toEqual(all.filter(({ cwd }) => cwd === '/w'));
    expect([pages, asked.length, asked.some(({ cwd }) => cwd !== undefined)]).toEqual([5, 20, false]);
    const searched = { sort: 'updated', cwd: '/w', text: 'x', limit: 50 } as const;
    await listOfFolder(list, searched);
    expect(asked.at(-1)).toEqual(searched);
  });
});
