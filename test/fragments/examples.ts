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
import { type Fragment, render } from '../../src/core/fragments/text/define-fragment.ts';
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
  render(modelSwitchFragment, { model: 'MODEL', guidance: { kind: 'text', text: 'GUIDANCE FOR THIS MODEL' } }),
  render(personalityFragment, { name: 'pragmatic', text: personalityText('pragmatic') }),
  render(personalityFragment.withdrawn, undefined),
  render(realtimeStartFragment, {}),
  render(realtimeEndFragment, {}),
  render(developer.developerInstructionsFragment, { text: 'CONFIGURED TEXT', replaces: true }),
  render(developer.developerInstructionsFragment.withdrawn, undefined),
  render(sessionContextFragment, { texts: ['FIRST HOOK', 'SECOND HOOK'], replaces: true }),
  render(sessionContextFragment.withdrawn, undefined),
  render(agentsMdFragment, { directory: '/repo', text: 'TEXT OF THE FILES', replaces: true }),
  render(agentsMdFragment.withdrawn, undefined),
  render(pinnedNotesFragment, { notes: ['FIRST NOTE', 'SECOND NOTE'], replaces: true }),
  render(pinnedNotesFragment.withdrawn, undefined),
  render(skillsCatalogueFragment, {
    roots: [{ alias: 'r0', path: '/skills' }],
    skills: [
      { name: 'release', description: 'How to make a release', path: 'r0/release/SKILL.md' },
      { name: 'calendar:plan', description: '', path: '/plugins/calendar/skills/plan/SKILL.md' },
    ],
    left: 2,
  }),
  render(skillsCatalogueFragment.withdrawn, undefined),
  render(mcpInstructionsFragment, {
    instructions: [{ server: 'docs', text: 'TEXT OF THE SERVER' }],
    replaces: false,
  }),
  render(mcpInstructionsFragment.withdrawn, undefined),
  render(mcpServersFragment, {
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
  render(mcpServersFragment.withdrawn, undefined),
  render(memoryFragment, { summary: 'SUMMARY OF EARLIER THREADS', folder: '/home/memories', replaces: false }),
  render(memoryFragment.withdrawn, undefined),
  render(sessionsFragment, {
    sessions: [{ id: 4242, command: 'npm start', since: '2026-11-16T09:30Z' }],
    replaces: true,
  }),
  render(sessionsFragment.withdrawn, undefined),
  render(knownAgentsFragment, {
    agents: [{ path: '/root/reader', role: 'explorer', stands: 'working' }],
    replaces: false,
  }),
  render(knownAgentsFragment.withdrawn, undefined),
  render(permissionsFragment, {
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
  render(permissionsFragment.withdrawn, undefined),
  render(approvedPrefixesFragment, { added: [['npm', 'run', 'lint']], where: 'outside', explained: true }),
  render(grantedPermissionsFragment, {
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
  render(networkRulesFragment, { rules: 'RULES OF AN EARLIER VERSION' }),
  render(collaborationModeFragment, { mode: 'plan', instructions: 'TEXT OF THE MODE' }),
  render(collaborationModeFragment.withdrawn, undefined),
  render(environmentFragment, {
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
  render(environmentFragment.withdrawn, undefined),
  render(environments.environmentsGuidanceFragment, undefined),
  render(environments.environmentsGuidanceFragment.withdrawn, undefined),
  render(appsGuidanceFragment, undefined),
  render(appsGuidanceFragment.withdrawn, undefined),
  render(pluginsGuidanceFragment, undefined),
  render(pluginsGuidanceFragment.withdrawn, undefined),
  render(recommended.recommendedPluginsFragment, { plugins: [{ name: 'Calendar', id: 'calendar@shop' }] }),
  render(recommended.recommendedPluginsFragment.withdrawn, undefined),
  render(deferredToolsFragment, {
    kind: 'change',
    added: [{ name: 'calendar', description: 'Reads and writes dates.' }],
    removed: ['mail'],
  }),
  render(deferredToolsFragment.withdrawn, undefined),
  render(multiAgent.multiAgentRoleFragment, { text: 'TEXT OF THE ROLE', concurrency: 4 }),
  render(multiAgent.multiAgentRoleFragment.withdrawn, undefined),
  render(multiAgent.multiAgentModeFragment, { kind: 'explicit' }),
  render(multiAgent.multiAgentModeFragment.withdrawn, undefined),
  render(managed.managedInstructionsFragment, { text: 'MANAGED TEXT', replaces: true }),
  render(managed.managedInstructionsFragment.withdrawn, undefined),
  render(turnAbortedFragment, 'interrupted'),
  render(turnContinuedFragment, 'after-failure'),
  render(filesPutBackFragment, {
    before: { turnId: 'TURN' as TurnId, number: 3, words: 'Rewrite the parser' },
    restored: ['/repo/parser.ts'],
    deleted: ['/repo/lexer.ts'],
  }),
  render(filesChangedBesideFragment, {
    changes: [
      { path: '/repo/parser.ts', kind: 'update' },
      { path: '/repo/lexer.ts', kind: 'delete' },
    ],
    commands: 2,
  }),
  render(sessionsEndedFragment, { why: 'gone', sessions: [{ id: 4242, command: 'npm start' }] }),
  render(agentsElsewhereFragment, { paths: ['/root/reader'] }),
  render(newRepositoriesFragment, { folders: ['/repo/clone'] }),
  render(generatedImagesFragment, { paths: ['/home/ann/.capstan/generated_images/01a1e497/ig_1.png'] }),
  render(skillBodyFragment, { name: 'release', path: '/skills/release/SKILL.md', contents: 'TEXT OF THE SKILL' }),
  render(skillHintFragment, {
    skills: [{ name: 'release', description: 'How to make a release', path: '/skills/release/SKILL.md' }],
  }),
  render(pluginHintFragment, { name: 'calendar', skillPrefix: 'calendar:', apps: ['dates'], servers: ['caldav'] }),
  render(hookContextFragment, { text: 'WHAT THE HOOK PRINTED' }),
  render(hookPromptFragment, { runId: 'RUN', prompt: 'Run the tests first.' }),
  render(goalFragment, { about: 'goes-on', objective: 'Make it green', used: 1000, budget: 5000 }),
  render(subagentNotificationFragment, {
    agentPath: '/root/reader',
    status: { kind: 'completed', answer: 'Nothing found.' },
  }),
  render(interAgentMessageFragment, { type: 'NEW_TASK', taskName: 'reader', sender: '/root', payload: 'Read it.' }),
  render(realtimeDelegationFragment, { input: 'Fix the test.', transcriptDelta: 'user: the test is red' }),
  render(unusableImagesFragment, { paths: ['notes.png'] }),
  render(imageResizeNoticeFragment, { images: [{ number: 1, from: '4000x3000', to: '1829x1371' }] }),
  render(userActionFragment, { action: 'review', context: 'The user started a review.', results: 'No faults.' }),
  render(userShellCommandFragment, { command: 'npm test', exitCode: 1, seconds: 2.5, output: '1 failed' }),
  render(checkpointIntentFragment, {
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
  render(checkpointRecordsFragment, {
    plan: [
      { text: 'Read the parser', status: 'completed' },
      { text: 'Write the test', status: 'in-progress' },
    ],
    files: [{ path: '/repo/parser.ts', kind: 'update' }],
    putBack: [{ path: '/repo/lexer.ts', isDeleted: true, before: 3 }],
    tokens: 4000,
  }),
  render(checkpointSummaryFragment, {
    by: 'model',
    model: 'MODEL',
    context: 'CONTEXT FOR THE TASK',
    results: [],
    summary: 'SUMMARY BY THE MODEL\nRESUME_AT: NEXT STEP',
  }),
];
