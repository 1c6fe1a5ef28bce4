import * as developer from '../../src/core/world/sections/instructions.ts';
import * as managed from '../../src/core/world/sections/instructions.ts';
import { agentsMdFragment, sessionContextFragment } from '../../src/core/world/sections/instructions.ts';
import { approvedPrefixesFragment } from '../../src/core/world/sections/approvals.ts';
import * as recommended from '../../src/core/world/sections/plugins-and-apps.ts';
import { appsGuidanceFragment, pluginsGuidanceFragment } from '../../src/core/world/sections/plugins-and-apps.ts';
import { checkpointIntentFragment } from '../../src/core/fragments/checkpoint-messages.ts';
import { checkpointRecordsFragment, checkpointSummaryFragment } from '../../src/core/fragments/checkpoint-work.ts';
import {
  collaborationModeFragment,
  personalityFragment,
  personalityText,
  realtimeEndFragment,
  realtimeStartFragment,
} from '../../src/core/world/sections/modes.ts';
import {
  deferredToolsFragment,
  mcpInstructionsFragment,
  mcpServersFragment,
} from '../../src/core/world/sections/deferred-tools-and-mcp-servers.ts';
import { type Fragment, renderFragment } from '../../src/core/fragments/text/define-fragment.ts';
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
import type { TurnId } from '../../src/protocol/ids.ts';

