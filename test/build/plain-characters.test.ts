import { Script } from 'node:vm';
import { expect, it } from 'vitest';
import { plainCharacters } from '../../scripts/plain-characters.mjs';

it('writes every character beyond ASCII as an escape that means the same', () => {
  const plain = plainCharacters("({text:`a…·😀`,found:/[…\\uffff]😀/u.test('…😀')})");
  expect({ plain: /^[\0-\x7f]*$/.test(plain), value: new Script(plain).runInThisContext() as unknown }).toEqual({
    plain: true,
    value: { text: 'a…·😀', found: true },
  });
});
