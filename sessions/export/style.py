"""The look of an exported page."""

from __future__ import annotations

STYLE = """\
:root {
  --ground: #fbfbfd; --inset: #eef0f6; --surface: #ffffff; --ink: #1d2030;
  --muted: #62677d; --line: #e3e5ee; --tone: #62677d;
  --blue: #2554c7; --shade: 37 84 199; --amber: #9a5b00; --green: #2b7a2f;
  --violet: #7a3fb3; --teal: #0b7285; --rose: #b3315f;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #16171f; --inset: #262938; --surface: #1c1e29; --ink: #d5daf0;
    --muted: #8a90ab; --line: #2b2e3f; --tone: #8a90ab;
    --blue: #82aaff; --shade: 130 170 255; --amber: #e5b070; --green: #9fd27a;
    --violet: #c79bf0; --teal: #6cc7d6; --rose: #f08fb0;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--ground); color: var(--ink);
  font: 17px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans CJK SC",
    "PingFang SC", "Microsoft YaHei", sans-serif;
}
main { max-width: 46rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }
main.wide { max-width: 72rem; }
.scrolled { overflow-x: auto; }
.scrolled table { max-width: none; }
.scrolled td { overflow-wrap: normal; }
.scrolled .right { white-space: nowrap; }
figure { margin: 2rem 0; }
figure svg { max-width: 100%; height: auto; }
h1 { font-size: 1.7rem; line-height: 1.3; margin: 0 0 .75rem; overflow-wrap: anywhere; }
h2 {
    font-size: .85rem; font-weight: 600; color: var(--muted); letter-spacing: .06em;
    text-transform: uppercase; margin: 2.5rem 0 .75rem;
}
h3 { font-size: 1rem; margin: 0 0 .35rem; color: var(--tone); overflow-wrap: anywhere; }
h3 .muted { font-weight: 400; margin-left: .35em; }
p { margin: 0 0 .5rem; }
.muted { color: var(--muted); font-size: .85rem; overflow-wrap: anywhere; }
.said { white-space: pre-wrap; overflow-wrap: anywhere; }
.prose { overflow-wrap: anywhere; }
.prose p, .prose li, .prose td, .prose th { white-space: pre-wrap; }
.prose > :last-child { margin-bottom: 0; }
.prose h4, .prose h5, .prose h6 {
    margin: 1rem 0 .35rem; line-height: 1.35; break-after: avoid;
}
.prose h4 { font-size: 1.2rem; }
.prose h5 { font-size: 1.08rem; }
.prose h6 { font-size: 1rem; }
.prose ul, .prose ol { margin: 0 0 .5rem; padding-left: 1.6rem; }
.prose li > p { margin: 0; }
.prose blockquote {
    margin: 0 0 .5rem; padding-left: .9rem; border-left: 3px solid var(--line);
    color: var(--muted);
}
.prose code {
  font: .88em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace;
  background: var(--inset); padding: .1em .3em; border-radius: .25em;
}
.prose pre {
    margin: 0 0 .6rem; padding: .6rem .8rem; background: var(--inset);
    border-radius: .4rem; white-space: pre-wrap;
}
.prose pre code { padding: 0; background: none; }
.prose hr { border: 0; border-top: 1px solid var(--line); margin: 1rem 0; }
.drawn thead th {
    border-bottom: 1px solid var(--muted); color: inherit; white-space: pre-wrap;
}
.drawn .right { text-align: right; }
.drawn .center { text-align: center; }
.topic { font-size: 1.1rem; }
.mark {
  display: inline-block; min-width: 1.5em; margin-right: .2em; padding: 0 .3em;
  border-radius: .3em; text-align: center;
  background: var(--tone); color: var(--surface); font-weight: 700; font-size: .85em;
}
article {
    border-left: 4px solid var(--tone); padding: .1rem 0 .1rem 1rem; margin: 0 0 1.6rem;
}
article.verdict, article.stance, article.candidates, article.verification {
  background: var(--surface); padding: .75rem 1rem; border-radius: 0 .5rem .5rem 0;
}
article table { margin: .4rem 0; }
.passage { border-left: 1px solid var(--line); padding-left: .9rem; margin: .7rem 0 0; }
.passage p { margin: 0; }
article.failure, article.change, article.note { border-left-style: dotted; }
.result {
    background: var(--surface); border: 1px solid var(--line); border-radius: .6rem;
    padding: 1rem 1.25rem; margin: 1.5rem 0;
}
.result h2 { margin-top: 0; }
.answer {
    font-size: 1.35rem; font-weight: 700; line-height: 1.4; white-space: pre-wrap;
    overflow-wrap: anywhere;
}
dl {
    display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem;
    margin: .5rem 0 0;
}
dt { color: var(--muted); }
dd { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
table { border-collapse: collapse; margin: 1.5rem 0 .75rem; max-width: 100%; }
th {
    text-align: left; font-weight: 600; color: var(--tone);
    padding: .2rem 1.25rem .2rem 0; white-space: nowrap;
}
td { padding: .2rem 1.25rem .2rem 0; overflow-wrap: anywhere; }
.grid th, .grid td { text-align: right; padding: .25rem .6rem; }
.grid td.same { outline: 1px solid var(--muted); outline-offset: -1px; }
.shade1 { background: rgb(var(--shade) / 10%); }
.shade2 { background: rgb(var(--shade) / 20%); }
.shade3 { background: rgb(var(--shade) / 30%); }
.shade4 { background: rgb(var(--shade) / 40%); }
details { margin: .4rem 0; }
summary { cursor: pointer; color: var(--muted); font-size: .85rem; }
details .said {
    color: var(--muted); border-left: 1px solid var(--line); padding-left: .9rem;
    margin: .4rem 0; font-size: .93rem;
}
footer { border-top: 1px solid var(--line); margin-top: 3rem; padding-top: 1rem; }
.blue { --tone: var(--blue); }
.amber { --tone: var(--amber); }
.green { --tone: var(--green); }
.violet { --tone: var(--violet); }
.teal { --tone: var(--teal); }
.rose { --tone: var(--rose); }
.ink { --tone: var(--ink); }
@media (max-width: 34rem) {
  dl { grid-template-columns: 1fr; } dd { margin-bottom: .4rem; }
}
@media print {
  :root {
    --ground: #ffffff; --inset: #f3f4f8; --surface: #ffffff; --ink: #111111;
    --muted: #555555; --line: #cccccc; --tone: #555555;
    --blue: #2554c7; --shade: 37 84 199; --amber: #9a5b00; --green: #2b7a2f;
    --violet: #7a3fb3; --teal: #0b7285; --rose: #b3315f;
  }
  body { font-size: 11pt; }
  main { max-width: none; padding: 0; }
  h2, h3 { break-after: avoid; }
  article, tr, pre, blockquote, li, .result, .passage { break-inside: avoid; }
  article { break-inside: avoid-page; }
}
"""
