import { createHash } from 'node:crypto';
import { basename, dirname } from 'node:path';
import { parseAst } from 'rolldown/parseAst';

/**
 * Two modules that import each other as two scripts, and the module through which a program enters them. Node keeps of a
 * module what was compiled when it was loaded, and compiles most functions anew in each process. Of a script it lets us
 * keep what was compiled when a run needs the other script (`runScript`).
 *
 * `entry` runs the script of `first`, and so does `program` where it would import `entry`: an import less is a
 * millisecond less. Whichever comes first, there is one instance. The script of `later` runs when one of its functions is
 * first called, or when a chunk imports it: until then a start pays nothing for it. So `first` may use functions of
 * `later`, and nothing else.
 *
 * Only for modules that import each other alone, wait for nothing while they are loaded, and never assign to an export.
 * `keptBy`: the commands whose runs decide what is worth keeping. `kinds`: the arguments that make such a run another
 * one, with other functions, of which other code is kept. `isWorthKeeping`: text of a function that says whether a run
 * has come far enough; it is asked whenever `first` calls `later`.
 */
export function asScripts({ program, first, later, entry, keptBy, kinds, isWorthKeeping }) {
  const one = parts(first);
  const other = parts(later);
  const door = parts(entry);
  onlyImports(one, later);
  onlyImports(other, first);
  onlyImports(door, first);
  const calls = one.imports.map(({ as, local }) => {
    if (!other.functions.has(as)) throw new Error(`${first.name} can use only functions of ${later.name}, not ${as}.`);
    return `function ${local}(...given){return loadLater().${as}(...given)}`;
  });
  const firstScript = script(first.name, 'loadLater', calls.join('') + one.inside, one.exported);
  const used = `const{${bindings(other.imports)}}=members;`;
  const laterScript = script(later.name, 'members', used + other.inside, other.exported);
  const run = ({ name }) => `run(folder,${JSON.stringify(name)},kind,mayKeep)`;
  const enter = [
    '(url,folder,importModule)=>{',
    `const run=${runScript};`,
    `const isWorthKeeping=${isWorthKeeping},mayKeep=${JSON.stringify(keptBy)}.includes(process.argv[2]);`,
    `const kind=${JSON.stringify(kinds)}.find(word=>process.argv.includes(word,3));`,
    `const first=${run(firstScript)},members=first.enter(url,importModule,loadLater);`,
    'let other,later,mustAsk=mayKeep;function loadLater(){',
    // A start needs what has run by then: with less to read, the next one is faster.
    'if(mustAsk&&isWorthKeeping()){mustAsk=false;first.keep();process.once("exit",()=>other.keep())}',
    `if(later===undefined){other=${run(laterScript)};mustAsk&&=!(first.isKept&&other.isKept);`,
    'later=other.enter(url,importModule,members)}return later}',
    'return{members,loadLater}}',
  ].join('');
  const entered = (...given) => `(globalThis[Symbol.for("capstan.exec")]??=(${enter})(${given}))`;
  const here = ['import.meta.url', 'import.meta.dirname', '(specifier)=>import(specifier)'];
  return {
    scripts: [firstScript, laterScript],
    entry: `const{members,loadLater}=${entered(...here)};${exports(reexported(door), 'members', ['members', 'loadLater'])}`,
    first: moduleOf('members', 'members', one.exported, entry),
    later: moduleOf('loadLater', 'loadLater()', other.exported, entry),
    program: withoutImport(program, entry, reexported(door), entered),
  };
}

/** The program with what an import of the entry would give in the place of the import. */
function withoutImport({ code }, { fileName }, members, entered) {
  const folder = dirname(fileName);
  const url = `import.meta.url.slice(0,import.meta.url.lastIndexOf("/")+1)+${JSON.stringify(fileName)}`;
  const importModule = `(specifier)=>import(specifier.startsWith(".")?${JSON.stringify(`./${folder}/`)}+specifier:specifier)`;
  const given = members.map(({ member, as }) => `${as}:members.${member}`);
  const value = entered(url, `import.meta.dirname+${JSON.stringify(`/${folder}`)}`, importModule);
  const changes = importsIn(parseAst(code).body).filter(({ source }) => specifierOf(source) === `./${fileName}`);
  if (changes.length !== 1) throw new Error(`The program must import ${fileName} once.`);
  const text = `Promise.resolve((({members})=>({${given}}))(${value}))`;
  return edit(
    code,
    changes.map(({ start, end }) => ({ start, end, text })),
  );
}

