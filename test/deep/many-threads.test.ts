import { expect, it } from 'vitest';
import { IndexHome, meta, says, uuid } from '../threads/index-home.ts';

it('a home may hold more threads than Codex looks at, and pages show every one of them once', async () => {
  const home = new IndexHome();
  const count = 10_500;
  const ids = Array.from({ length: count }, (_, i) => uuid(i));
  for (const [i, id] of ids.entries()) {
    home.write(id, [meta(id), says('user', `words ${i}`)], {
      folder: `sessions/2026/01/${String((i % 28) + 1).padStart(2, '0')}`,
    });
  }
  const seen: string[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await home.index.list({ limit: 1000, sort: 'created', ...(cursor === undefined ? {} : { cursor }) });
    if ('code' in page) throw new Error(page.message);
    seen.push(...page.threads.map((thread) => thread.id));
    cursor = page.next;
    if (cursor === undefined) break;
  }
  expect(seen).toHaveLength(count);
  expect(seen.toSorted()).toEqual(ids);
});
