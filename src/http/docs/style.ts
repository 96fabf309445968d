/** The one style sheet of the reference page: light and dark, from phone to wide screen. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --bg: #ffffff; --soft: #f6f7f6; --line: #e1e5e2; --text: #1b211e; --muted: #5b6660;
  --accent: #0b6b4d; --accent-soft: #e4f2ec; --code-bg: #f3f5f4; --key: #0a5f8a; --str: #226b2f; --val: #9a4a00;
  --get: #0a5f8a; --post: #0b6b4d; --patch: #8a5a00; --delete: #a3262a;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  --head: 3.25rem;
}
@media (prefers-color-scheme: dark) {
  :root {
    --bg: #121614; --soft: #191e1b; --line: #2b332f; --text: #e6ebe8; --muted: #9aa7a0;
    --accent: #5fd0a4; --accent-soft: #173127; --code-bg: #191e1b; --key: #7cc4ea; --str: #8fd19a; --val: #f0b072;
    --get: #7cc4ea; --post: #5fd0a4; --patch: #e9bd62; --delete: #f08a8d;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: calc(var(--head) + 1rem); -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--bg); color: var(--text); font: 16px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif; }
a { color: var(--accent); text-underline-offset: .15em; }
[hidden] { display: none !important; }
a:focus-visible, button:focus-visible, input:focus-visible, select:focus-visible, textarea:focus-visible, summary:focus-visible, pre:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
code, pre { font-family: var(--mono); font-size: .875em; }
:not(pre) > code { background: var(--code-bg); border-radius: 4px; padding: .1em .3em; overflow-wrap: anywhere; }
h1, h2, h3, h4 { line-height: 1.25; text-wrap: balance; }
h1 { font-size: clamp(1.6rem, 1.2rem + 1.6vw, 2.25rem); letter-spacing: -.02em; margin: 0 0 .6rem; max-width: 30ch; }
h2 { font-size: 1.65rem; letter-spacing: -.01em; margin: 0 0 .25rem; }
h3 { font-size: 1.2rem; margin: 0 0 .35rem; }
h4 { font-size: .8rem; text-transform: uppercase; letter-spacing: .06em; color: var(--muted); margin: 1.6rem 0 .35rem; }
.cols > div > h3:not(:first-child) { margin-top: 1.6rem; }
h4 code { text-transform: none; letter-spacing: 0; }
p { margin: 0 0 .8rem; }
.lead { color: var(--muted); font-size: 1.06rem; max-width: 60ch; margin-bottom: 1.5rem; }
.skip { position: absolute; left: -999px; }
.skip:focus { left: 1rem; top: .5rem; z-index: 5; background: var(--bg); padding: .3rem .6rem; }

header { position: sticky; top: 0; z-index: 3; height: var(--head); display: flex; align-items: center; gap: 1rem; padding: 0 1.25rem; background: var(--bg); border-bottom: 1px solid var(--line); }
.brand { font-weight: 700; font-size: 1.1rem; color: var(--text); text-decoration: none; }
.brand span { font-weight: 400; color: var(--muted); font-size: .875rem; }
.raw { margin-left: auto; font-size: .9rem; }
.menu, .close { border: 1px solid var(--line); border-radius: 8px; padding: .3rem .75rem; font-size: .9rem; text-decoration: none; color: var(--text); }
.menu { order: 3; }
/* On a phone the contents cover the page while they are the target: following any link uncovers it. */
.side { display: none; }
.side:target { display: block; position: fixed; inset: 0; z-index: 4; overflow: auto; background: var(--bg); padding: 1.25rem; }
.side:focus-visible { outline: none; }
.close { position: absolute; right: 1.25rem; top: .6rem; }
nav p { margin: 1rem 0 .25rem; font-size: .8rem; font-weight: 600; letter-spacing: .02em; }
nav p a { color: var(--text); text-decoration: none; }
nav > .close + p { margin-top: 0; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li a { display: flex; gap: .5rem; align-items: baseline; padding: .3rem 0; color: var(--muted); text-decoration: none; font-size: .9rem; line-height: 1.35; }
nav li a:hover { color: var(--text); }
.method { font: 600 .72rem/1 var(--mono); text-transform: uppercase; color: var(--get); }
.method.post { color: var(--post); } .method.patch { color: var(--patch); } .method.delete { color: var(--delete); }
nav .method { flex: 0 0 2.9rem; font-size: .62rem; letter-spacing: .02em; }

main { padding: 2rem 1.25rem 5rem; min-width: 0; }
.intro { padding: .5rem 0 0; border: 0; margin-bottom: 1rem; }
.intro .lead { max-width: none; }
section { padding-top: 1.5rem; margin-bottom: 3rem; }
main > section + section { border-top: 1px solid var(--line); padding-top: 2.5rem; }
main > .intro + section { border-top: 0; padding-top: 0; }
article { padding: 2.25rem 0; border-top: 1px solid var(--line); }
.route { display: flex; gap: .6rem; align-items: baseline; flex-wrap: wrap; margin-bottom: 1rem; }
.route code { font-size: .95rem; background: none; padding: 0; color: var(--muted); overflow-wrap: normal; }
.route .method { border: 1px solid currentColor; border-radius: 5px; padding: .25rem .4rem; }
.auth { font-size: .92rem; color: var(--muted); }
.auth b { color: var(--text); font-weight: 600; }
h2 + .cols { margin-top: 1.1rem; }
.cols > div { min-width: 0; }

.fields, .plain { margin: 0; }
.fields dt { padding-top: .65rem; border-top: 1px solid var(--line); display: flex; flex-wrap: wrap; gap: .2rem .6rem; align-items: baseline; }
.fields dd { margin: 0 0 .65rem; }
.fields .name { background: none; padding: 0; font-weight: 600; font-size: .92rem; }
.type { color: var(--muted); font-size: .82rem; }
.badge { font-size: .72rem; font-weight: 600; color: var(--accent); background: var(--accent-soft); border-radius: 99px; padding: .05rem .5rem; }
.fields p { margin: .1rem 0 0; font-size: .92rem; }
.rules { color: var(--muted); font-size: .82rem !important; }
.rules span:not(:last-child)::after { content: " · "; }
.plain dt { font-weight: 600; margin-top: .6rem; }
.plain dd { margin: 0; color: var(--muted); }
details > summary { cursor: pointer; color: var(--accent); font-size: .9rem; padding: .3rem 0; }
.fields details .fields { border-left: 2px solid var(--line); padding-left: .9rem; }
.errors { margin: 0 0 .5rem; padding: 0; list-style: none; font-size: .92rem; }
.errors li { padding: .25rem 0; }
.common { font-size: .82rem; color: var(--muted); line-height: 1.9; }

.code { margin: 0 0 1rem; border: 1px solid var(--line); border-radius: 10px; overflow: hidden; background: var(--code-bg); }
.code figcaption { font-size: .78rem; color: var(--muted); padding: .4rem .9rem; border-bottom: 1px solid var(--line); }
.code pre { margin: 0; padding: .8rem .9rem; overflow: auto; max-height: 28rem; font-size: .9rem; line-height: 1.5; tab-size: 2; }
.code i { font-style: normal; }
.code .k { color: var(--key); } .code .s { color: var(--str); } .code .v { color: var(--val); }

.code figcaption { display: flex; justify-content: space-between; align-items: center; gap: 1rem; min-height: 2.3rem; }
button, input, select, textarea { font: inherit; color: inherit; }
button { cursor: pointer; }
.copy { border: 0; background: none; color: var(--accent); padding: .25rem .4rem; margin: -.2rem -.4rem; border-radius: 6px; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
[role=tablist] { display: flex; gap: .25rem; margin-bottom: .5rem; }
[role=tab] { border: 1px solid transparent; background: none; border-radius: 8px; padding: .35rem .75rem; font-size: .88rem; color: var(--muted); }
[role=tab][aria-selected=true] { border-color: var(--line); background: var(--code-bg); color: var(--text); font-weight: 600; }
[role=search] { margin: 0 0 1rem; }
[role=search] input { width: 100%; border: 1px solid var(--line); border-radius: 8px; background: var(--soft); padding: .45rem .7rem; font-size: .95rem; }
.side:target [role=search] { margin-right: 5.5rem; }
.found { margin: .35rem 0 0; color: var(--muted); font-weight: 400; min-height: 1.2em; }
.try-it { margin: 0 0 1rem; }
.try, .send { border: 1px solid var(--accent); border-radius: 8px; background: none; color: var(--accent); padding: .4rem .9rem; font-size: .9rem; font-weight: 600; }
.send { background: var(--accent); color: var(--bg); margin-bottom: 1rem; }
.send:disabled { opacity: .6; cursor: default; }
.panel { border: 1px solid var(--line); border-radius: 10px; padding: .9rem; margin-top: .6rem; font-size: .92rem; }
.panel p:last-child { margin: 0; }
.panel label { display: block; margin-bottom: .7rem; }
.panel label span { display: block; font-size: .82rem; color: var(--muted); margin-bottom: .2rem; }
.panel select, .panel input, .panel textarea { width: 100%; border: 1px solid var(--line); border-radius: 8px; background: var(--bg); padding: .45rem .6rem; }
.panel input, .panel textarea { font-family: var(--mono); font-size: .85rem; }
.panel textarea { resize: vertical; }
.guide .step { padding: 1.1rem 0; border-top: 1px solid var(--line); }
.guide ul, .guide ol { margin: 0; padding-left: 1.2rem; }
.guide li { margin-bottom: .4rem; }
.call { text-decoration: none; overflow-wrap: anywhere; }
.call code { background: none; padding: 0; }

.steps { list-style: none; counter-reset: step; margin: 0; padding: 0; }
.steps li { counter-increment: step; padding: 1.1rem 0; border-top: 1px solid var(--line); }
.steps h3::before { content: counter(step) ". "; color: var(--accent); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
th { text-align: left; font-size: .8rem; color: var(--muted); font-weight: 600; }
td, th { padding: .45rem .9rem .45rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td:first-child code { white-space: nowrap; overflow-wrap: normal; }
td.num { font-variant-numeric: tabular-nums; }
:target { scroll-margin-top: 1rem; }
tr:target td { background: var(--accent-soft); }

@media (min-width: 60rem) {
  .menu, .close { display: none; }
  .frame { display: grid; grid-template-columns: 17rem minmax(0, 1fr); max-width: 100rem; margin: 0 auto; }
  .side, .side:target { display: block; position: sticky; inset: var(--head) auto auto; z-index: auto; height: calc(100vh - var(--head)); overflow-y: auto; padding: 1.5rem 1rem 3rem 1.25rem; border-right: 1px solid var(--line); scrollbar-width: thin; }
  main { padding: 2.5rem 2.5rem 6rem; }
}
@media (min-width: 76rem) {
  .cols, .steps li { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 2.5rem; align-items: start; }
  .samples { position: sticky; top: calc(var(--head) + 1rem); }
  #webhooks .samples, #basics .samples { position: static; }
  .steps .code { margin: 0; }
}
@media (max-width: 40rem) {
  table, tbody, td { display: block; }
  thead { display: none; }
  tr { display: flex; flex-wrap: wrap; justify-content: space-between; padding: .6rem 0; border-bottom: 1px solid var(--line); }
  td { border: 0; padding: 0; }
  td.num { color: var(--muted); }
  td:last-child { flex: 1 0 100%; padding-top: .2rem; }
}
@media print { header, .side { display: none; } .code pre { max-height: none; white-space: pre-wrap; } }
`;
