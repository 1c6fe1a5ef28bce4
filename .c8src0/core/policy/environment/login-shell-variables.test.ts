import { expect, test } from 'vitest';
import { withLoginShell } from './shell-environment-policy.ts';

test('the caller wins, and the login shell adds what is missing', () => {
  const caller = { PATH: '/app/.venv/bin:/usr/bin', VIRTUAL_ENV: '/app/.venv', EDITOR: '', LANG: 'de_DE' };
  const loginShell = { PATH: '/opt/tools:/usr/bin', EDITOR: 'vi', LANG: 'C', JAVA_HOME: '/opt/java' };
  expect(withLoginShell(caller, loginShell)).toEqual({
    PATH: '/app/.venv/bin:/usr/bin:/opt/tools',
    VIRTUAL_ENV: '/app/.venv',
    EDITOR: '',
    LANG: 'de_DE',
    JAVA_HOME: '/opt/java',
  });
});

test.each([
  ['an order is kept on both sides', '/b:/a', '/d:/b:/c', '/b:/a:/d:/c'],
  ['a folder is the same with a slash at its end', '/usr/bin/', '/usr/bin:/bin/:/bin:/', '/usr/bin/:/bin/:/'],
  ['odd entries of the caller stay', ':./bin:/a:', '/b', ':./bin:/a::/b'],
  ['odd entries of the login shell do not', '/a', ':./bin:bin:/b:', '/a:/b'],
  ['a caller without a path has the other', '', '/a:/a:/b', '/a:/b'],
  ['a login shell without a path changes nothing', '/a', '', '/a'],
])('PATH: %s', (_, first, second, joined) => {
  expect(withLoginShell({ PATH: first }, { PATH: second })).toEqual({ PATH: joined });
});

test('PATH: neither has one', () => {
  expect(withLoginShell({ A: '1' }, { B: '2' })).toEqual({ A: '1', B: '2' });
  expect(withLoginShell({}, { PATH: '/a:/b' })).toEqual({ PATH: '/a:/b' });
});
