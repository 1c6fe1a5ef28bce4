import fc from 'fast-check';
import * as developer from '../../src/core/world/sections/instructions.ts';
import * as managed from '../../src/core/world/sections/instructions.ts';
import { agentsMdFragment, sessionContextFragment } from '../../src/core/world/sections/instructions.ts';
import { approvedPrefixesFragment } from '../../src/core/world/sections/approvals.ts';
import * as recommended from '../../src/core/world/sections/plugins-and-apps.ts';
import { appsGuidanceFragment, pluginsGuidanceFragment } from '../../src/core/world/sections/plugins-and-apps.ts';
import { fragmentCatalog } from '../../src/core/world/catalog.ts';
import { checkpointIntentFragment } from '../../src/core/fragments/checkpoint-messages.ts';
import { checkpointRecordsFragment, checkpointSummaryFragment } from '../../src/core/fragments/checkpoint-work.ts';
import {
  collaborationModeFragment,
  personalityFragment,
  realtimeEndFragment,
  realtimeStartFragment,
} from '../../src/core/world/sections/modes.ts';
import {
  deferredToolsFragment,
  mcpInstructionsFragment,
  mcpServersFragment,
} from '../../src/core/world/sections/deferred-tools-and-mcp-servers.ts';
import { type Fragment, type FragmentKind, renderFragment } from '../../src/core/fragments/text/define-fragment.ts';
import * as environments from '../../src/core/world/sections/environments.ts';
import { environmentFragment } from '../../src/core/world/sections/environments.ts';
import {
  goalFragment,
  turnAbortedFragment,
  turnContinuedFragment,
} from '../../src/core/fragments/events/turns-and-goals.ts';
import {
  hookContextFragment,
  hookPromptFragment,
  pluginHintFragment,
  skillBodyFragment,
} from '../../src/core/fragments/events/hooks-skills-and-plugins.ts';
import {
  agentsElsewhereFragment,
  interAgentMessageFragment,
  subagentNotificationFragment,
} from '../../src/core/fragments/events/agents.ts';
import { modelSwitchFragment } from '../../src/core/world/sections/model.ts';
import * as multiAgent from '../../src/core/world/sections/agents.ts';
import { knownAgentsFragment } from '../../src/core/world/sections/agents.ts';
import {
  grantedParts,
  grantedPermissionsFragment,
  networkRulesFragment,
  permissionsFragment,
} from '../../src/core/world/sections/permissions.ts';
import { memoryFragment, pinnedNotesFragment } from '../../src/core/world/sections/memory-and-pinned-notes.ts';
import {
  realtimeDelegationFragment,
  userActionFragment,
  userShellCommandFragment,
} from '../../src/core/fragments/events/user-actions.ts';
import { skillHintFragment, skillsCatalogueFragment } from '../../src/core/world/sections/skills.ts';
import {
  filesChangedBesideFragment,
  filesPutBackFragment,
  generatedImagesFragment,
  imageResizeNoticeFragment,
  newRepositoriesFragment,
  unusableImagesFragment,
} from '../../src/core/fragments/events/files-and-images.ts';
import { sessionsEndedFragment, sessionsFragment } from '../../src/core/world/sections/sessions.ts';
import type { ApprovalPolicy } from '../../src/protocol/permissions.ts';
import type { TurnId } from '../../src/protocol/ids.ts';
import { anyCharacter } from '../../src/testing/test-inputs.ts';

export interface Rendering {
  readonly payload: unknown;
  readonly fragment: Fragment;
}

/** Pieces from which hostile text is made: all markers at once, in letters and spaces that a reader might accept. */
const granular: ApprovalPolicy = {
  granular: {
    sandbox_approval: true,
    rules: false,
    skill_approval: false,
    request_permissions: true,
    mcp_elicitations: false,
  },
};

