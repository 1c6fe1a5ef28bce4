import { expect, test } from 'vitest';
import { inspectRepository, type RepositoryProbe } from './inspect-repository.ts';
import { isWithin } from '../paths/absolute-paths.ts';

const files = new Set(['/p/.git/HEAD', '/p/mod/.git', '/p/bare/HEAD', '/p/tree/.git', '/x/.git/HEAD']);
const folders = new Set('/p/.git /p/empty/.git /p/bare/objects /p/bare/refs /x/.git'.split(' '));

const ground: RepositoryProbe = {
  look: (path) => ({ kind: files.has(path) ? 'file' : folders.has(path) ? 'folder' : 'missing' }),
  mayWrite: (path) => isWithin(path, '/p') && !path.includes('/.git'),
  opened: ['/p'],
  cwd: '/p',
  workspace: '/p',
  settingsOf: (folder) => (folder === '/p/tree' ? ['/m/.git/worktrees/tree', '/m/.git'] : [`${folder}/.git`]),
  readsBeside: () => [],
};

test.each<readonly [string, Partial<RepositoryProbe>, string]>([
  ['the root of the workspace', {}, 'protected'],
  ['a folder in which another could be made', { cwd: '/p/sub' }, 'own'],
  ['a folder with an empty .git', { cwd: '/p/empty' }, 'own'],
  ['a repository in the workspace', { cwd: '/p/mod' }, 'other'],
  ['a bare repository in the workspace', { cwd: '/p/bare' }, 'other'],
  ['another repository', { cwd: '/x' }, 'other'],
  ['no repository', { cwd: '/y', workspace: '/y' }, 'other'],
  ['a .git that commands may write', { mayWrite: () => true }, 'own'],
  ['a workspace in a folder that was open before', { opened: ['/p', '/'] }, 'protected'],
  [
    'a workspace that another thread may have made',
    { opened: ['/p', '/p/tree'], cwd: '/p/tree', workspace: '/p/tree' },
    'own',
  ],
  ['a linked worktree', { opened: ['/p/tree'], cwd: '/p/tree', workspace: '/p/tree' }, 'protected'],
  ['one whose repository is open', { opened: ['/p/tree', '/m'], cwd: '/p/tree', workspace: '/p/tree' }, 'own'],
  ['a folder above that no command may write', { opened: [], mayWrite: () => false, cwd: '/p/sub' }, 'protected'],
])('%s', (_name, more, expected) => {
  expect(inspectRepository({ ...ground, ...more }).kind).toBe(expected);
});

test.each<readonly [string, Partial<RepositoryProbe>, string | undefined]>([
  ['nothing beside it', {}, undefined],
  ['settings elsewhere, and in its own folder', { readsBeside: () => ['/home/.gitconfig', '/p/.git/more'] }, undefined],
  ['settings in the workspace, existing or not', { readsBeside: () => ['/p/.gitconfig'] }, '/p/.gitconfig'],
  ['settings where another thread may write', { readsBeside: () => ['/t/x'], opened: ['/p', '/t'] }, '/t/x'],
  ['a repository in the workspace', { readsBeside: () => ['/p/.git/modules/sub', '/p/mod/.git'] }, '/p/mod/.git'],
  [
    'settings behind a link that leads into the workspace',
    { readsBeside: () => ['/home/.gitconfig'], look: linked({ '/home/.gitconfig': '/p/x' }) },
    '/home/.gitconfig',
  ],
  ['more than can be looked at', { readsBeside: () => undefined }, '/p/.git'],
])('what commands can have written is named: %s', (_name, more, open) => {
  const kind = open === undefined ? 'protected' : 'own';
  expect(inspectRepository({ ...ground, ...more })).toEqual({ kind, ...(open === undefined ? {} : { open }) });
});

function linked(links: Readonly<Record<string, string>>): RepositoryProbe['look'] {
  return (path) => {
    const target = links[path];
    if (target !== undefined) return { kind: 'link', target };
    return path === '/home' ? { kind: 'folder' } : ground.look(path);
  };
}
