import { createHash } from 'node:crypto';
import { parseAst } from 'rolldown/parseAst';

/**
 * A module in two files: its code as a script, and a module that runs the script and has the same exports. Node keeps of
 * a module what was compiled when it was loaded, and compiles most functions anew in each process. Of a script it lets us
 * keep what was compiled by the time that a run has done its work (`runScript`).
 *
 * Only for a module that imports none statically, waits for nothing while it is loaded, and never assigns to an export.
 * `keptBy`: the commands whose runs decide what is worth keeping.
 */
export function asScript({ name, code, keptBy }) {
  const { body } = parseAst(code);
  const last = body.at(-1);
  const isPlain = last?.type === 'ExportNamedDeclaration' && last.source === null && last.declaration === null;
  if (!isPlain || body.some((node) => node !== last && /^(Import|Export)/.test(node.type))) {
    throw new Error(`${name} cannot become a script: it must import nothing and export in its last statement alone.`);
  }
  const inside = edit(code.slice(0, last.start), replacements(body));
  const exported = last.specifiers.map(({ local, exported: as }) => ({ local: local.name, as: as.name }));
  const members = exported.map(({ local, as }) => `${as}:${local}`);
  const script = `(function(moduleUrl,importModule){"use strict";${inside}\nreturn{${members}}})`;
  const scriptName = `${name}-${createHash('sha256').update(script).digest('base64url').slice(0, 12)}.script.js`;
  const given = `import.meta.url,(specifier)=>import(specifier)`;
  const run = `(${runScript})(import.meta.dirname,${JSON.stringify(scriptName)},${JSON.stringify(keptBy)})(${given})`;
  const bound = exported.map(({ as }, index) => `${as}:e${index}`);
  const names = exported.map(({ as }, index) => `e${index} as ${as}`);
  return { script: { name: scriptName, code: script }, module: `const{${bound}}=${run};export{${names}};` };
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
