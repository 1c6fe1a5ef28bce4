import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { asScript } from '../../scripts/as-script.mjs';
import { whenTestEnds } from '../harness/when-test-ends.ts';

const used = `let x=0;${'x+=Math.sqrt(x*3)+1;'.repeat(200)}return x`;
const code = `
function later(a){return [a].map(b=>b*2)[0]}
async function* counts(n){for(let i=0;i<n;i++)yield i}
class Box{#a=1;async grow(by=c=>c+1){this.#a=by(this.#a);${used}}}
const other=async()=>(await import('./other.mjs')).default;
const where=import.meta.url;
export{later as a,counts,Box as $,other as default,where as if};`;

const main = `
process.getBuiltinModule('node:module').enableCompileCache(process.env.KEPT);
const {a,counts,$,default:other,if:where}=await import('./module.mjs');
const counted=[];
for await(const each of counts(3))counted.push(each);
const grown=await new $().grow()>0;
console.log(JSON.stringify({a:a(2),name:a.name,counted,grown,other:await other(),where:where===new URL('module.mjs',import.meta.url).href}));`;
const expected = { a: 4, name: 'later', counted: [0, 1, 2], grown: true, other: 'other', where: true };

function place() {
  const folder = mkdtempSync(join(tmpdir(), 'capstan-script-'));
  whenTestEnds(() => rmSync(folder, { recursive: true, force: true }));
  const { script, module } = asScript({ name: 'each', code, keptBy: ['exec'] });
  writeFileSync(join(folder, script.name), script.code);
  writeFileSync(join(folder, 'module.mjs'), module);
  writeFileSync(join(folder, 'other.mjs'), "export default 'other';");
  writeFileSync(join(folder, 'main.mjs'), main);
  const cache = join(folder, 'kept');
  const kept = () => readdirSync(cache).flatMap((tag) => readdirSync(join(cache, tag)).map((name) => join(tag, name)));
  return {
    name: script.name,
    kept: () => kept().flatMap((path) => (path.endsWith('.script.js') ? [join(cache, path)] : [])),
    left: () => kept().filter((path) => path.includes('.script.js.')),
    run: (...words: readonly string[]): unknown => {
      const text = execFileSync(process.execPath, [join(folder, 'main.mjs'), ...words], {
        env: { ...process.env, KEPT: cache, NODE_COMPILE_CACHE: undefined, NODE_DISABLE_COMPILE_CACHE: undefined },
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      return JSON.parse(text);
    },
  };
}

test('a module that became a script does the same, and a run keeps what it compiled, methods too', () => {
  const { run, kept, left } = place();
  expect([run('list'), kept()]).toEqual([expected, []]);
  expect(run('exec')).toEqual(expected);
  const [file = ''] = kept();
  expect({ mode: statSync(file).mode & 0o777, holdsMethods: statSync(file).size > 8000, left: left() }).toEqual({
    mode: 0o600,
    holdsMethods: true,
    left: [],
  });
  const before = statSync(file, { bigint: true }).mtimeNs;
  expect([run('exec'), statSync(file, { bigint: true }).mtimeNs === before]).toEqual([expected, true]);
});

test('what is cut short, changed or of another V8 is not run, and the next run replaces it', () => {
  const { run, kept } = place();
  run('exec');
  const [file = ''] = kept();
  const whole = readFileSync(file);
  const changed = Buffer.from(whole);
  changed.fill(0xff, whole.length / 4, whole.length / 4 + 64);
  const half = whole.subarray(0, whole.length / 2);
  for (const broken of [whole.subarray(0, 1000), half, changed, Buffer.alloc(0), Buffer.from('another')]) {
    writeFileSync(file, broken);
    expect([run('exec'), existsSync(file) && statSync(file).size === whole.length]).toEqual([expected, true]);
  }
});

test('a module that a script cannot stand for is refused', () => {
  for (const bad of [
    "import a from './a.js';export{a};",
    'export const a=1;',
    'const a=import.meta.dirname;export{a};',
  ]) {
    expect(() => asScript({ name: 'bad', code: bad, keptBy: [] })).toThrow(/script/);
  }
});
