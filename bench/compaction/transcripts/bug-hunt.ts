import { codeText, serverLog, testLog } from '../output-text.ts';
import { artefact, decision, nextStep, patched, ran, requirement, type Transcript } from '../transcript.ts';

const task =
  'People who tick "remember me" are signed out after an hour. Find out why and fix it. Do not change the format of the cookie, and it must keep working on Node 20.';

/** Many outputs, more of them than one request for a checkpoint can hold. */
export const bugHunt: Transcript = {
  id: 'bug-hunt',
  title: 'a bug hunt with many tool outputs, larger than the window',
  window: 32_000,
  task,
  stretches: [
    [
      {
        words: task,
        work: [
          ran('ls -R src/session', codeText(1, 60)),
          ran('cat src/session/middleware.ts', codeText(2, 220)),
          ran('cat src/session/refresh.ts', `${codeText(3, 150)}\nexport function renewAt(issued: number): number {`),
          ran('cat src/session/cookie.ts', codeText(4, 200)),
          ran('git log --oneline -40 -- src/session', codeText(5, 40)),
          ran('npm test -- session', testLog(6, 200)),
        ],
        answer:
          'The tests pass, so they do not cover it. The refresh looks odd; I will look at the logs of the service.',
      },
      {
        words: 'I forgot: it only happens behind the proxy gate.internal:8443, never on localhost.',
        work: [
          ran('tail -300 logs/gate.log', serverLog(7, 220)),
          ran('grep -n renew logs/gate.log', serverLog(8, 160)),
          ran('git show 9f3c2e1 --stat', codeText(9, 60)),
          ran('git show 9f3c2e1', codeText(10, 260)),
          ran('cat src/proxy/headers.ts', codeText(11, 220)),
          ran('npm test -- proxy', testLog(12, 220)),
        ],
        answer:
          'Found it: commit 9f3c2e1 made renewAt compare seconds with milliseconds. The proxy sends x-issued-at in seconds, localhost does not send it at all. The fix belongs into renewAt and not into the middleware, because the worker calls renewAt too.',
      },
      {
        words: 'Good. Put a test beside it, and no new dependency please.',
        work: [
          patched({ path: 'src/session/refresh.ts', kind: 'update' }),
          ran('npm test -- session', testLog(13, 220)),
          patched({ path: 'test/session/refresh.test.ts', kind: 'add' }),
          ran('npm test -- session', testLog(14, 220)),
          ran('npm run typecheck', codeText(15, 80)),
          ran('cat package.json', codeText(16, 120)),
          ran('npm test', testLog(17, 240)),
        ],
        answer:
          'The fix and its test are in; all 412 unit tests pass (run ci-48213). What is left is the end-to-end test against the proxy: npm run e2e -- --grep remember.',
      },
    ],
  ],
  probes: [
    requirement('Do not change the format of the cookie'),
    requirement('it must keep working on Node 20'),
    requirement('only happens behind the proxy gate.internal:8443'),
    requirement('no new dependency please'),
    artefact('src/session/refresh.ts'),
    artefact('test/session/refresh.test.ts'),
    artefact('9f3c2e1'),
    artefact('ci-48213'),
    decision('renewAt seconds milliseconds'),
    decision('fix renewAt not middleware worker'),
    nextStep('npm run e2e grep remember'),
  ],
};
