import fc from 'fast-check';
import { describe, expect, inject, it } from 'vitest';
import { fragmentCatalog } from '../../src/core/world/catalog.ts';
import { recogniseFragment } from '../../src/core/world/recognise-fragments.ts';
import { estimateTokens } from '../../src/core/fragments/text/truncate.ts';
import { renderings } from './arbitraries.ts';

describe('the catalogue', () => {
  it('holds these kinds and no others', () => {
    const rows = fragmentCatalog.map(({ id, role, markers, capTokens, separate, formOf }) =>
      [id, role, markers?.[0] ?? '-', capTokens, separate ? 'alone' : '', formOf ?? ''].join(' | ').trim(),
    );
    expect(rows).toMatchInlineSnapshot(`
      [
        "model-switch | developer | <model_switch> | 10000 | alone |",
        "personality | developer | <personality_spec> | 1000 | alone |",
        "personality-withdrawn | developer | <personality_spec> | 100 | alone | personality",
        "realtime-start | developer | <realtime_conversation> | 1000 |  |",
        "realtime-end | developer | <realtime_conversation> | 1000 |  |",
        "developer-instructions | developer | <developer_instructions> | 10000 |  |",
        "developer-instructions-withdrawn | developer | <developer_instructions> | 100 |  | developer-instructions",
        "session-context | developer | <session_context> | 5000 |  |",
        "session-context-withdrawn | developer | <session_context> | 100 |  | session-context",
        "agents-md | user | # AGENTS.md instructions | 20000 |  |",
        "agents-md-withdrawn | user | # AGENTS.md instructions | 100 |  | agents-md",
        "pinned-notes | user | <pinned_notes> | 6000 |  |",
        "pinned-notes-withdrawn | user | <pinned_notes> | 100 |  | pinned-notes",
        "skills-catalogue | developer | <skills_instructions> | 10000 |  |",
        "skills-withdrawn | developer | <skills_instructions> | 100 |  | skills-catalogue",
        "mcp-instructions | developer | <mcp_instructions> | 2500 |  |",
        "mcp-instructions-withdrawn | developer | <mcp_instructions> | 100 |  | mcp-instructions",
        "mcp-servers | developer | <mcp_servers> | 2000 |  |",
        "mcp-servers-withdrawn | developer | <mcp_servers> | 100 |  | mcp-servers",
        "memory | developer | <memory_summary> | 2800 |  |",
        "memory-withdrawn | developer | <memory_summary> | 100 |  | memory",
        "sessions | developer | <command_sessions> | 3500 |  |",
        "sessions-withdrawn | developer | <command_sessions> | 100 |  | sessions",
        "known-agents | developer | <known_agents> | 3500 |  |",
        "known-agents-withdrawn | developer | <known_agents> | 100 |  | known-agents",
        "permissions | developer | <permissions instructions> | 6000 |  |",
        "permissions-withdrawn | developer | <permissions instructions> | 100 |  | permissions",
        "approved-prefixes | developer | <approved_command_prefixes> | 1700 |  |",
        "granted-permissions | developer | <granted_permissions> | 3000 |  |",
        "network-rules | developer | <network_rules> | 1500 |  |",
        "collaboration-mode | developer | <collaboration_mode> | 5000 |  |",
        "collaboration-mode-withdrawn | developer | <collaboration_mode> | 100 |  | collaboration-mode",
        "environment | user | <environment_context> | 4000 |  |",
        "environment-withdrawn | user | <environment_context> | 100 |  | environment",
        "environments-guidance | developer | <environments_instructions> | 400 |  |",
        "environments-guidance-withdrawn | developer | <environments_instructions> | 100 |  | environments-guidance",
        "apps-guidance | developer | <apps_instructions> | 400 |  |",
        "apps-guidance-withdrawn | developer | <apps_instructions> | 100 |  | apps-guidance",
        "plugins-guidance | developer | <plugins_instructions> | 400 |  |",
        "plugins-guidance-withdrawn | developer | <plugins_instructions> | 100 |  | plugins-guidance",
        "recommended-plugins | user | <recommended_plugins> | 1500 |  |",
        "recommended-plugins-withdrawn | user | <recommended_plugins> | 100 |  | recommended-plugins",
        "deferred-tools | developer | <tools> | 1024 |  |",
        "deferred-tools-withdrawn | developer | <tools> | 100 |  | deferred-tools",
        "multi-agent-role | developer | <multi_agent_role> | 1500 | alone |",
        "multi-agent-role-withdrawn | developer | <multi_agent_role> | 100 | alone | multi-agent-role",
        "multi-agent-mode | developer | <multi_agent_mode> | 450 |  |",
        "multi-agent-mode-withdrawn | developer | <multi_agent_mode> | 100 |  | multi-agent-mode",
        "managed-instructions | developer | <managed_developer_instructions> | 10000 | alone |",
        "managed-instructions-withdrawn | developer | <managed_developer_instructions> | 100 | alone | managed-instructions",
        "turn-aborted | user | <turn_aborted> | 200 | alone |",
        "turn-continued | user | <turn_continued> | 200 | alone |",
        "files-put-back | developer | <files_put_back> | 2200 |  |",
        "files-changed-beside | developer | <files_changed_beside> | 2300 |  |",
        "sessions-ended | developer | <sessions_ended> | 3500 |  |",
        "agents-elsewhere | developer | <agents_elsewhere> | 1500 |  |",
        "new-repositories | developer | <new_repositories> | 800 |  |",
        "generated-images | developer | <generated_images> | 3500 |  |",
        "skill-body | user | <skill> | 10000 | alone |",
        "skill-hint | developer | <skill_hint> | 800 |  |",
        "plugin-hint | developer | <plugin_hint> | 700 |  |",
        "hook-context | developer | <hook_context> | 5000 | alone |",
        "hook-prompt | user | <hook_prompt hook_run_id="ID"> | 5000 |  |",
        "internal-context | user | <codex_internal_context source="goal"> | 5000 | alone |",
        "subagent-notification | user | <subagent_notification> | 5000 | alone |",
        "inter-agent-message | assistant | - | 10000 | alone |",
        "realtime-delegation | user | <realtime_delegation> | 3200 | alone |",
        "unusable-images | developer | <unusable_images> | 800 | alone |",
        "image-resize-notice | developer | <image_resize_notice> | 800 | alone |",
        "user-action | user | <user_action> | 5000 | alone |",
        "user-shell-command | user | <user_shell_command> | 5000 | alone |",
        "checkpoint-intent | user | - | 400000 | alone |",
        "checkpoint-records | user | <checkpoint_records> | 4200 | alone |",
        "checkpoint-summary | user | <checkpoint_summary> | 12000 | alone |",
      ]
    `);
  });

  it('names each kind once', () => {
    const ids = fragmentCatalog.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('caps every kind, and the state together below half of the window that is assumed for an unknown model', () => {
    const caps = fragmentCatalog.map(({ capTokens }) => capTokens);
    expect(Math.min(...caps)).toBeGreaterThan(0);
    const state = fragmentCatalog.filter(({ section }) => section !== undefined);
    expect(state.reduce((sum, { capTokens }) => sum + capTokens, 0)).toBeLessThan((272_000 * 0.95) / 2);
  });

  it('can take back every state that it tells', () => {
    const withdrawn = new Set(fragmentCatalog.flatMap(({ formOf }) => formOf ?? []));
    const without = fragmentCatalog.filter(
      ({ id, section, formOf }) => section !== undefined && formOf === undefined && !withdrawn.has(id),
    );
    expect(Object.fromEntries(without.map(({ id }) => [id, takenBackBy[id]]))).toEqual(takenBackBy);
  });
});

/** Kinds whose own or another full form takes them back. */
const takenBackBy: Readonly<Record<string, string>> = {
  'model-switch': 'a switch whose guidance is the base',
  'realtime-start': 'realtime-end',
  'realtime-end': 'realtime-start',
  'approved-prefixes': 'permissions, in full',
  'granted-permissions': 'its own next form, and permissions in full',
  'network-rules': 'permissions, in full',
};

it('has an arbitrary payload for every kind', () => {
  expect(renderings.map(({ kind }) => kind.id)).toEqual(fragmentCatalog.map(({ id }) => id));
});

it.each(renderings.map(({ kind, arbitrary }) => [kind.id, kind, arbitrary] as const))(
  '%s keeps to itself, its markers and its cap, whatever its payload',
  (_, kind, arbitrary) => {
    fc.assert(
      fc.property(arbitrary, ({ payload, fragment: { role, text } }) => {
        // It is recognised as itself and as nothing else.
        const expected = kind.markers === undefined ? undefined : (kind.formOf ?? kind.id);
        const matching = fragmentCatalog.filter((other) => other.matches(text)).map(({ id }) => id);
        expect(matching).toEqual(expected === undefined ? [] : [expected]);
        expect(recogniseFragment(role, text)).toBe(expected);

        // It ends where its end marker is, and nowhere before.
        const [start, end] = kind.markersFor?.(payload as never) ?? kind.markers ?? ['', ''];
        expect([text.slice(0, start.length), text.slice(text.length - end.length)]).toEqual([start, end]);
        expect(end === '' ? 1 : readLeniently(text).split(end.toLowerCase()).length - 1).toBe(1);

        // It keeps its cap, and shows where something is missing.
        expect(estimateTokens(text)).toBeLessThanOrEqual(kind.capTokens);
        const tooLong = estimateTokens(kind.body(payload as never)) > kind.capTokens;
        expect(/…\d+ tokens truncated…/.test(text) || !tooLong).toBe(true);
      }),
      // Texts are long, and making a failing one smaller would take minutes.
      { numRuns: 10 * inject('runFactor'), endOnFailure: true },
    );
  },
);

/** As a reader would who does not mind the case of letters or white space inside a tag. */
function readLeniently(text: string): string {
  return text
    .toLowerCase()
    .replace(/<\s*\/\s*/g, '</')
    .replace(/\s+>/g, '>')
    .replace(/\s+/g, ' ');
}
