//! How to configure common MCP clients. `docs/integrate/connect-an-agent.md` has the same steps; no test compares them.

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Client {
    pub id: &'static str,
    pub name: &'static str,
    /// The file or place for `text`.
    pub place: &'static str,
    /// Refers to the token's variable, so that no file contains the token.
    pub text: String,
}

pub fn clients(base: &str) -> Vec<Client> {
    let client = |id, name, place, text: String| Client {
        id,
        name,
        place,
        text,
    };
    vec![
        client(
            "claude",
            "Claude Code",
            "in a terminal; the single quotes keep the token out of its file",
            format!(
                "claude mcp add --transport http sightline {base}/mcp --header 'Authorization: Bearer ${{SIGHTLINE_TOKEN}}'"
            ),
        ),
        client(
            "mcp",
            "Claude Code, for a team",
            ".mcp.json in the project",
            format!(
                r#"{{ "mcpServers": {{ "sightline": {{ "type": "http", "url": "{base}/mcp", "headers": {{ "Authorization": "Bearer ${{SIGHTLINE_TOKEN}}" }} }} }} }}"#
            ),
        ),
        client(
            "cursor",
            "Cursor",
            ".cursor/mcp.json in the project",
            format!(
                r#"{{ "mcpServers": {{ "sightline": {{ "url": "{base}/mcp", "headers": {{ "Authorization": "Bearer ${{env:SIGHTLINE_TOKEN}}" }} }} }} }}"#
            ),
        ),
        client(
            "vscode",
            "VS Code",
            ".vscode/mcp.json in the project; it asks for the token",
            format!(
                r#"{{
  "inputs": [{{ "type": "promptString", "id": "sightline-token", "description": "Token of Sightline", "password": true }}],
  "servers": {{ "sightline": {{ "type": "http", "url": "{base}/mcp", "headers": {{ "Authorization": "Bearer ${{input:sightline-token}}" }} }} }}
}}"#
            ),
        ),
        client(
            "codex",
            "Codex",
            "~/.codex/config.toml",
            format!(
                "[mcp_servers.sightline]\nurl = \"{base}/mcp\"\nbearer_token_env_var = \"SIGHTLINE_TOKEN\""
            ),
        ),
        client(
            "gemini",
            "Gemini CLI",
            "~/.gemini/settings.json",
            format!(
                r#"{{ "mcpServers": {{ "sightline": {{ "httpUrl": "{base}/mcp", "headers": {{ "Authorization": "Bearer ${{SIGHTLINE_TOKEN}}" }} }} }} }}"#
            ),
        ),
        client(
            "windsurf",
            "Windsurf",
            "~/.codeium/windsurf/mcp_config.json",
            format!(
                r#"{{ "mcpServers": {{ "sightline": {{ "serverUrl": "{base}/mcp", "headers": {{ "Authorization": "Bearer ${{env:SIGHTLINE_TOKEN}}" }} }} }} }}"#
            ),
        ),
        client(
            "bridge",
            "Claude Desktop, and others that start a program",
            "claude_desktop_config.json; a file holds the token",
            format!(
                r#"{{ "mcpServers": {{ "sightline": {{ "command": "sightline", "args": ["mcp", "--url", "{base}", "--token-file", "/home/ann/.sightline-token"] }} }} }}"#
            ),
        ),
    ]
}
