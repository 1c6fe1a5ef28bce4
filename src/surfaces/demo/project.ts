import { shellWords } from '../../protocol/shell-words.ts';

/** The steps of a release, in order. None of them may be done twice. */
export const releaseSteps: readonly string[] = ['tag', 'upload', 'announce'];

/** The file in which each finished step leaves a line. */
export const releaseLog = 'release.log';

const buggyLine = 'export const largest = (numbers) => numbers.toSorted().at(-1);';
const fixedLine = 'export const largest = (numbers) => Math.max(...numbers);';

/** What the scripted model changes. */
export const fixPatch = `*** Begin Patch
*** Update File: largest.mjs
@@
-${buggyLine}
+${fixedLine}
*** End Patch
`;

/**
 * The project that the demo works on, by file name: a function with a bug, a check that finds it, and a release that
 * takes its time. The check names its Node by path: inside the sandbox the search path is the login shell's.
 */
export function projectFiles(node: string): Readonly<Record<string, string>> {
  return {
    'AGENTS.md':
      'Run `sh check` after every change.\nA release is `sh release tag upload announce`; never do a step twice.\n',
    'largest.mjs': `${buggyLine}\n`,
    'largest.test.mjs': `import { largest } from './largest.mjs';

const found = largest([9, 10]);
console.log(\`largest([9, 10]) is \${found}: \${found === 10 ? 'pass' : 'FAIL, should be 10'}\`);
process.exitCode = found === 10 ? 0 : 1;
`,
    check: `exec ${shellWords([node])} largest.test.mjs\n`,
    release: `for step in "$@"; do
  echo "$step 1.0.1" | tee -a ${releaseLog}
  if [ "$step" = tag ]; then
    # Mirrors get time to see the tag. A dot now and then also ends this script when no reader is left.
    left=50
    while [ $left -gt 0 ]; do
      sleep 0.1
      printf .
      left=$((left - 1))
    done
  fi
done
`,
  };
}
