import { Script } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { eagerFunctions } from '../../scripts/eager-functions.mjs';
import { plainCharacters } from '../../scripts/plain-characters.mjs';

const code = `
function used(a){return later(a)+1}
async function* counts(n){for(let i=0;i<n;i++)yield i}
function later(a){return [a].map(b=>b*2).map(function(b){return b+early0()})[0]}
const early0=()=>0;
const early=used(1)
class Box{#a=1;get a(){return this.#a}set a(v){this.#a=v}grow(by=c=>c+1){this.a=by(this.a);return this}static of(){return new Box}}
const box={set:v=>w=>v+w,get:async a=>a,both(a){return this.set(a)(1)},get size(){return (()=>3)()}};
const text=\`\${[1,2].map(a=>a+1)}:\${(function(){return 'f'})()}\`;
function recursive(n){return n===0?[]:[n,...recursive(n-1)]}
globalThis.found={early,names:[used.name,later.name,counts.name],grown:Box.of().grow().grow(d=>d*5).a,both:box.both(2),size:box.size,text,recursive:recursive(3),counts};
`;

describe('eagerFunctions', () => {
  it('changes nothing that the code does', async () => {
    const expected = {
      early: 3,
      names: ['used', 'later', 'counts'],
      grown: 10,
      both: 3,
      size: 3,
      text: '2,3:f',
      recursive: [3, 2, 1],
      counted: [0, 1, 2],
    };
    expect([await run(code), await run(eagerFunctions(code))]).toEqual([expected, expected]);
  });

  it('has the functions compiled with their file', () => {
    const body = `let x=0;${'x+=Math.sqrt(x*3)+1;'.repeat(200)}return x`;
    const sizes = [`function a(){${body}}`, `const a=b=>{${body}}`, `const a=[function(){${body}}]`].map((each) => [
      compiledBytes(each) > 4000,
      compiledBytes(eagerFunctions(each)) > 4000,
    ]);
    expect(sizes).toEqual([
      [false, true],
      [false, true],
      [false, true],
    ]);
  });
});

describe('plainCharacters', () => {
  it('writes every character beyond ASCII as an escape that means the same', async () => {
    const written = "globalThis.found={text:`a…·😀`,found:/[…\\uffff]😀/u.test('…😀'),counts:()=>[]}";
    const plain = plainCharacters(written);
    expect({ plain: /^[\0-\x7f]*$/.test(plain), value: await run(plain) }).toEqual({
      plain: true,
      value: { text: 'a…·😀', found: true, counted: [] },
    });
  });
});

async function run(script: string): Promise<unknown> {
  const context = globalThis as unknown as { found: { counts: (n: number) => AsyncIterable<number> } };
  new Script(`{${script}}`).runInThisContext();
  const { counts, ...found } = context.found;
  const counted: number[] = [];
  for await (const each of counts(3)) counted.push(each);
  return { ...found, counted };
}

function compiledBytes(script: string): number {
  return new Script(script).createCachedData().length;
}
