#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { version } from './protocol/version.ts';

// Knows the command before it loads anything: each surface is a chunk of its own.
enableCompileCache();
const [command, ...words] = process.argv.slice(2);
switch (command) {
  case '--version':
  case '-V':
    process.stdout.write(`capstan ${version}\n`);
    break;
  case 'exec':
  case 'e':
    process.exitCode = await (await import('./surfaces/exec/run-exec.ts')).runExec(words);
    break;
  case 'config':
    process.exitCode = await (await import('./surfaces/config/run-config.ts')).runConfig(words);
    break;
  case 'demo':
    process.exitCode = await (await import('./surfaces/demo/run-demo.ts')).runDemo(words);
    break;
  default:
    process.exitCode = await (await import('./surfaces/welcome.ts')).welcome(command);
}