/** One rendering of every kind, as the document shows it. */
export const examples: readonly Fragment[] = [
  renderFragment(modelSwitchFragment, { model: 'MODEL', guidance: { kind: 'text', text: 'GUIDANCE FOR THIS MODEL' } }),
  renderFragment(personalityFragment, { name: 'pragmatic', text: personalityText('pragmatic') }),
  renderFragment(personalityFragment.withdrawn, undefined),
  renderFragment(realtimeStartFragment, {}),
  renderFragment(realtimeEndFragment, {}),
  renderFragment(developer.developerInstructionsFragment, { text: 'CONFIGURED TEXT', replaces: true }),
  renderFragment(developer.developerInstructionsFragment.withdrawn, undefined),
  renderFragment(sessionContextFragment, { texts: ['FIRST HOOK', 'SECOND HOOK'], replaces: true }),
  renderFragment(sessionContextFragment.withdrawn, undefined),
  renderFragment(agentsMdFragment, { directory: '/repo', text: 'TEXT OF THE FILES', replaces: true }),
  renderFragment(agentsMdFragment.withdrawn, undefined),
  renderFragment(pinnedNotesFragment, { notes: ['FIRST NOTE', 'SECOND NOTE'], replaces: true }),
  renderFragment(pinnedNotesFragment.withdrawn, undefined),
  renderFragment(skillsCatalogueFragment, {
    roots: [{ alias: 'r0', path: '/skills' }],
    skills: [
      { name: 'release', description: 'How to make a release', path: 'r0/release/SKILL.md' },
      { name: 'calendar:plan', description: '', path: '/plugins/calendar/skills/plan/SKILL.md' },
    ],
    left: 2,
  }),
  renderFragment(skillsCatalogueFragment.withdrawn, undefined),
  renderFragment(mcpInstructionsFragment, {
    instructions: [{ server: 'docs', text: 'TEXT OF THE SERVER' }],
    replaces: false,
  }),
  renderFragment(mcpInstructionsFragment.withdrawn, undefined),
  renderFragment(mcpServersFragment, {
    notes: [
      {
        server: 'mail',
        problem: 'The MCP server "mail" did not start: it exited with code 1.',
        changed: '',
        gone: '',
        unasked: '',
      },
      {
        server: 'docs',
        problem: '',
        changed: 'mcp__docs__find(query: string, limit?: number)',
        gone: 'mcp__docs__list',
        unasked: 'mcp__docs__write',
      },
    ],
    replaces: false,
  }),
  renderFragment(mcpServersFragment.withdrawn, undefined),
  renderFragment(memoryFragment, { summary: 'SUMMARY OF EARLIER THREADS', folder: '/home/memories', replaces: false }),
  renderFragment(memoryFragment.withdrawn, undefined),
  renderFragment(sessionsFragment, {
    sessions: [{ id: 4242, command: 'npm start', since: '2026-11-16T09:30Z' }],
    replaces: true,
  }),
  renderFragment(sessionsFragment.withdrawn, undefined),
  renderFragment(knownAgentsFragment, {
    agents: [{ path: '/root/reader', role: 'explorer', stands: 'working' }],
    replaces: false,
  }),
  renderFragment(knownAgentsFragment.withdrawn, undefined),
  renderFragment(permissionsFragment, {
    mode: 'workspace-write',
    network: 'restricted',
    approval: 'on-request',
    canAsk: true,
    writableRoots: ['/repo'],
    readOnlyPaths: ['/repo/.git'],
    keptGlobs: ['/repo/**/.git'],
    sockets: [],
    readablePaths: [],
    deniedGlobs: ['/repo/**/*.pem'],
    ownPaths: ['/home/me/.capstan/auth.json'],
    deniedPaths: ['/repo/.env'],
    readsEverything: true,
    missingRoots: ['/srv/cache'],
    approvedPrefixes: [['git', 'pull']],
    held: { forbidden: [['rm', ['-rf', '-fr']]], asked: [['git', 'push']] },
  }),
  renderFragment(permissionsFragment.withdrawn, undefined),
  renderFragment(approvedPrefixesFragment, { added: [['npm', 'run', 'lint']], where: 'outside', explained: true }),
  renderFragment(grantedPermissionsFragment, {
    now: {
      mode: 'workspace-write',
      network: 'restricted',
      approval: 'on-request',
      canAsk: true,
      sockets: [],
      opened: { network: 'enabled', sockets: [] },
      granted: { session: { network: true, write: ['/srv/cache'] } },
    },
    changed: ['network', 'session', 'turn'],
  }),
  renderFragment(networkRulesFragment, { rules: 'RULES OF AN EARLIER VERSION' }),
  renderFragment(collaborationModeFragment, { mode: 'plan', instructions: 'TEXT OF THE MODE' }),
  renderFragment(collaborationModeFragment.withdrawn, undefined),
  renderFragment(environmentFragment, {
    cwd: '/repo',
    shell: 'bash',
    date: '2026-11-16',
    timezone: 'Europe/Oslo',
    approvalPolicy: 'on-request',
    sandboxMode: 'workspace-write',
    networkAccess: 'restricted',
    writableRoots: ['/repo', '/tmp'],
    workspaceRoots: ['/repo'],
    deniedPaths: ['/repo/private'],
    reopenedPaths: ['/repo/private/shared'],
    allowedDomains: ['example.org'],
    deniedDomains: [],
  }),
  renderFragment(environmentFragment.withdrawn, undefined),
  renderFragment(environments.environmentsGuidanceFragment, undefined),
  renderFragment(environments.environmentsGuidanceFragment.withdrawn, undefined),
  renderFragment(appsGuidanceFragment, undefined),
  renderFragment(appsGuidanceFragment.withdrawn, undefined),
  renderFragment(pluginsGuidanceFragment, undefined),
  renderFragment(pluginsGuidanceFragment.withdrawn, undefined),
  renderFragment(recommended.recommendedPluginsFragment, { plugins: [{ name: 'Calendar', id: 'calendar@shop' }] }),
  renderFragment(recommended.recommendedPluginsFragment.withdrawn, undefined),
  renderFragment(deferredToolsFragment, {
    kind: 'change',
    added: [{ name: 'calendar', description: 'Reads and writes dates.' }],
    removed: ['mail'],
  }),
  renderFragment(deferredToolsFragment.withdrawn, undefined),
  renderFragment(multiAgent.multiAgentRoleFragment, { text: 'TEXT OF THE ROLE', concurrency: 4 }),
  renderFragment(multiAgent.multiAgentRoleFragment.withdrawn, undefined),
  renderFragment(multiAgent.multiAgentModeFragment, { kind: 'explicit' }),
  renderFragment(multiAgent.multiAgentModeFragment.withdrawn, undefined),
  renderFragment(managed.managedInstructionsFragment, { text: 'MANAGED TEXT', replaces: true }),
  renderFragment(managed.managedInstructionsFragment.withdrawn, undefined),
  renderFragment(turnAbortedFragment, 'interrupted'),
  renderFragment(turnContinuedFragment, 'after-failure'),
  renderFragment(filesPutBackFragment, {
    before: { turnId: 'TURN' as TurnId, number: 3, words: 'Rewrite the parser' },
    restored: ['/repo/parser.ts'],
    deleted: ['/repo/lexer.ts'],
  }),
  renderFragment(filesChangedBesideFragment, {
    changes: [
      { path: '/repo/parser.ts', kind: 'update' },
      { path: '/repo/lexer.ts', kind: 'delete' },
    ],
    commands: 2,
  }),
  renderFragment(sessionsEndedFragment, { why: 'gone', sessions: [{ id: 4242, command: 'npm start' }] }),
  renderFragment(agentsElsewhereFragment, { paths: ['/root/reader'] }),
  renderFragment(newRepositoriesFragment, { folders: ['/repo/clone'] }),
  renderFragment(generatedImagesFragment, { paths: ['/home/ann/.capstan/generated_images/01a1e497/ig_1.png'] }),
  renderFragment(skillBodyFragment, {
    name: 'release',
    path: '/skills/release/SKILL.md',
    contents: 'TEXT OF THE SKILL',
  }),
  renderFragment(skillHintFragment, {
    skills: [{ name: 'release', description: 'How to make a release', path: '/skills/release/SKILL.md' }],
  }),
  renderFragment(pluginHintFragment, {
    name: 'calendar',
    skillPrefix: 'calendar:',
    apps: ['dates'],
    servers: ['caldav'],
  }),
  renderFragment(hookContextFragment, { text: 'WHAT THE HOOK PRINTED' }),
  renderFragment(hookPromptFragment, { runId: 'RUN', prompt: 'Run the tests first.' }),
  renderFragment(goalFragment, { about: 'goes-on', objective: 'Make it green', used: 1000, budget: 5000 }),
  renderFragment(subagentNotificationFragment, {
    agentPath: '/root/reader',
    status: { kind: 'completed', answer: 'Nothing found.' },
  }),
  renderFragment(interAgentMessageFragment, {
    type: 'NEW_TASK',
    taskName: 'reader',
    sender: '/root',
    payload: 'Read it.',
  }),
  renderFragment(realtimeDelegationFragment, { input: 'Fix the test.', transcriptDelta: 'user: the test is red' }),
  renderFragment(unusableImagesFragment, { paths: ['notes.png'] }),
  renderFragment(imageResizeNoticeFragment, { images: [{ number: 1, from: '4000x3000', to: '1829x1371' }] }),
  renderFragment(userActionFragment, {
    action: 'review',
    context: 'The user started a review.',
    results: 'No faults.',
  }),
  renderFragment(userShellCommandFragment, { command: 'npm test', exitCode: 1, seconds: 2.5, output: '1 failed' }),
  renderFragment(checkpointIntentFragment, {
    rows: [
      {
        kind: 'message',
        number: 1,
        text: 'REQUEST OF THE USER',
        task: 'chosen',
        pictures: [],
        pictureCount: 0,
        picturesLeftOut: 0,
        alsoIn: [],
      },
      { kind: 'gap', count: 3, tokens: 5200, from: 2, to: 4 },
      {
        kind: 'message',
        number: 5,
        text: 'WORDS OF THE USER',
        pictures: [],
        pictureCount: 0,
        picturesLeftOut: 1,
        alsoIn: [],
      },
    ],
    chosenBy: 'MODEL',
    readAll: 'capstan threads export THREAD --format markdown',
  }),
  renderFragment(checkpointRecordsFragment, {
    plan: [
      { text: 'Read the parser', status: 'completed' },
      { text: 'Write the test', status: 'in-progress' },
    ],
    files: [{ path: '/repo/parser.ts', kind: 'update' }],
    putBack: [{ path: '/repo/lexer.ts', isDeleted: true, before: 3 }],
    tokens: 4000,
  }),
  renderFragment(checkpointSummaryFragment, {
    by: 'model',
    model: 'MODEL',
    context: 'CONTEXT FOR THE TASK',
    results: [],
    summary: 'SUMMARY BY THE MODEL\nRESUME_AT: NEXT STEP',
  }),
];
