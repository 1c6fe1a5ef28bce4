import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FileAccess, PathRule, ResolvedPolicy } from '../../../protocol/permissions.ts';
import { accessAt } from './access.ts';
import { globCovers, escapeGlob } from './glob.ts';
import { pathDepth, isWithin } from './absolute-paths.ts';
import { anyCharacter } from '../../../testing/test-inputs.ts';

function policyOf(
  rules: readonly (readonly [string, FileAccess])[],
  more: Partial<{ globs: string[]; platform: boolean }> = {},
) {
  const policy: ResolvedPolicy = {
    enforcement: 'managed',
    files: {
      kind: 'restricted',
      rules: rules.map(([path, granted]): PathRule => ({ path, access: granted, ifMissing: 'protect' })),
      denyGlobs: more.globs ?? [],
      platformDefaults: more.platform ?? false,
    },
    network: 'restricted',
  };
  return policy;
}

const path = fc
  .array(fc.constantFrom('a', 'b', 'ab', '.git', 'ü'), { maxLength: 4 })
  .map((names) => `/${names.join('/')}`);
const granted = fc.constantFrom<FileAccess>('read', 'write', 'deny');
const rules = fc.array(fc.tuple(path, granted), { maxLength: 8 });

describe('laws', () => {
  test('the order of rules never matters', () => {
    const shuffled = rules.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
    );
    fc.assert(
      fc.property(shuffled, path, ([ordered, mixed], target) => {
        expect(accessAt(policyOf(mixed), target)).toBe(accessAt(policyOf(ordered), target));
      }),
    );
  });

  test('a new deny changes answers only at its path and below, and there only to deny', () => {
    fc.assert(
      fc.property(rules, path, path, (list, denied, target) => {
        const before = accessAt(policyOf(list), target);
        const after = accessAt(policyOf([...list, [denied, 'deny']]), target);
        return after === before || (isWithin(target, denied) && after === 'deny');
      }),
    );
  });

  test('the longest prefix decides, and deny beats write beats read at equal length', () => {
    const order: readonly FileAccess[] = ['read', 'write', 'deny'];
    fc.assert(
      fc.property(rules, path, (list, target) => {
        const matching = list.filter(([prefix]) => isWithin(target, prefix));
        const longest = Math.max(...matching.map(([prefix]) => pathDepth(prefix)));
        const rivals = matching.filter(([prefix]) => pathDepth(prefix) === longest).map(([, found]) => found);
        const expected = order.findLast((word) => rivals.includes(word)) ?? 'deny';
        expect(accessAt(policyOf(list), target)).toBe(expected);
      }),
    );
  });

  test('a glob never widens, and a path below a match is denied like the match', () => {
    const pieces = fc.array(fc.constantFrom('/', '*', '**', '?', '[ab]', '[', 'a', 'b', '{a,b}', '{', '\\'), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(rules, pieces, path, path, (list, glob, target, below) => {
        const policy = policyOf(list, { globs: [`/${glob.join('')}`] });
        const plain = accessAt(policyOf(list), target);
        const found = accessAt(policy, target);
        const narrowed = found === 'deny' && plain !== 'deny' && target !== '/';
        return narrowed ? accessAt(policy, `${target}${below}`) === 'deny' : found === plain || found === 'deny';
      }),
    );
  });
});

test('a name taken literally matches itself and no other, whatever characters it has', () => {
  const name = fc
    .string({ unit: anyCharacter, minLength: 1, maxLength: 8 })
    .map((text) => `/${text.replaceAll(/[\0/]/g, '-')}`);
  fc.assert(
    fc.property(name, name, (one, other) => {
      expect(globCovers(escapeGlob(one), one)).toBe(true);
      expect(globCovers(escapeGlob(one), other)).toBe(one === other);
    }),
  );
});

