// Draws the pictures of docs/terminal-screens.md, and the page itself: npm run docs:screens [-- NAME]
// The scenes are in test/deep/screens; the deep tests check that they still give the committed bytes.
import { spawnSync } from 'node:child_process';

const [name] = process.argv.slice(2);
const only = name === undefined ? [] : ['--testNamePattern', `^${name}:`];
const suite = ['--config', 'vitest.deep.config.ts', 'test/deep/screens.test.ts'];
const { status } = spawnSync('vitest', ['run', ...suite, '--update', ...only], { stdio: 'inherit' });
process.exitCode = status ?? 1;