/** Imports, statements and exports of a module. */
function parts({ name, code }) {
  const { body } = parseAst(code);
  const last = body.at(-1);
  const imports = body.filter(({ type }) => type === 'ImportDeclaration');
  const rest = body.filter((node) => node !== last && node.type !== 'ImportDeclaration');
  const isPlain = last?.type === 'ExportNamedDeclaration' && last.source === null && last.declaration === null;
  const inOrder = imports.every(({ end }) => end <= (rest[0]?.start ?? end));
  const byName = imports.every(({ specifiers }) => specifiers.every(({ type }) => type === 'ImportSpecifier'));
  if (!isPlain || !inOrder || !byName || rest.some(({ type }) => type.startsWith('Export'))) {
    throw new Error(
      `${name} cannot become a script: it must import names first and export in its last statement alone.`,
    );
  }
  const exported = last.specifiers.map(({ local, exported: as }) => ({ local: local.name, as: as.name }));
  const functions = new Set(rest.flatMap(functionsOf));
  const start = imports.at(-1)?.end ?? 0;
  const within = replacements(rest).map(({ start: from, end, text }) => ({
    start: from - start,
    end: end - start,
    text,
  }));
  return {
    sources: imports.map(({ source }) => source.value),
    imports: imports.flatMap(({ specifiers }) =>
      specifiers.map(({ imported, local }) => ({ as: imported.name, local: local.name })),
    ),
    inside: edit(code.slice(start, last.start), within),
    exported,
    functions: new Set(exported.flatMap(({ local, as }) => (functions.has(local) ? [as] : []))),
  };
}

/** The names of the functions that a statement declares. */
function functionsOf(node) {
  if (node.type === 'FunctionDeclaration') return [node.id.name];
  if (node.type !== 'VariableDeclaration' || node.kind !== 'const') return [];
  return node.declarations.flatMap(({ id, init }) => (/Function/.test(init?.type) ? [id.name] : []));
}

function onlyImports({ sources }, { name, fileName }) {
  const others = sources.filter((source) => source !== `./${basename(fileName)}`);
  if (others.length > 0) throw new Error(`A script can import ${name} alone, not ${others.join(' and ')}.`);
}

function script(name, given, inside, exported) {
  const members = exported.map(({ local, as }) => `${as}:${local}`);
  const code = longEnough(`(function(moduleUrl,importModule,${given}){"use strict";${inside}\nreturn{${members}}})`);
  return { name: `${name}-${createHash('sha256').update(code).digest('base64url').slice(0, 12)}.script.js`, code };
}

/** From this length on Node leaves a text where it was read to, instead of copying it into the heap, which costs a collection. */
const readInPlace = 1_031_914;

/** For a far shorter one, reading the addition would cost more. */
function longEnough(code) {
  return code.length < readInPlace / 2 ? code : code.padEnd(readInPlace, '\n');
}

function moduleOf(imported, value, exported, { fileName }) {
  return `import{${imported}}from"./${basename(fileName)}";${exports(exported, value)}`;
}

/** Exports the members of a value, and names that are there already. */
function exports(members, value, more = []) {
  const bound = members.map(({ member, as }, index) => `${member ?? as}:e${index}`);
  const names = members.map(({ as }, index) => `e${index} as ${as}`);
  return `const{${bound}}=${value};export{${[...names, ...more]}};`;
}

/** Re-exports of a module: which member of the other it exports, and as what. */
function reexported({ imports, exported }) {
  return exported.map(({ local, as }) => ({ member: imports.find((each) => each.local === local).as, as }));
}

function bindings(imports) {
  return imports.map(({ as, local }) => `${as}:${local}`);
}