test('nested rules reopen what a wider one closed', () => {
  const policy = policyOf([
    ['/srv', 'write'],
    ['/srv/docs', 'read'],
    ['/srv/docs/private', 'deny'],
    ['/srv/docs/private/public', 'write'],
  ]);
  const answers = ['/srv/x', '/srv/docs/x', '/srv/docs/private/x', '/srv/docs/private/public/x', '/elsewhere'];
  expect(answers.map((target) => accessAt(policy, target))).toEqual(['write', 'read', 'deny', 'write', 'deny']);
});

test('components count, not characters', () => {
  expect(accessAt(policyOf([['/repo', 'write']]), '/repository')).toBe('deny');
});

test('odd spellings mean what the kernel makes of them', () => {
  const policy = policyOf([
    ['/', 'read'],
    ['/server/share', 'deny'],
  ]);
  expect(accessAt(policy, '//server/./x/../share/file')).toBe('deny');
  expect(accessAt(policy, '/server/share/../other')).toBe('read');
});

test.each(['', 'repo', './repo', '~/repo', '/repo\0/x'])('text that is no absolute path is denied: %j', (text) => {
  expect(accessAt(policyOf([['/', 'write']]), text)).toBe('deny');
});

test('without restrictions everything may be written', () => {
  expect(accessAt({ enforcement: 'disabled', files: { kind: 'unrestricted' }, network: 'enabled' }, '/x')).toBe(
    'write',
  );
});

test('platform defaults are readable unless a rule at the same place denies them', () => {
  expect(accessAt(policyOf([['/', 'deny']], { platform: true }), '/usr/bin/env')).toBe('read');
  expect(accessAt(policyOf([['/usr', 'deny']], { platform: true }), '/usr/bin/env')).toBe('deny');
  expect(accessAt(policyOf([['/', 'deny']]), '/usr/bin/env')).toBe('deny');
});

describe('deny globs', () => {
  const denied = (glob: string, target: string) =>
    accessAt(policyOf([['/', 'read']], { globs: [glob] }), target) === 'deny';

  test.each([
    ['/x/*/file[0-9]?.txt', '/x/app/file42.txt', true],
    ['/x/*/file[0-9]?.txt', '/x/app/sub/file42.txt', false],
    ['/x/*/file[0-9]?.txt', '/x/app/file4.txt', false],
    ['/x/*/file[0-9]?.txt', '/x/app/filea2.txt', false],
    ['/x/**/*.env', '/x/.env', true],
    ['/x/**/*.env', '/x/a/b/prod.env', true],
    ['/x/**/*.env', '/y/.env', false],
    ['/x/[draft', '/x/[draft', true],
    ['/x/[draft', '/x/d', false],
    ['/x/[!a]', '/x/b', true],
    ['/x/[!a]', '/x/a', false],
    ['/x[!a]y', '/x/y', false],
    ['/x[+-9]y', '/x/y', false],
    ['/x/[]]', '/x/]', true],
    ['/x/*.{pem,key}', '/x/id.key', true],
    ['/x/*.{pem,key}', '/x/id.pub', false],
    ['/x/secret*', '/x/secrets/deep/file', true],
    ['/x/**', '/x/a/b', true],
    ['/x/**', '/x', false],
    [String.raw`/x/\*`, '/x/a', false],
    [String.raw`/x/\*`, '/x/*', true],
    ['/x/a.b', '/x/aXb', false],
    ['/x/line?break', '/x/line\nbreak', true],
    ['/X/a', '/x/a', false],
  ])('%s on %j: %j', (glob, target, expected) => {
    expect(denied(glob, target)).toBe(expected);
  });

  test.each(['/x/[z-a]', '/x/{a', '/x/a}', '/x/trailing\\', 'relative/*'])(
    '%s makes no sense and denies every read',
    (glob) => {
      expect(denied(glob, '/unrelated')).toBe(true);
    },
  );

  test('beat a more specific grant', () => {
    expect(accessAt(policyOf([['/x/a.env', 'write']], { globs: ['/x/*.env'] }), '/x/a.env')).toBe('deny');
  });
});