const markers = fragmentCatalog.flatMap(({ markers = ['', ''] }) => [...markers]);
const pieces = [
  markers.join(''),
  markers.join('').toUpperCase(),
  markers.map((marker) => marker.replace('</', '< / ').replace('>', ' >')).join(''),
  ...markers,
  '</command>',
  '</result>',
  'Approved command prefix saved:',
  '\n',
  '"',
  '&',
  '…',
  'ünï 😀',
];

const short = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 20 }),
  fc
    .array(fc.oneof(fc.constantFrom(...pieces.slice(0, 3)), fc.constantFrom(...pieces)), { maxLength: 2 })
    .map((found) => found.join('')),
);

/** Now and then longer than any cap. */
const text = fc.oneof(
  { weight: 9, arbitrary: short },
  { weight: 1, arbitrary: short.map((piece) => `${piece}.`.repeat(Math.ceil(90_000 / (piece.length + 1)))) },
);

const nothing = fc.constant(undefined);
const some = <Value>(value: fc.Arbitrary<Value>, maxLength = 4) =>
  fc.oneof({ weight: 9, arbitrary: fc.array(value, { maxLength }) }, { weight: 1, arbitrary: many(value) });
const many = <Value>(value: fc.Arbitrary<Value>) => fc.array(value, { minLength: 150, maxLength: 160 });
const prefixes = some(fc.array(short, { maxLength: 3 }));
const patterns = some(
  fc.array(fc.oneof(short, fc.array(short, { minLength: 1, maxLength: 3 })), { minLength: 1, maxLength: 4 }),
);
const instructions = fc.record({ text, replaces: fc.boolean() });
const namespace = fc.record({ name: short, description: text });
const optional = <Model>(model: { [Key in keyof Model]: fc.Arbitrary<Model[Key]> }) =>
  fc.record(model, { requiredKeys: [] });

