import { expect, test } from 'vitest';
import { type Proxy, proxyFor, proxySecrets, type RequestTarget } from './destination.ts';

const target = (protocol: RequestTarget['protocol']): RequestTarget => {
  return { protocol, host: 'models.example', port: '', path: '/', origin: `${protocol}//models.example` };
};

const plain = {
  kind: 'proxy',
  variable: 'HTTPS_PROXY',
  protocol: 'http:',
  host: 'gate',
  port: '8080',
  origin: 'http://gate:8080',
  authorization: undefined,
} satisfies Proxy;

const known = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

test.each([
  ['http://gate:8080', plain],
  ['gate:8080', plain],
  [' http://gate:8080/ ', plain],
  ['http://gate', { ...plain, port: '', origin: 'http://gate' }],
  ['HTTPS://gate:8080', { ...plain, protocol: 'https:', origin: 'https://gate:8080' }],
  ['http://[::1]:8080', { ...plain, host: '::1', origin: 'http://[::1]:8080' }],
  ['http://anna:p%40ss@gate:8080', { ...plain, authorization: known('anna:p@ss') }],
  ['anna:p@ss@gate:8080', { ...plain, authorization: known('anna:p@ss') }],
  ['http://anna:100%@gate:8080', { ...plain, authorization: known('anna:100%') }],
  ['http://anna@gate:8080', { ...plain, authorization: known('anna:') }],
])('%s is an address', (value, proxy) => {
  expect(proxyFor(target('https:'), { HTTPS_PROXY: value })).toEqual(proxy);
});

test.each([
  'http://',
  'http://gate:port',
  'socks5h://gate:1080',
  'ftp://gate',
  // A sign that ends the host leaves a part of what is secret in its place.
  'http://anna:12/34@gate:8080',
  'http://anna:p@ss/word@gate:8080',
  'http://anna:12?34@gate:8080',
  'http://anna:12#34@gate:8080',
])('%s is not, and nothing of it is shown', (value) => {
  const choice = proxyFor(target('https:'), { HTTPS_PROXY: value });
  expect(choice).toMatchObject({ kind: 'unusable' });
  expect(JSON.stringify(choice)).not.toMatch(/anna|12|34|ss\/word|gate/);
});

test('capitals go first, then the variable of the scheme, and blanks are nothing', () => {
  const of = (protocol: RequestTarget['protocol'], environment: Record<string, string>) =>
    (proxyFor(target(protocol), environment) as Proxy | undefined)?.variable;
  const all = { HTTP_PROXY: 'a', http_proxy: 'b', HTTPS_PROXY: 'c', https_proxy: 'd', ALL_PROXY: 'e', all_proxy: 'f' };
  expect([
    of('http:', all),
    of('https:', all),
    of('https:', { ...all, HTTPS_PROXY: ' ' }),
    of('https:', { HTTP_PROXY: 'a', all_proxy: 'f' }),
    of('https:', { HTTP_PROXY: 'a' }),
    of('http:', { ...all, NO_PROXY: 'other', no_proxy: 'models.example' }),
    of('http:', { ...all, NO_PROXY: '', no_proxy: 'models.example' }),
  ]).toEqual(['HTTP_PROXY', 'HTTPS_PROXY', 'https_proxy', 'all_proxy', undefined, 'HTTP_PROXY', undefined]);
});

test('what identifies a user is secret in every form', () => {
  expect(proxySecrets({ HTTP_PROXY: 'http://gate', https_proxy: 'http://anna:p%40ss@gate' })).toEqual([
    'anna',
    'p%40ss',
    'anna',
    'p@ss',
    known('anna:p@ss').slice('Basic '.length),
  ]);
});
