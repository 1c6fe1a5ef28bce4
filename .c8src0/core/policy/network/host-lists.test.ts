import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { NetworkLists } from '../../../protocol/permissions.ts';
import { decideAddresses, decideHost, parseHostPattern, readHostLists } from './host-lists.ts';
import { normaliseHost } from './host-name.ts';

const none: NetworkLists = { allow: [], deny: [], local: false, methods: 'any' };

function verdict(lists: Partial<NetworkLists>, host: string, port = 443): string {
  const decided = decideHost(readHostLists({ ...none, ...lists }), { host, port });
  if (decided.kind === 'blocked') return decided.reason;
  return decided.kind === 'allowed' ? `allowed, ${decided.addresses}` : `asked by ${decided.by}, ${decided.addresses}`;
}

test.each<[string, Partial<NetworkLists>, string, string]>([
  ['nothing is listed', {}, 'x.com', 'asked by lists, public'],
  ['deny beats allow', { allow: ['x.com'], deny: ['x.com'] }, 'x.com', 'denied'],
  ['deny of all below beats an exact allow', { allow: ['a.x.com'], deny: ['**.x.com'] }, 'a.x.com', 'denied'],
  ['deny beats any', { allow: ['*'], deny: ['x.com'] }, 'x.com', 'denied'],
  ['exact', { allow: ['x.com'] }, 'x.com', 'allowed, public'],
  ['exact is no suffix', { allow: ['x.com'] }, 'a.x.com', 'asked by lists, public'],
  ['a longer name that ends the same', { allow: ['**.x.com'] }, 'evilx.com', 'asked by lists, public'],
  ['a name that goes on', { allow: ['x.com'] }, 'x.com.evil.org', 'asked by lists, public'],
  ['below does not mean itself', { allow: ['*.x.com'] }, 'x.com', 'asked by lists, public'],
  ['below', { allow: ['*.x.com'] }, 'a.b.x.com', 'allowed, public'],
  ['within means itself', { allow: ['**.x.com'] }, 'x.com', 'allowed, public'],
  ['within', { allow: ['**.x.com'] }, 'a.x.com', 'allowed, public'],
  ['any', { allow: ['*'] }, 'x.com', 'allowed, public'],
  ['letters and final dots of a pattern', { allow: ['X.Com.'] }, 'x.com', 'allowed, public'],
  ['its port', { allow: ['x.com:443'] }, 'x.com', 'allowed, public'],
  ['another port', { allow: ['x.com:80'] }, 'x.com', 'asked by lists, public'],
  ['any host at a port', { allow: ['*:80'] }, 'x.com', 'asked by lists, public'],
  ['a port that is denied', { allow: ['x.com'], deny: ['x.com:443'] }, 'x.com', 'denied'],
  ['another port is denied', { allow: ['x.com'], deny: ['x.com:22'] }, 'x.com', 'allowed, public'],
  ['this machine', { allow: ['*'] }, 'localhost', 'not_allowed_local'],
  ['this machine by another name', { allow: ['*'] }, 'a.localhost', 'not_allowed_local'],
  ['a private address', { allow: ['*'] }, '10.0.0.1', 'not_allowed_local'],
  ['an address that is listed', { allow: ['127.0.0.1'] }, '127.0.0.1', 'allowed, any'],
  ['an address that is listed with its port', { allow: ['127.0.0.1:443'] }, '127.0.0.1', 'allowed, any'],
  ['an address that is listed with another port', { allow: ['127.0.0.1:80'] }, '127.0.0.1', 'not_allowed_local'],
  ['a name of this machine that is listed', { allow: ['localhost'] }, 'localhost', 'allowed, any'],
  ['local, not listed', { local: true }, '127.0.0.1', 'asked by lists, any'],
  ['local and any', { local: true, allow: ['*'] }, '127.0.0.1', 'allowed, any'],
  ['local, and a name', { local: true, allow: ['x.com'] }, 'x.com', 'allowed, any'],
  ['local, and denied', { local: true, allow: ['*'], deny: ['127.0.0.1'] }, '127.0.0.1', 'denied'],
  ['a public address by name', { allow: ['8.8.8.8'] }, '8.8.8.8', 'allowed, public'],
  ['an address is below no name', { allow: ['**.4.4'] }, '8.8.4.4', 'asked by lists, public'],
  ['an allow that makes no sense', { allow: ['a.*.com', '**', 'x/y'] }, 'x.com', 'asked by lists, public'],
  ['a rule asks about what is listed', { allow: ['*'], ask: ['x.com'] }, 'x.com', 'asked by rule, public'],
  ['a rule asks at every port', { allow: ['x.com:443'], ask: ['x.com'] }, 'x.com', 'asked by rule, public'],
  ['a rule asks about what is not listed', { ask: ['x.com'] }, 'x.com', 'asked by rule, public'],
  ['a rule asks about this machine by another name', { local: true, ask: ['::1'] }, 'localhost', 'asked by rule, any'],
  ['a rule that asks opens nothing local', { allow: ['*'], ask: ['10.0.0.1'] }, '10.0.0.1', 'not_allowed_local'],
  ['a rule that asks about another host', { allow: ['*'], ask: ['y.com'] }, 'x.com', 'allowed, public'],
  ['a rule that asks and makes no sense', { allow: ['*'], ask: ['x/y'] }, 'x.com', 'asked by rule, public'],
  ['an answer opens what no list has', { granted: ['x.com:443'] }, 'x.com', 'allowed, public'],
  ['an answer opens one port', { granted: ['x.com:80'] }, 'x.com', 'asked by lists, public'],
  ['an answer beats a rule that asks', { ask: ['x.com'], granted: ['x.com:443'] }, 'x.com', 'allowed, public'],
  ['no answer beats deny', { deny: ['x.com'], granted: ['x.com:443'] }, 'x.com', 'denied'],
  ['no answer opens this machine', { granted: ['127.0.0.1:443'] }, '127.0.0.1', 'not_allowed_local'],
  ['an answer opens it where the lists may', { local: true, granted: ['127.0.0.1:443'] }, '127.0.0.1', 'allowed, any'],
  ['a deny that makes no sense', { allow: ['*'], deny: ['*'] }, 'x.com', 'denied'],
])('%s', (_, lists, host, expected) => {
  expect(verdict(lists, host)).toBe(expected);
});