/** Hands the script what only a module has: where it is, and how it imports. */
function replacements(body) {
  const found = importsIn(body).map(({ start }) => ({ start, end: start + 'import'.length, text: 'importModule' }));
  for (const { start, end, computed, property } of nodesIn(body, isMeta)) {
    if (computed || property.name !== 'url') throw new Error('A script knows import.meta.url alone.');
    found.push({ start, end, text: 'moduleUrl' });
  }
  return found.toSorted((one, other) => one.start - other.start);
}

function importsIn(body) {
  return nodesIn(body, ({ type }) => type === 'ImportExpression');
}

function isMeta({ type, object }) {
  return type === 'MemberExpression' && object.type === 'MetaProperty' && object.meta.name === 'import';
}

function specifierOf(source) {
  return source.type === 'TemplateLiteral' ? source.quasis[0].value.cooked : source.value;
}

function nodesIn(node, matches) {
  if (Array.isArray(node)) return node.flatMap((part) => nodesIn(part, matches));
  if (node === null || typeof node !== 'object') return [];
  const inside = Object.values(node).flatMap((part) => nodesIn(part, matches));
  return matches(node) ? [node, ...inside] : inside;
}

function edit(code, changes) {
  const pieces = changes.map(({ start, text }, index) => code.slice(changes[index - 1]?.end ?? 0, start) + text);
  return pieces.join('') + code.slice(changes.at(-1)?.end ?? 0);
}

/**
 * Stands in the module as text: it must use nothing of this file. What V8 compiled is kept in the folder of Node's
 * compile cache, whose name says for which V8 and which flags it is good. V8 checks that again, and the length of the
 * code, but not what it is given to run, and a changed byte would end the process. So the file ends with the last bytes of
 * each page before: where a disk lost a page or put another in its place, nothing is used. To have all of it twice would
 * cost more to read than most of what else could be saved.
 *
 * It is kept once for each kind of run, by the first one that finds none and has something to keep.
 */
function runScript(folder, name, kind, mayKeep) {
  const fs = process.getBuiltinModule('node:fs');
  const { Script } = process.getBuiltinModule('node:vm');
  const cache = process.getBuiltinModule('node:module').getCompileCacheDir?.();
  const keptAs = (file) => (cache === undefined ? undefined : `${cache}/${file}`);
  const kept = keptAs(kind === undefined ? name : `${kind}-${name}`);
  const ends = (data) => {
    const [page, end] = [4096, 16];
    const count = Math.ceil(data.length / page);
    const found = Buffer.alloc(count * end);
    for (let at = 0; at < count; at++) {
      const last = Math.min((at + 1) * page, data.length);
      data.copy(found, at * end, last - end, last);
    }
    return found;
  };
  const load = (path) => {
    try {
      const all = fs.readFileSync(path);
      const data = all.subarray(0, all.readUInt32LE(all.length - 4));
      return ends(data).equals(all.subarray(data.length, -4)) ? data : undefined;
    } catch {
      return undefined; // No run has kept anything yet, or there is no place for it.
    }
  };
  const own = load(kept);
  // The first run of another kind has much in common with the others.
  const cachedData = own ?? (kind === undefined ? undefined : load(keptAs(name)));
  const script = new Script(fs.readFileSync(`${folder}/${name}`, 'latin1'), {
    filename: `${folder}/${name}`,
    cachedData,
  });
  // Freed here: a collection may not come for as long as the process runs. A small one shares its memory with others.
  if (cachedData?.buffer.byteLength > Buffer.poolSize) cachedData.buffer.transfer(0);
  let isKept = kept === undefined || !mayKeep || (own !== undefined && script.cachedDataRejected !== true);
  const keep = () => {
    if (isKept) return;
    isKept = true;
    const temporary = `${kept}.${process.pid}`;
    try {
      const data = script.createCachedData();
      const length = Buffer.alloc(4);
      length.writeUInt32LE(data.length);
      fs.writeFileSync(temporary, Buffer.concat([data, ends(data), length]), { flag: 'wx', mode: 0o600, flush: true });
      fs.renameSync(temporary, kept);
    } catch {
      // A full or protected disk costs later starts some time, and this run nothing.
      fs.rmSync(temporary, { force: true });
    }
  };
  return { enter: script.runInThisContext(), keep, isKept };
}
