/** Of Codex's configuration: they change what an agent does there, and have no effect here yet. Users are warned. */
const missedKeys: readonly string[] = `
  apps background_terminal_max_timeout browser_use chatgpt_base_url
  computer_use ghost_snapshot marketplaces
  orchestrator tools
`
  .trim()
  .split(/\s+/);

/** They concern how another program looks and keeps its own things. A file may serve both programs, so they pass. */
const othersKeys: readonly string[] = `
  analytics apps_mcp_product_sku audio check_for_update_on_startup desktop
  experimental_realtime_webrtc_call_base_url experimental_realtime_ws_backend_prompt
  experimental_realtime_ws_base_url experimental_realtime_ws_model experimental_realtime_ws_startup_context
  experimental_thread_store experimental_use_unified_exec_tool feedback file_opener hide_agent_reasoning log_dir
  mcp_oauth_callback_port mcp_oauth_callback_url mcp_oauth_credentials_store notice profiles realtime
  responses_api_metadata show_raw_agent_reasoning sqlite_home suppress_unstable_features_warning tool_suggest windows
`
  .trim()
  .split(/\s+/);

/** Names of Codex's configuration without an effect here yet. */
export const unusedKeys: readonly string[] = [...missedKeys, ...othersKeys];

/** Those of the keys that a user may expect to do something, each once and in the order of the alphabet. */
export function missedAmong(names: readonly string[]): readonly string[] {
  return missedKeys.filter((key) => names.includes(key)).toSorted();
}
