import { createHash } from 'node:crypto';
import { parseAst } from 'rolldown/parseAst';

/**
 * Two modules that import each other as two scripts, and the module through which a command enters them. Node keeps of a
 * module what was compiled when it was loaded, and compiles most functions anew in each process. Of a script it lets us
 * keep what was compiled by the time that a run has done its work (`runScript`).
 *
 * `entry` runs the script of `first`. The script of `later` runs when one of its functions is first called, or when a
 * chunk imports it: until then a start pays nothing for it. So `first` may use functions of `later`, and nothing else.
 *
 * Only for modules that import each other alone, wait for nothing while they are loaded, and never assign to an export.
 * `keptBy`: the commands whose runs decide what is worth keeping.
 */
export function asScripts({ first, later, entry, keptBy }) {
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
  const run = ({ name }) => `run(import.meta.dirname,${JSON.stringify(name)},${JSON.stringify(keptBy)})`;
  const given = 'import.meta.url,(specifier)=>import(specifier)';
  const entryModule = [
    `const run=${runScript};`,
    `const members=${run(firstScript)}(${given},loadLater);`,
    `let loaded;function loadLater(){return loaded??=${run(laterScript)}(${given},members)}`,
    `const{${bindings(door.imports)}}=members;`,
    `export{${door.exported.map(({ local, as }) => `${local} as ${as}`)},members,loadLater};`,
  ];
  return {
    scripts: [firstScript, laterScript],
    entry: entryModule.join(''),
    first: moduleOf('members', 'members', one.exported, entry),
    later: moduleOf('loadLater', 'loadLater()', other.exported, entry),
  };
}

/** What a module imports, does and exports. */
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
  const others = sources.filter((source) => source !== `./${fileName}`);
  if (others.length > 0) throw new Error(`A script can import ${name} alone, not ${others.join(' and ')}.`);
}

function script(name, given, inside, exported) {
  const members = exported.map(({ local, as }) => `${as}:${local}`);
  const code = `(function(moduleUrl,importModule,${given}){"use strict";${inside}\nreturn{${members}}})`;
  return { name: `${name}-${createHash('sha256').update(code).digest('base64url').slice(0, 12)}.script.js`, code };
}

function moduleOf(imported, value, exported, { fileName }) {
  const bound = exported.map(({ as }, index) => `${as}:e${index}`);
  const names = exported.map(({ as }, index) => `e${index} as ${as}`);
  return `import{${imported}}from"./${fileName}";const{${bound}}=${value};export{${names}};`;
}

function bindings(imports) {
  return imports.map(({ as, local }) => `${as}:${local}`);
}

/** What only a module has is handed to the script: where it is, and how it imports. */
function replacements(body) {
  const found = [];
  const look = (node) => {
    if (Array.isArray(node)) for (const part of node) look(part);
    else if (node !== null && typeof node === 'object') {
      const isMeta = node.type === 'MemberExpression' && node.object.type === 'MetaProperty';
      if (isMeta && node.object.meta.name === 'import') {
        if (node.computed || node.property.name !== 'url') throw new Error('A script knows import.meta.url alone.');
        found.push({ start: node.start, end: node.end, text: 'moduleUrl' });
      }
      if (node.type === 'ImportExpression') {
        found.push({ start: node.start, end: node.start + 'import'.length, text: 'importModule' });
      }
      for (const part of Object.values(node)) look(part);
    }
  };
  look(body);
  return found.toSorted((one, other) => one.start - other.start);
}

function edit(code, changes) {
  const pieces = changes.map(({ start, text }, index) => code.slice(changes[index - 1]?.end ?? 0, start) + text);
  return pieces.join('') + code.slice(changes.at(-1)?.end ?? 0);
}

/**
 * Stands in the module as text: it must use nothing of this file. What V8 compiled is kept in the folder of Node's
 * compile cache, whose name says for which V8 and which flags it is good. V8 checks that again, and the length of the
 * code, but not what it is given to run, and a changed byte would end the process. So it stands in the file twice: what
 * differs in its halves is not used (two halves are compared in a tenth of the time that a checksum takes to load).
 *
 * It is kept once, by the first run that finds none: after two seconds, when most runs wait for a model, or when the run
 * ends before that. Later V8 would have dropped functions that only a start needs.
 */
function runScript(folder, name, keptBy) {
  const fs = process.getBuiltinModule('node:fs');
  const { Script } = process.getBuiltinModule('node:vm');
  const cache = process.getBuiltinModule('node:module').getCompileCacheDir?.();
  const kept = cache === undefined ? undefined : `${cache}/${name}`;
  let cachedData;
  try {
    if (kept !== undefined) {
      const both = fs.readFileSync(kept);
      const one = both.subarray(0, both.length / 2);
      if (one.equals(both.subarray(both.length / 2))) cachedData = one;
    }
  } catch {
    // No run has kept anything yet.
  }
  const script = new Script(fs.readFileSync(`${folder}/${name}`, 'latin1'), {
    filename: `${folder}/${name}`,
    cachedData,
  });
  const isStale = cachedData === undefined || script.cachedDataRejected === true;
  if (kept !== undefined && isStale && keptBy.includes(process.argv[2])) {
    let isKept = false;
    const keep = () => {
      if (isKept) return;
      isKept = true;
      const temporary = `${kept}.${process.pid}`;
      try {
        const data = script.createCachedData();
        fs.writeFileSync(temporary, Buffer.concat([data, data]), { flag: 'wx', mode: 0o600, flush: true });
        fs.renameSync(temporary, kept);
      } catch {
        // A full or protected disk costs later starts some time, and this run nothing.
        fs.rmSync(temporary, { force: true });
      }
    };
    setTimeout(keep, 2000).unref();
    process.once('exit', keep);
  }
  return script.runInThisContext();
}
