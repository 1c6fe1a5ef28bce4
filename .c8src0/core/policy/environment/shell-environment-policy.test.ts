import { expect, test } from 'vitest';
import {
  childEnvironment,
  defaultShellEnvironmentPolicy,
  type ShellEnvironmentPolicy,
} from './shell-environment-policy.ts';

const fixed = childEnvironment({}, defaultShellEnvironmentPolicy, {});

/** The variables that are left without the fixed ones. */
function rest(
  base: Record<string, string>,
  policy: Partial<ShellEnvironmentPolicy>,
  extra: Record<string, string> = {},
) {
  const whole = childEnvironment(base, { ...defaultShellEnvironmentPolicy, ...policy }, extra);
  return Object.fromEntries(Object.entries(whole).filter(([name]) => !(name in fixed)));
}

test('the fixed variables win over everything', () => {
  const set = { PAGER: 'less', TERM: 'xterm' };
  expect(
    childEnvironment(
      { LANG: 'de_DE', COLORTERM: 'truecolor' },
      { ...defaultShellEnvironmentPolicy, set },
      { LC_ALL: 'x' },
    ),
  ).toEqual({
    NO_COLOR: '1',
    TERM: 'dumb',
    LANG: 'C.UTF-8',
    LC_CTYPE: 'C.UTF-8',
    LC_ALL: 'C.UTF-8',
    COLORTERM: '',
    PAGER: 'cat',
    GIT_PAGER: 'cat',
    GH_PAGER: 'cat',
    GIT_EDITOR: ':',
    CODEX_CI: '1',
    CAPSTAN: '1',
  });
});

test('names that look like secrets are dropped, whatever their case, unless the user says otherwise', () => {
  const base = {
    OPENAI_API_KEY: '1',
    github_token: '2',
    MySecretName: '3',
    DB_PASSWORD: '4',
    GOOGLE_APPLICATION_CREDENTIALS: '5',
    EDITOR: 'vi',
  };
  expect(rest(base, {})).toEqual({ EDITOR: 'vi' });
  expect(rest(base, { ignoreDefaultExcludes: true })).toEqual(base);
});

test('core keeps the listed names in any case, none keeps nothing', () => {
  const base = { PATH: '/bin', path: '/x', Home: '/home/me', EDITOR: 'vi', MYPATH: 'no' };
  expect(rest(base, { inherit: 'core' })).toEqual({ PATH: '/bin', path: '/x', Home: '/home/me' });
  expect(rest(base, { inherit: 'none' })).toEqual({});
});

test('exclude drops what was inherited, set comes after it, include-only judges both, extra passes always', () => {
  const base = { AWS_REGION: 'x', AWS_PROFILE: 'y', EDITOR: 'vi', A1: '1', A22: '2' };
  expect(rest(base, { exclude: ['aws_*', 'A?'], set: { AWS_REGION: 'z' } })).toEqual({
    EDITOR: 'vi',
    A22: '2',
    AWS_REGION: 'z',
  });
  expect(rest(base, { includeOnly: ['EDIT*'], set: { OTHER: '1' } }, { CODEX_THREAD_ID: 't' })).toEqual({
    EDITOR: 'vi',
    CODEX_THREAD_ID: 't',
  });
});

test('characters of regular expressions mean themselves', () => {
  expect(rest({ 'A.B': '1', AXB: '2' }, { exclude: ['A.B'] })).toEqual({ AXB: '2' });
});
