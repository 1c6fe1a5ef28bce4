import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const internals = markdownIn('docs/internals');
/** Pages about the sources: what they name in code style must be there. */
const sourcePages = ['ARCHITECTURE.md', 'GLOSSARY.md', ...internals];
const allPages = [...markdownIn('.'), ...markdownIn('docs'), ...markdownIn('docs/decisions'), ...internals];
const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'));
/** Every word of the sources, comments included. */
const words = new Set(sources.flatMap((path) => read(`src/${path}`).match(/\w+/g) ?? []));

function markdownIn(folder: string): readonly string[] {
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => (folder === '.' ? name : `${folder}/${name}`));
}

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

function withoutBlocks(text: string): string {
  return text.replaceAll(/^```.*?^```$/gms, '');
}

function codesIn(page: string): readonly string[] {
  return [...withoutBlocks(read(page)).matchAll(/`([^`\n]+)`/g)].map(([, code]) => code ?? '');
}

/** Under src/, or from the root of the repository. */
function isThere(path: string): boolean {
  return existsSync(join(root, 'src', path)) || existsSync(join(root, path));
}

/** As GitHub names a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}

function anchorsIn(page: string): readonly string[] {
  return [...withoutBlocks(read(page)).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchorOf(heading ?? ''));
}

describe('pages about the sources', () => {
  it.each(sourcePages)('%s names files and folders that exist', (page) => {
    const paths = codesIn(page).filter((code) => /^[\w./-]+\.ts$/.test(code) || /^[\w-]+(\/[\w-]+)*\/$/.test(code));
    expect(paths.filter((path) => !isThere(path))).toEqual([]);
  });

  it.each(sourcePages)('%s names only what the sources name', (page) => {
    const names = codesIn(page).filter((code) => /^\w+(\.\w+)*$/.test(code) && !isThere(code) && !code.endsWith('.ts'));
    expect(names.filter((name) => name.split('.').some((part) => !words.has(part)))).toEqual([]);
  });

  test('ARCHITECTURE.md is one page', () => {
    const text = read('ARCHITECTURE.md');
    expect(text.split('\n').length).toBeLessThanOrEqual(120);
    expect(text.length).toBeLessThanOrEqual(10_000);
  });

  test('ARCHITECTURE.md lists every folder, and no other', () => {
    const rows = [...read('ARCHITECTURE.md').matchAll(/^\| `([\w/-]+)\/` \| ((?:`[\w/-]+`(?:, )?)+) \|/gm)];
    const listed = rows.flatMap(([, room, names = '']) => codesOf(names).map((name) => `${room}/${name}`));
    const folders = new Set(
      sources.map(dirname).flatMap((folder) => {
        const parts = folder.split('/');
        return parts.slice(1).map((_, at) => parts.slice(0, at + 2).join('/'));
      }),
    );
    expect(listed.toSorted()).toEqual([...folders].toSorted());
  });
});

function codesOf(list: string): readonly string[] {
  return [...list.matchAll(/`([\w/-]+)`/g)].map(([, name]) => name ?? '');
}

/** Decisions tell of their day, and the changelog of the past. */
it.each(allPages.filter((page) => !page.startsWith('docs/decisions/') && page !== 'CHANGELOG.md'))(
  '%s names sources and tests that exist',
  (page) => {
    const paths = codesIn(page).filter((code) => /^(src|test|bench|scripts)\/[\w./-]*$/.test(code));
    expect(paths.filter((path) => !isThere(path))).toEqual([]);
  },
);

it.each(allPages)('every link of %s leads somewhere', (page) => {
  const targets = [...withoutBlocks(read(page)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target ?? '');
  const lost = targets.filter((target) => {
    if (/^\w+:/.test(target)) return false;
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? page : join(dirname(page), path);
    if (!existsSync(join(root, file))) return true;
    return anchor !== undefined && !anchorsIn(file).includes(anchor);
  });
  expect(lost).toEqual([]);
});

describe('pictures', () => {
  const pictures = ['screens', 'sessions'].flatMap((folder) =>
    readdirSync(join(root, 'docs', folder))
      .filter((name) => name.endsWith('.svg'))
      .map((name) => `${folder}/${name}`),
  );

  test('each stands on a page', () => {
    const pages = allPages.map(read).join('\n');
    expect(pictures.length).toBeGreaterThan(20);
    expect(pictures.filter((path) => !pages.includes(`${path})`))).toEqual([]);
  });

  it.each(pictures)('%s is small, has a name, and no path of the machine that drew it', (path) => {
    const svg = read(`docs/${path}`);
    expect(svg.length).toBeLessThan(40_000);
    expect(svg).toMatch(/<title[^>]*>[^<]+<\/title>/);
    expect(svg).not.toMatch(/\/(?:tmp|root|Users|work)\b/);
  });
});
