import { expect, test } from 'vitest';
import { packageManagerNames, planPackageUnpacking } from './unpack-bubblewrap.ts';

test('Debian packages are fetched and unpacked without root, with lists of its own as the second way', () => {
  const steps = planPackageUnpacking({ 'apt-get': '/usr/bin/apt-get', dpkg: '/usr/bin/dpkg' }, '/ws');
  if ('code' in steps) throw new Error('no steps');
  expect(steps.download).toEqual({
    program: '/usr/bin/apt-get',
    words: ['-q', '-o', 'Acquire::http::Timeout=20', '-o', 'Acquire::Retries=1', 'download', 'bubblewrap'],
    cwd: '/ws/download',
    timeoutMs: 120_000,
  });
  const [update, download] = steps.downloadWithOwnLists;
  expect(update?.words.at(-1)).toBe('update');
  expect(download?.words).toEqual([
    ...steps.download.words.slice(0, 5),
    ...update!.words.slice(5, -1),
    'download',
    'bubblewrap',
  ]);
  expect(update?.words).toContain('Dir::State::Lists=/ws/state/lists');
  expect(steps.folders.every((folder) => folder.startsWith('/ws/'))).toBe(true);
  expect(steps.unpack('/ws/download/b.deb', '/target').words).toEqual(['-x', '/ws/download/b.deb', '/target']);
});

test.each([
  [{ dnf: '/usr/bin/dnf' }, 'Install it: sudo dnf install bubblewrap'],
  [{ pacman: '/usr/bin/pacman' }, 'Install it: sudo pacman -S bubblewrap'],
  [{ zypper: '/usr/bin/zypper' }, 'Install it: sudo zypper install bubblewrap'],
  [{ apk: '/sbin/apk' }, 'Install it: sudo apk add bubblewrap'],
  [{ 'apt-get': '/usr/bin/apt-get' }, 'Install it: sudo apt-get install bubblewrap'],
  [{}, 'Install the package "bubblewrap" of your distribution.'],
])('elsewhere the command is named that installs it: %j', (programs, next) => {
  expect(planPackageUnpacking(programs, '/ws')).toMatchObject({ code: 'no-package', next });
  for (const name of Object.keys(programs)) expect(packageManagerNames).toContain(name);
});
