/** Names of Codex's configuration without an effect here yet. A file may serve both programs, so they pass. */
export const unusedKeys: readonly string[] = `
  agents analytics approvals_reviewer apps apps_mcp_product_sku audio auto_review
  background_terminal_max_timeout browser_use chatgpt_base_url check_for_update_on_startup
  cli_auth_credentials_store computer_use desktop disable_paste_burst
  experimental_realtime_webrtc_call_base_url experimental_realtime_ws_backend_prompt
  experimental_realtime_ws_base_url experimental_realtime_ws_model
  experimental_realtime_ws_startup_context experimental_thread_store
  experimental_use_unified_exec_tool feedback file_opener forced_chatgpt_workspace_id
  forced_login_method ghost_snapshot goals hide_agent_reasoning history hooks log_dir marketplaces
  mcp_oauth_callback_port mcp_oauth_callback_url mcp_oauth_credentials_store mcp_servers memories
  notice notify orchestrator otel plan_mode_reasoning_effort plugins profiles realtime
  responses_api_metadata review_model
  show_raw_agent_reasoning skills sqlite_home suppress_unstable_features_warning tool_suggest tools
  tui web_search windows
`
  .trim()
  .split(/\s+/);
