import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as library from '../src/index.ts';
import { allCommands } from '../src/surfaces/views/command-line/command-group.ts';
import { commandTable } from '../src/surfaces/cli/table/command-table.ts';
import * as testing from '../src/testing/index.ts';

const manifest = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')) as {
  version: string;
  exports: object;
  bin: object;
};

// Lists what others rely on. Growing this list is a decision; shrinking it breaks programs.

it('the package offers these entries', () => {
  expect(Object.keys(manifest.exports)).toEqual(['.', './testing', './package.json']);
  expect(manifest.bin).toEqual({ capstan: 'dist/bin.cjs' });
  expect(library.version).toBe(manifest.version);
});

it('the library exports these values', () => {
  expect(Object.keys(library).toSorted()).toEqual([
    'Engine',
    'Fault',
    'interactiveCommand',
    'liveThreads',
    'parseThreadId',
    'sealsWithKey',
    'version',
    'words',
    'writtenBy',
  ]);
});

it('capstan/testing exports these values', () => {
  expect(Object.keys(testing).toSorted()).toEqual([
    'SimulatedDisk',
    'SimulatedLocks',
    'answer',
    'callTool',
    'compacted',
    'createFoldedDirectory',
    'createMemoryStore',
    'cutAfter',
    'failed',
    'hang',
    'httpError',
    'incomplete',
    'malformed',
    'overflow',
    'overflowForms',
    'reason',
    'rolloutStoreContract',
    'say',
    'socketFault',
    'startScriptedModel',
  ]);
});

it('the program has these commands and options', () => {
  const names = allCommands(commandTable).map(({ name, words = [], variants = {}, options }) =>
    [
      name,
      ...words.map((word) => word.name),
      ...Object.keys(variants),
      ...Object.values(options)
        .flatMap((option) => option.names)
        .toSorted(),
    ].join(' '),
  );
  expect(names).toMatchInlineSnapshot(`
    [
      "tui PROMPT --add-dir --approve-for-me --ask-for-approval --cd --config --disable --enable --full-screen --ignore-rules --ignore-user-config --local-provider --model --no-alt-screen --oss --profile --sandbox --sandbox-fallback --screen-reader --strict-config -C -a -c -m -p -s",
      "resume THREAD PROMPT --add-dir --all --approve-for-me --ask-for-approval --cd --config --disable --enable --full-screen --ignore-rules --ignore-user-config --last --local-provider --model --no-alt-screen --oss --profile --sandbox --sandbox-fallback --screen-reader --strict-config -C -a -c -m -p -s",
      "fork THREAD PROMPT --add-dir --all --approve-for-me --ask-for-approval --cd --config --disable --enable --full-screen --ignore-rules --ignore-user-config --last --local-provider --model --no-alt-screen --oss --profile --sandbox --sandbox-fallback --screen-reader --strict-config -C -a -c -m -p -s",
      "exec PROMPT resume fork review --add-dir --all --approvals --approve-for-me --ask-for-approval --base --cd --color --commit --config --context-events --cyber-access-program --dangerously-bypass-approvals-and-sandbox --disable --enable --ephemeral --experimental-json --ignore-rules --ignore-user-config --image --json --last --local-provider --max-cost --max-tokens --mode --model --oss --output-last-message --output-schema --profile --sandbox --sandbox-fallback --skip-git-repo-check --strict-config --thread-source --title --uncommitted --verbose --yolo -C -a -c -i -m -o -p -s -v",
      "review WORDS --base --cd --color --commit --config --context-events --disable --enable --ephemeral --ignore-rules --ignore-user-config --json --local-provider --model --oss --output-last-message --profile --sandbox-fallback --strict-config --title --uncommitted --verbose -C -c -m -o -p -v",
      "threads list --archived --cd --cursor --json --limit --sort --source --text -C -n",
      "threads show THREAD --full --json --last --tree",
      "threads search WORD --archived --cd --cursor --json --limit --sort --source -C -n",
      "threads files THREAD --diff --json --last",
      "threads name THREAD NAME --all --json --last",
      "threads fork THREAD --all --before --json --last --through",
      "threads rollback THREAD N --all --before-checkpoint --both --dry-run --files --force --json --last --meanwhile --to --turns -n",
      "threads undo-rollback THREAD --all --force --json --last",
      "threads restore THREAD --before-turn --dry-run --force --json --last --meanwhile --undo",
      "threads compact THREAD FOCUS --config --json --last -c",
      "threads set THREAD --approval --cd --effort --json --last --mode --model --personality --sandbox -C -a -m -s",
      "threads pin THREAD NOTE --all --json --last",
      "threads pins THREAD --all --json --last",
      "threads unpin THREAD NUMBER|ID --all --json --last",
      "threads archive THREAD --all --json --last",
      "threads unarchive THREAD --all --json --last",
      "threads delete THREAD --force --json",
      "threads export THREAD --force --format --last --new-id --output -o",
      "threads import FILE --json",
      "threads reindex --changed --json",
      "threads compress THREAD --dry-run --json --last --older-than",
      "threads gc --dry-run --json --reverted",
      "context THREAD --changes --checkpoint --json --last --request",
      "config show explain path --cd --config --ignore-user-config --json --origin --profile --strict-config -C -c -p",
      "execpolicy check COMMAND --pretty --resolve-host-executables --rules -r",
      "features list enable disable --cd --json -C",
      "files WORD --cd --json --limit -C",
      "hooks list trust untrust --cd --json --key -C",
      "memory show clear --json",
      "models list show test --cd --dry-run --json --offline --overflow --provider -C",
      "envelope THREAD --diff --json --last --turn",
      "replay THREAD --json --last --print --request --taken-back",
      "rerun THREAD --json --last --model --provider --step -m",
      "login status --device-auth --experimental_client-id --experimental_issuer --json --with-access-token --with-api-key",
      "logout",
      "sandbox COMMAND run check explain setup linux --allow-network-for-proxy --apply-seccomp-then-exec --cd --command-cwd --config --include-managed-config --json --no-proc --permission-profile --profile --proxy-route-spec --sandbox-fallback --sandbox-policy-cwd --use-legacy-landlock --verify-fd-mount -C -P -c -p",
      "mcp list get add remove login logout import --bearer-token-env-var --env --json --url",
      "mcp-server --cd --compat --config --http --no-token --on-question --profile --sandbox-fallback --strict-config --token-file -C -c -p",
      "demo --keep",
      "completion SHELL",
      "help COMMAND",
    ]
  `);
});
