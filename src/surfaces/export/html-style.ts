/** Light or dark, as the reader's system has it; black on white on paper. */
export const pageStyle = `:root {
  color-scheme: light dark;
  --paper: #fff; --ink: #1f2328; --faint: #59636e; --line: #d1d9e0; --box: #f6f8fa;
  --user: #ddf4ff; --added: #116329; --added-paper: #dafbe1; --removed: #a40e26; --removed-paper: #ffebe9;
  --file: #6639ba; --link: #0969da; --bad: #cf222e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #0d1117; --ink: #e6edf3; --faint: #9198a1; --line: #3d444d; --box: #161b22;
    --user: #12263f; --added: #7ee787; --added-paper: #12261e; --removed: #ffa198; --removed-paper: #301518;
    --file: #d2a8ff; --link: #79c0ff; --bad: #ff7b72;
  }
}
body { margin: 0 auto; max-width: 56rem; padding: 1.5rem 1rem 4rem; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 1rem; }
h2 { font-size: 1.2rem; border-top: 1px solid var(--line); padding-top: 1rem; margin-top: 2rem; }
h2 a { color: inherit; text-decoration: none; }
h2 em { color: var(--bad); font-weight: normal; font-size: 1rem; }
h3 { margin: 0 0 0.3rem; font-size: 0.85rem; color: var(--faint); }
h3 small { font-size: inherit; font-weight: normal; }
h3 .bad { color: var(--bad); font-weight: 600; }
h4, h5, h6 { margin: 1.2rem 0 0.4rem; font-size: 1.1rem; }
h5, h6 { font-size: 1rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.1rem 1rem; font-size: 0.9rem; margin: 0; }
dt, .facts { color: var(--faint); }
dd { margin: 0; }
a { color: var(--link); }
.facts { font-size: 0.85rem; margin: 0.3rem 0; }
article, details { margin: 0.8rem 0; padding: 0.6rem 0.9rem; border: 1px solid var(--line); border-radius: 6px; }
article.user { background: var(--user); }
article.call, details { background: var(--box); }
article.assistant { border-color: transparent; padding-left: 0; padding-right: 0; }
article details { margin: 0.5rem 0 0; border: 0; padding: 0; }
summary { cursor: pointer; color: var(--faint); font-size: 0.85rem; }
.text { white-space: pre-wrap; }
p { margin: 0.6rem 0; }
ul, ol { margin: 0.6rem 0; padding-left: 1.6rem; }
blockquote { margin: 0.6rem 0; padding-left: 0.9rem; border-left: 3px solid var(--line); color: var(--faint); }
hr { border: 0; border-top: 1px solid var(--line); }
table { border-collapse: collapse; margin: 0.6rem 0; font-size: 0.95rem; }
th, td { border: 1px solid var(--line); padding: 0.25rem 0.6rem; text-align: left; vertical-align: top; }
.number { text-align: right; }
.centre { text-align: center; }
code { font: 0.875em ui-monospace, monospace; background: var(--box); border-radius: 4px; padding: 0.1em 0.3em; }
pre { margin: 0.3rem 0; white-space: pre-wrap; font: 13px/1.45 ui-monospace, monospace; }
.assistant pre, .checkpoint pre { background: var(--box); border-radius: 6px; padding: 0.6rem 0.8rem; }
pre code { font: inherit; background: none; padding: 0; }
pre.output { color: var(--faint); border-left: 3px solid var(--line); padding-left: 0.7rem; }
pre.output.bad { border-color: var(--bad); }
img { max-width: 100%; }
.added { color: var(--added); background: var(--added-paper); }
.removed { color: var(--removed); background: var(--removed-paper); }
.file, .place { color: var(--file); }
.taken-back { opacity: 0.6; }
@media print {
  :root { --paper: #fff; --ink: #000; --faint: #444; --line: #bbb; --box: #fff; --user: #fff; --link: #000;
    --added: #116329; --added-paper: #fff; --removed: #a40e26; --removed-paper: #fff; --file: #6639ba; --bad: #a40e26; }
  body { max-width: none; padding: 0; font-size: 11pt; }
  h2, h3, summary { break-after: avoid; }
  tr, img { break-inside: avoid; }
  .taken-back { opacity: 1; }
}
`;
