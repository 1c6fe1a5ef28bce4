import { parseAst } from 'rolldown/parseAst';

/**
 * A program that imports and exports nothing while it is loaded, as a CommonJS module: Node loads one without what it
 * needs for ES modules, which is a millisecond and a half of every start. What it imports later stays as it is.
 */
export function asCommonJs(code) {
  const [shebang, text] = /^#!.*\n/.test(code) ? splitAt(code, code.indexOf('\n') + 1) : ['', code];
  const { body } = parseAst(text);
  const last = body.at(-1);
  const isEmpty = last?.type === 'ExportNamedDeclaration' && last.specifiers.length === 0 && last.declaration === null;
  const inside = (isEmpty ? text.slice(0, last.start) : text)
    .replaceAll('import.meta.url', 'require("node:url").pathToFileURL(__filename).href')
    .replaceAll('import.meta.dirname', '__dirname');
  const whole = `"use strict";${watched(inside)}`;
  const left = parseAst(whole).body.filter(({ type }) => /^(Import|Export)/.test(type));
  if (left.length > 0 || inside.includes('import.meta')) throw new Error('The program cannot be a CommonJS module.');
  return shebang + whole;
}

/** As an ES module does it: a process that ends before its program is through has failed, and says so. */
function watched(inside) {
  return [
    'function unsettled(){process.exitCode??=13}',
    'process.on("exit",unsettled);',
    `(async()=>{${inside}\n})().then(()=>process.off("exit",unsettled));`,
  ].join('');
}

function splitAt(text, place) {
  return [text.slice(0, place), text.slice(place)];
}