describe('addresses', () => {
  const rules = readHostLists({ ...none, allow: ['*'], deny: ['9.9.9.9', '8.8.4.4:80'] });
  test.each([
    [['1.1.1.1', '2606:4700::1'], 'public', undefined],
    [['1.1.1.1', '127.0.0.1'], 'public', 'not_allowed_local'],
    [['127.0.0.1'], 'any', undefined],
    [[], 'any', 'unresolved'],
    [[], 'public', 'unresolved'],
    [['1.1.1.1', '9.9.9.9'], 'any', 'denied'],
    [['8.8.4.4'], 'public', undefined],
    [['fe80::1%eth0'], 'public', 'not_allowed_local'],
    [['no address'], 'public', 'not_allowed_local'],
  ] as const)('%j, wanted %s', (addresses, wanted, expected) => {
    expect(decideAddresses(rules, wanted, { addresses, port: 443 })).toBe(expected);
  });
});

test.each([
  ['*', 'deny', '"*" can only be allowed; leave a host out to deny it'],
  ['*:0', 'allow', 'the port after "*" must be a number from 1 to 65535'],
  ['**', 'allow', 'a wildcard must be "*", or come before a dot: "*.example.com"'],
  ['*example.com', 'allow', 'a wildcard must be "*", or come before a dot: "*.example.com"'],
  ['a.*.com', 'allow', 'it must be a host such as "example.com", "*.example.com" or "example.com:443"'],
  ['https://example.com', 'allow', 'it must be a host such as "example.com", "*.example.com" or "example.com:443"'],
  ['', 'allow', 'it must be a host such as "example.com", "*.example.com" or "example.com:443"'],
  ['*.127.0.0.1', 'allow', 'an address cannot have a wildcard'],
] as const)('the pattern %j is refused in a list of kind %s', (text, list, why) => {
  expect(parseHostPattern(text, list)).toBe(why);
});

