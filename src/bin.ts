#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { version } from './protocol/version.ts';

// Knows the command before it loads anything: each surface is a chunk of its own.
enableCompileCache();
const words = process.argv.slice(2);
switch (words[0]) {
  case '--version':
  case '-V':
    process.stdout.write(`capstan ${version}\n`);
    break;
  case 'exec':
  case 'e':
    process.exitCode = await (await import('./surfaces/exec/run-exec.ts')).runExec(words.slice(1));
    break;
  case 'demo':
    process.exitCode = await (await import('./surfaces/demo/run-demo.ts')).runDemo(words.slice(1));
    break;
  case 'completion':
    process.exitCode = (await import('./surfaces/completion.ts')).printCompletion(words[1]);
    break;
  default:
    process.exitCode = await (await import('./surfaces/welcome.ts')).welcome(words);
}