/** Renderings of arbitrary payloads, by kind. */
export const renderings: readonly {
  readonly kind: FragmentKind<never>;
  readonly arbitrary: fc.Arbitrary<Rendering>;
}[] = [
  of(
    modelSwitchFragment,
    fc.record(
      {
        model: text,
        guidance: fc.oneof(
          fc.constant({ kind: 'base' as const }),
          fc.record({ kind: fc.constant('text' as const), text }),
        ),
        revised: fc.constant(true as const),
      },
      { requiredKeys: ['model', 'guidance'] },
    ),
  ),
  of(personalityFragment, fc.record({ name: fc.constantFrom('none', 'friendly', 'pragmatic'), text })),
  of(personalityFragment.withdrawn, nothing),
  of(realtimeStartFragment, optional({ instructions: text })),
  of(realtimeEndFragment, optional({ instructions: text })),
  of(developer.developerInstructionsFragment, instructions),
  of(developer.developerInstructionsFragment.withdrawn, nothing),
  of(sessionContextFragment, fc.record({ texts: some(text), replaces: fc.boolean() })),
  of(sessionContextFragment.withdrawn, nothing),
  of(
    agentsMdFragment,
    fc.record({ directory: text, text, replaces: fc.boolean() }, { requiredKeys: ['text', 'replaces'] }),
  ),
  of(agentsMdFragment.withdrawn, nothing),
  of(pinnedNotesFragment, fc.record({ notes: some(text), replaces: fc.boolean() })),
  of(pinnedNotesFragment.withdrawn, nothing),
  of(
    skillsCatalogueFragment,
    fc.record({
      roots: some(fc.record({ alias: fc.constantFrom('r0', 'r1'), path: text })),
      skills: some(fc.record({ name: text, description: text, path: text })),
      left: fc.nat(9),
    }),
  ),
  of(skillsCatalogueFragment.withdrawn, nothing),
  of(
    mcpInstructionsFragment,
    fc.record({ instructions: some(fc.record({ server: text, text })), replaces: fc.boolean() }),
  ),
  of(mcpInstructionsFragment.withdrawn, nothing),
  of(
    mcpServersFragment,
    fc.record({
      notes: some(fc.record({ server: text, problem: text, changed: text, gone: text, unasked: text })),
      replaces: fc.boolean(),
    }),
  ),
  of(mcpServersFragment.withdrawn, nothing),
  of(memoryFragment, fc.record({ summary: text, folder: text, replaces: fc.boolean() })),
  of(memoryFragment.withdrawn, nothing),
  of(
    sessionsFragment,
    fc.record({
      sessions: some(fc.record({ id: fc.nat(), command: text, since: short }), 80),
      replaces: fc.boolean(),
    }),
  ),
  of(sessionsFragment.withdrawn, nothing),
  of(
    knownAgentsFragment,
    fc.record({ agents: some(fc.record({ path: text, role: text, stands: short }), 80), replaces: fc.boolean() }),
  ),
  of(knownAgentsFragment.withdrawn, nothing),
  of(
    permissionsFragment,
    fc.record({
      mode: fc.constantFrom('read-only', 'workspace-write', 'danger-full-access', 'external-sandbox'),
      network: fc.constantFrom('restricted', 'enabled'),
      approval: fc.constantFrom<ApprovalPolicy>('never', 'on-request', 'untrusted', granular),
      canAsk: fc.boolean(),
      writableRoots: some(text),
      readOnlyPaths: some(short),
      keptGlobs: some(short),
      sockets: some(short),
      readablePaths: some(short),
      deniedGlobs: some(short),
      ownPaths: some(short),
      deniedPaths: some(short),
      readsEverything: fc.boolean(),
      missingRoots: some(short),
      approvedPrefixes: prefixes,
      held: fc.record({ forbidden: patterns, asked: patterns }),
    }),
  ),
  of(permissionsFragment.withdrawn, nothing),
  of(
    approvedPrefixesFragment,
    fc.record({
      added: prefixes,
      where: fc.constantFrom('outside', 'confined', 'anywhere'),
      explained: fc.boolean(),
    }),
  ),
  of(
    grantedPermissionsFragment,
    fc.record({
      now: fc.record({
        mode: fc.constantFrom('read-only', 'workspace-write'),
        network: fc.constantFrom('restricted', 'enabled'),
        approval: fc.constantFrom<ApprovalPolicy>('never', 'on-request', 'untrusted', granular),
        canAsk: fc.boolean(),
        sockets: some(text),
        opened: fc.record({
          network: fc.constant('enabled'),
          sockets: some(text),
          lists: fc.record({
            allow: some(text),
            deny: some(text),
            ask: some(text),
            local: fc.boolean(),
            methods: fc.constantFrom('any', 'reading'),
          }),
        }),
        granted: fc.record({
          session: fc.record({ network: fc.constant(true), read: some(text), write: some(text), hosts: some(text) }),
          turn: fc.record({ read: some(text), write: some(text), hosts: some(text) }),
        }),
      }),
      changed: fc.subarray([...grantedParts]),
    }),
  ),
  of(networkRulesFragment, fc.record({ rules: text })),
  of(collaborationModeFragment, fc.record({ mode: short, instructions: text })),
  of(collaborationModeFragment.withdrawn, nothing),
  of(
    environmentFragment,
    optional({
      cwd: text,
      shell: short,
      date: short,
      timezone: short,
      approvalPolicy: fc.constantFrom('never' as const, 'untrusted' as const),
      sandboxMode: fc.constantFrom('read-only' as const, 'external-sandbox' as const),
      networkAccess: fc.constantFrom('restricted', 'enabled', 'limited'),
      writableRoots: some(text),
      workspaceRoots: some(short),
      deniedPaths: some(short),
      reopenedPaths: some(short),
      allowedDomains: some(short),
      deniedDomains: some(short),
    }),
  ),
  of(environmentFragment.withdrawn, nothing),
  of(environments.environmentsGuidanceFragment, nothing),
  of(environments.environmentsGuidanceFragment.withdrawn, nothing),
  of(appsGuidanceFragment, nothing),
  of(appsGuidanceFragment.withdrawn, nothing),
  of(pluginsGuidanceFragment, nothing),
  of(pluginsGuidanceFragment.withdrawn, nothing),
  of(recommended.recommendedPluginsFragment, fc.record({ plugins: some(fc.record({ name: short, id: text })) })),
  of(recommended.recommendedPluginsFragment.withdrawn, nothing),
  of(
    deferredToolsFragment,
    fc.oneof(
      fc.record({ kind: fc.constant('full' as const), namespaces: some(namespace) }),
      fc.record({
        kind: fc.constant('change' as const),
        added: some(namespace),
        removed: some(short),
      }),
    ),
  ),
  of(deferredToolsFragment.withdrawn, nothing),
  of(multiAgent.multiAgentRoleFragment, fc.record({ text, concurrency: fc.nat() }, { requiredKeys: ['text'] })),
  of(multiAgent.multiAgentRoleFragment.withdrawn, nothing),
  of(
    multiAgent.multiAgentModeFragment,
    fc.oneof(
      fc.record({ kind: fc.constantFrom('explicit' as const, 'proactive' as const) }),
      fc.record({ kind: fc.constant('custom' as const), text }),
    ),
  ),
  of(multiAgent.multiAgentModeFragment.withdrawn, nothing),
  of(managed.managedInstructionsFragment, instructions),
  of(managed.managedInstructionsFragment.withdrawn, nothing),
  of(
    turnAbortedFragment,
    fc.constantFrom(
      'interrupted',
      'interrupted-idle',
      'interrupted-idle+seen',
      'process-died',
      'process-died-idle',
      'forked',
      'rolled-back',
    ),
  ),
  of(turnContinuedFragment, fc.constantFrom('after-failure', 'other-model')),
  of(
    filesPutBackFragment,
    fc.record(
      {
        before: fc.record({ turnId: short as fc.Arbitrary<TurnId>, number: fc.nat(), words: text }),
        isUndone: fc.constant(true as const),
        restored: some(text, 80),
        deleted: some(text, 80),
        more: fc.nat(),
      },
      { requiredKeys: ['restored', 'deleted'] },
    ),
  ),
  of(
    filesChangedBesideFragment,
    fc.record(
      {
        changes: some(
          fc.record(
            { path: text, kind: fc.constantFrom('add', 'delete', 'update'), movePath: text },
            { requiredKeys: ['path', 'kind'] },
          ),
          200,
        ),
        more: fc.nat(),
        commands: fc.nat(),
      },
      { requiredKeys: ['changes'] },
    ),
  ),
  of(
    sessionsEndedFragment,
    fc.record({
      why: fc.constantFrom('gone', 'elsewhere', 'narrowed', 'stopped'),
      sessions: some(fc.record({ id: fc.nat(), command: text }), 80),
    }),
  ),
  of(agentsElsewhereFragment, fc.record({ paths: some(text, 80) })),
  of(newRepositoriesFragment, fc.record({ folders: some(short) })),
  of(generatedImagesFragment, fc.record({ paths: some(short) })),
  of(
    skillBodyFragment,
    fc.record(
      { name: text, path: short, resourceAccess: fc.record({ base: text }), contents: text, isCut: fc.boolean() },
      { requiredKeys: ['name', 'path', 'contents'] },
    ),
  ),
  of(skillHintFragment, fc.record({ skills: some(fc.record({ name: text, description: text, path: text })) })),
  of(
    pluginHintFragment,
    fc.record(
      { name: text, skillPrefix: short, apps: some(short), servers: some(text) },
      { requiredKeys: ['name', 'apps', 'servers'] },
    ),
  ),
  of(hookContextFragment, fc.record({ text })),
  of(hookPromptFragment, fc.record({ runId: text, prompt: text })),
  of(
    goalFragment,
    fc.record(
      {
        about: fc.constantFrom('goes-on', 'budget', 'interrupted', 'failed', 'usage-limit', 'stalled'),
        objective: text,
        used: fc.nat(),
        budget: fc.nat(),
      },
      { requiredKeys: ['about', 'objective', 'used'] },
    ),
  ),
  of(
    subagentNotificationFragment,
    fc.record({
      agentPath: text,
      status: fc.oneof(
        fc.record({ kind: fc.constantFrom('running' as const, 'shutdown' as const) }),
        fc.record({ kind: fc.constant('completed' as const), answer: text }, { requiredKeys: ['kind'] }),
        fc.record({ kind: fc.constant('errored' as const), message: text }),
      ),
    }),
  ),
  of(
    interAgentMessageFragment,
    fc.record({
      type: fc.constantFrom('MESSAGE', 'NEW_TASK', 'FINAL_ANSWER'),
      taskName: short,
      sender: short,
      payload: text,
    }),
  ),
  of(
    realtimeDelegationFragment,
    fc.record({ source: text, input: text, transcriptDelta: text }, { requiredKeys: ['input'] }),
  ),
  of(unusableImagesFragment, fc.record({ paths: some(text) })),
  of(
    imageResizeNoticeFragment,
    fc.record({
      images: some(fc.record({ number: fc.nat(), from: fc.constant('4000x3000'), to: fc.constant('1829x1371') })),
    }),
  ),
  of(userActionFragment, fc.record({ action: fc.constant('review' as const), context: text, results: text })),
  of(
    userShellCommandFragment,
    fc.record(
      {
        command: text,
        exitCode: fc.nat(255),
        isStopped: fc.constant(true as const),
        seconds: fc.nat(1000),
        output: text,
      },
      { requiredKeys: ['command', 'seconds', 'output'] },
    ),
  ),
  of(
    checkpointIntentFragment,
    fc.record(
      {
        rows: some(
          fc.oneof(
            fc.record({
              kind: fc.constant('message' as const),
              text,
              by: fc.constantFrom('hook' as const, 'program' as const),
              pictures: fc.constant([]),
              pictureCount: fc.nat(3),
              picturesLeftOut: fc.nat(3),
              alsoIn: some(fc.nat(9)),
            }),
            fc.record({ kind: fc.constant('gap' as const), count: fc.nat(9), tokens: fc.nat(9999) }),
          ),
        ),
        chosenBy: short,
        readAll: short,
      },
      { requiredKeys: ['rows'] },
    ),
  ),
  of(
    checkpointRecordsFragment,
    fc.record({
      plan: some(fc.record({ text, status: fc.constantFrom('pending' as const, 'completed' as const) })),
      files: some(
        fc.record(
          { path: text, kind: fc.constantFrom('add' as const, 'update' as const), movePath: short },
          { requiredKeys: ['path', 'kind'] },
        ),
      ),
      putBack: some(
        fc.record({ path: text, isDeleted: fc.constant(true as const), before: fc.nat() }, { requiredKeys: ['path'] }),
      ),
      tokens: fc.nat(10_000),
    }),
  ),
  of(
    checkpointSummaryFragment,
    fc.oneof(
      fc.record({
        by: fc.constant('model' as const),
        model: text,
        context: text,
        summary: text,
        results: some(fc.record({ call: short, output: text })),
      }),
      fc.record(
        {
          by: fc.constant('code' as const),
          why: short,
          answer: fc.record({ text, number: fc.nat(99), isOlder: fc.boolean() }),
          results: some(fc.record({ number: fc.nat(99), call: short, output: text })),
          resumeAt: short,
        },
        { requiredKeys: ['by', 'why', 'results', 'resumeAt'] },
      ),
    ),
  ),
];

function of<Payload>(kind: FragmentKind<Payload>, payload: fc.Arbitrary<NoInfer<Payload>>) {
  return { kind, arbitrary: payload.map((payload) => ({ payload, fragment: renderFragment(kind, payload) })) };
}