const label = fc.stringMatching(/^[a-z][a-z0-9]{0,4}$/);
const name = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.'));
const pattern = fc
  .tuple(fc.constantFrom('', '*.', '**.'), name, fc.constantFrom('', ':80', ':443'))
  .map((parts) => parts.join(''));

test('an answer never depends on order, and a longer deny list never allows more', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(pattern, fc.constant('*')), { maxLength: 6 }),
      fc.array(pattern, { maxLength: 4 }),
      pattern,
      fc.oneof(name, fc.ipV4(), fc.ipV6()),
      fc.constantFrom(80, 443, 22),
      fc.boolean(),
      (allow, deny, more, text, port, local) => {
        const host = normaliseHost(text);
        if (host === undefined) return;
        const decided = verdict({ allow, deny, local }, host, port);
        expect(verdict({ allow: allow.toReversed(), deny: deny.toReversed(), local }, host, port)).toBe(decided);
        const stricter = verdict({ allow, deny: [...deny, more], local }, host, port);
        expect([decided, 'denied']).toContain(stricter);
        const narrower = verdict({ allow: allow.slice(1), deny, local }, host, port);
        expect(narrower.startsWith('allowed') && !decided.startsWith('allowed')).toBe(false);
      },
    ),
    { numRuns: 1000 },
  );
});

describe('this machine in deny lists', () => {
  const byte = fc.nat(255);
  const version4 = fc.oneof(
    fc.constant('0.0.0.0'),
    fc.tuple(byte, byte, byte).map((bytes) => `127.${bytes.join('.')}`),
  );
  const hexadecimal = (address: string): string => {
    const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
    return `::ffff:${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  };
  const version6 = fc.oneof(
    fc.constantFrom('::', '::1', '0:0:0:0:0:0:0:1', '0::0'),
    version4.map((address) => `::ffff:${address}`),
    version4.map(hexadecimal),
  );
  const bracketed = fc.tuple(version6, fc.constantFrom('', '%1', '%lo', '%eth0')).map((parts) => `[${parts.join('')}]`);
  const otherBases = fc.constantFrom('127.1', '0x7f.1', '0177.0.0.1', '2130706433', '0', '0x0', '127.0.0.1.');
  const names = fc.constantFrom('localhost', 'LOCALHOST.', 'a.localhost');
  const spelling = fc.oneof(version4, bracketed, otherBases, names);

  test('every spelling of it is decided alike, by its name and as an address that a name leads to', () => {
    fc.assert(
      fc.property(spelling, spelling, fc.constantFrom('', ':443', ':80'), (denied, asked, port) => {
        const host = normaliseHost(asked) ?? '';
        const lists = { ...none, allow: ['*'], deny: [`${denied}${port}`], local: true };
        const expected = port === ':80' ? undefined : 'denied';
        expect(verdict(lists, host)).toBe(expected ?? 'allowed, any');
        if (host.endsWith('localhost')) return;
        expect(decideAddresses(readHostLists(lists), 'any', { addresses: [host], port: 443 })).toBe(expected);
      }),
      { numRuns: 1000 },
    );
  });

  test('other hosts are not meant by it', () => {
    for (const host of ['x.com', '10.0.0.1', '1.1.1.1', '::2', 'fe80::1%lo']) {
      expect(verdict({ allow: ['*'], deny: ['127.0.0.1', 'localhost', '::1'], local: true }, host)).toBe(
        'allowed, any',
      );
    }
  });
});

test.each([
  ['fe80::1', 'denied'],
  ['fe80::1%eth0', 'denied'],
  ['fe80::1%eth1', 'denied'],
  ['fe80::2%eth0', 'allowed, any'],
])('a denied address is denied in every zone: %s', (host, expected) => {
  expect(verdict({ allow: ['*'], deny: ['fe80::1%eth0'], local: true }, host)).toBe(expected);
  expect(verdict({ allow: ['*'], deny: ['fe80::1'], local: true }, host)).toBe(expected);
});
