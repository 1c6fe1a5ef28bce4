import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { asScripts } from '../../scripts/as-script.mjs';
import { whenTestEnds } from '../harness/when-test-ends.ts';

const used = `let x=0;${'x+=Math.sqrt(x*3)+1;'.repeat(200)}return x`;
const first = `
import{far as f,twice as t}from"./later.mjs";
async function* counts(n){for(let i=0;i<n;i++)yield i}
class Box{#a=1;async grow(by=c=>c+1){this.#a=by(this.#a);${used}}}
const other=async()=>(await import('./other.mjs')).default;
const where=import.meta.url;
const loads=()=>globalThis.loads??0;
const start=(...given)=>[loads(),t(...given),f(1,2),loads()];
export{start as a,counts,Box as $,other as default,where as if};`;
const later = `
import{$ as B,if as w}from"./first.mjs";
globalThis.loads=(globalThis.loads??0)+1;
const twice=a=>[a].map(b=>b*2)[0];
function far(a,b){return [new B() instanceof B,w===import.meta.url,a+b]}
const box=B;
export{twice,far,box};`;
const entry = `import{a as s,counts as c}from"./first.mjs";export{s as start,c as counts};`;

const program = `
process.getBuiltinModule('node:module').enableCompileCache(process.env.KEPT);
const {start,counts}=await import('./chunks/entry.mjs');
const counted=[];
for await(const each of counts(3))counted.push(each);
const {$,default:other,if:where}=await import('./chunks/first.mjs');
const grown=await new $().grow()>0;
const started=start(2);
const {box,twice}=await import('./chunks/later.mjs');
console.log(JSON.stringify({started,name:start.name,counted,grown,other:await other(),again:[box===$,twice(4),globalThis.loads],where:where===new URL('chunks/entry.mjs',import.meta.url).href}));`;
const expected = {
  started: [0, 4, [true, true, 3], 1],
  name: 'start',
  counted: [0, 1, 2],
  grown: true,
  other: 'other',
  again: [true, 8, 1],
  where: true,
};

function scripts(changed: { readonly first?: string; readonly later?: string } = {}) {
  const named = (name: string, code: string) => ({ name, fileName: `chunks/${name}.mjs`, code });
  return asScripts({
    program: named('program', program),
    first: named('first', changed.first ?? first),
    later: named('later', changed.later ?? later),
    entry: named('entry', entry),
    keptBy: ['exec'],
    kinds: ['resume'],
    isWorthKeeping: "()=>process.argv[3]!=='early'&&(process.argv[3]!=='late'||globalThis.loads===1)",
  });
}

function place() {
  const folder = mkdtempSync(join(tmpdir(), 'capstan-script-'));
  whenTestEnds(() => rmSync(folder, { recursive: true, force: true }));
  const made = scripts();
  const chunks = join(folder, 'chunks');
  mkdirSync(chunks);
  for (const { name, code } of made.scripts) writeFileSync(join(chunks, name), code);
  for (const name of ['first', 'later', 'entry'] as const) writeFileSync(join(chunks, `${name}.mjs`), made[name]);
  writeFileSync(join(chunks, 'other.mjs'), "export default 'other';");
  writeFileSync(join(folder, 'main.mjs'), made.program);
  const cache = join(folder, 'kept');
  const kept = () => readdirSync(cache).flatMap((tag) => readdirSync(join(cache, tag)).map((name) => join(tag, name)));
  return {
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
  expect([run('exec', 'early'), kept()]).toEqual([expected, []]);
  expect(run('exec')).toEqual(expected);
  const file = kept().find((path) => path.includes('first-')) ?? '';
  expect({ mode: statSync(file).mode & 0o777, holdsMethods: statSync(file).size > 8000, left: left() }).toEqual({
    mode: 0o600,
    holdsMethods: true,
    left: [],
  });
  const before = statSync(file, { bigint: true }).mtimeNs;
  expect([run('exec'), statSync(file, { bigint: true }).mtimeNs === before]).toEqual([expected, true]);
});

test('a run that needs the later script before it is worth keeping is kept once it is', () => {
  const { run, kept } = place();
  expect([run('exec', 'late'), kept().length]).toEqual([expected, 2]);
});

test('each kind of run keeps its own code, and its first run begins with that of the others', () => {
  const { run, kept } = place();
  run('exec');
  const plain = kept();
  const before = plain.map((file) => statSync(file, { bigint: true }).mtimeNs);
  expect([run('exec', '--json', 'resume'), run('exec', '--json', 'resume')]).toEqual([expected, expected]);
  expect(kept().filter((file) => basename(file).startsWith('resume-')).length).toBe(2);
  expect(plain.map((file) => statSync(file, { bigint: true }).mtimeNs)).toEqual(before);
});

test('what is cut short, changed or of another V8 is not run, and the next run replaces it', () => {
  const { run, kept } = place();
  run('exec');
  const file = kept().find((path) => path.includes('first-')) ?? '';
  const whole = readFileSync(file);
  const changed = Buffer.from(whole);
  changed.fill(0xff, 4096, 2 * 4096);
  const half = whole.subarray(0, whole.length / 2);
  const lost = Buffer.from(whole).fill(0, 0, 4096);
  for (const broken of [whole.subarray(0, 1000), half, changed, lost, Buffer.alloc(0), Buffer.from('another')]) {
    writeFileSync(file, broken);
    expect([run('exec'), existsSync(file) && statSync(file).size === whole.length]).toEqual([expected, true]);
  }
});

test('a module that a script cannot stand for is refused', () => {
  for (const bad of [
    "import a from './a.js';export{a};",
    'export const a=1;',
    'const a=1;export{a};import{far}from"./later.mjs";',
    'const a=import.meta.dirname;export{a};',
    'import{box as b}from"./later.mjs";const a=b;export{a};',
  ]) {
    expect(() => scripts({ first: bad })).toThrow(/script|function/);
  }
});
