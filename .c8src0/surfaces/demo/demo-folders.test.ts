import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { makeDemoFolders, removeDemoFolders } from './demo-folders.ts';

function home(): string {
  const folder = mkdtempSync('/var/tmp/capstan-demo-');
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('a demo stands among the caches and takes the folders of earlier ones away', () => {
  const osHome = home();
  const caches = join(osHome, '.cache/capstan');
  const dead = spawnSync(process.execPath, ['-e', '']).pid;
  for (const name of [`demo-${dead}-abcdef`, `demo-${process.pid}-runs`, 'compiled']) {
    mkdirSync(join(caches, name), { recursive: true });
  }
  mkdirSync(join(osHome, 'kept'));
  writeFileSync(join(osHome, 'kept/file'), '');
  symlinkSync(join(osHome, 'kept'), join(caches, `demo-${dead}-link`));
  const { root, project } = makeDemoFolders(process.env, osHome);
  expect(root).toMatch(new RegExp(`^${caches}/demo-${process.pid}-\\w{6}$`));
  expect(readdirSync(project)).toContain('.git');
  expect(existsSync(join(caches, `demo-${dead}-abcdef`))).toBe(false);
  expect(readdirSync(caches).length).toBe(4);
  expect(existsSync(join(osHome, 'kept/file'))).toBe(true);
});

test('a demo takes away what it made, and no folder that was there before', async () => {
  const osHome = home();
  mkdirSync(join(osHome, '.cache'));
  await removeDemoFolders(makeDemoFolders(process.env, osHome));
  expect(readdirSync(osHome, { recursive: true })).toEqual(['.cache']);
  const place = makeDemoFolders(process.env, osHome);
  writeFileSync(join(osHome, '.cache/capstan/other'), '');
  await removeDemoFolders(place);
  expect(readdirSync(osHome, { recursive: true })).toEqual(['.cache', '.cache/capstan', '.cache/capstan/other']);
});

test('a demo goes whole while another process removes files in it', async () => {
  const osHome = home();
  const place = makeDemoFolders(process.env, osHome);
  const inner = join(place.home, 'inner');
  mkdirSync(inner);
  const files = 1500;
  for (let file = 0; file < files; file += 1) writeFileSync(join(inner, String(file)), '');
  const ended = once(spawn('rm', ['-rf', inner], { stdio: 'ignore' }), 'exit');
  while (existsSync(inner) && readdirSync(inner).length === files) await setImmediate();
  expect(await removeDemoFolders(place)).toBeUndefined();
  expect(readdirSync(osHome)).toEqual([]);
  await ended;
});

test('a folder that cannot be removed is named', async () => {
  // Root may remove every folder, but no path can have this.
  const root = join(home(), 'demo\0');
  const place = { root, home: join(root, 'home'), project: join(root, 'project') };
  expect(await removeDemoFolders(place, 0)).toBe(root);
});

test('without a home that can be written it stands in the temporary folder', () => {
  const file = join(home(), 'file');
  writeFileSync(file, '');
  const { root } = makeDemoFolders({}, file);
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  expect(root).toMatch(/\/capstan-demo-\w{6}$/);
});
