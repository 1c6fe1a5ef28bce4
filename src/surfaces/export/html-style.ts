/** Light or dark, as the reader's system has it. */
export const pageStyle = `:root {
  color-scheme: light dark;
  --paper: #fff; --ink: #1f2328; --faint: #636c76; --line: #d1d9e0; --box: #f6f8fa;
  --user: #ddf4ff; --added: #1a7f37; --removed: #cf222e; --file: #8250df;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #0d1117; --ink: #e6edf3; --faint: #9198a1; --line: #3d444d; --box: #161b22;
    --user: #12263f; --added: #3fb950; --removed: #f85149; --file: #bc8cff;
  }
}
body { margin: 0 auto; max-width: 60rem; padding: 1rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; }
h2 { font-size: 1.2rem; border-top: 1px solid var(--line); padding-top: 1rem; }
h2 a { color: inherit; text-decoration: none; }
h2 em { color: var(--removed); font-weight: normal; font-size: 1rem; }
h3 { margin: 0 0 0.3rem; font-size: 0.85rem; color: var(--faint); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.1rem 1rem; font-size: 0.9rem; }
dt, .facts { color: var(--faint); }
dd { margin: 0; }
.facts { font-size: 0.85rem; }
article, details { margin: 0.8rem 0; padding: 0.6rem 0.9rem; border: 1px solid var(--line); border-radius: 6px; }
article.user { background: var(--user); }
article.call, details { background: var(--box); }
article details { margin: 0.5rem 0 0; border: 0; padding: 0; }
summary { cursor: pointer; color: var(--faint); font-size: 0.85rem; }
.text { white-space: pre-wrap; }
pre { margin: 0.3rem 0; white-space: pre-wrap; font: 13px/1.45 ui-monospace, monospace; }
img { max-width: 100%; }
.added { color: var(--added); }
.removed { color: var(--removed); }
.file { color: var(--file); }
.taken-back { opacity: 0.6; }
`;
