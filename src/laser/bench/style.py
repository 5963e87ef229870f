"""The style of the report, in light and in dark."""

__all__ = ["STYLE"]

STYLE = """
:root { color-scheme: light dark; --ground: #ffffff; --text: #1d2733; --soft: #5b6b7b; --grid: #e3e8ee; --panel: #f7f9fb;
  --h0: #0072b2; --h1: #c84a00; --h2: #00805c; --h3: #a8457f; --h4: #9a6a00; --h5: #5a4fcf; --other: #93a1b0;
  --good: #00703c; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ground: #12171d; --text: #e6ebf0; --soft: #9aa8b5; --grid: #2a333d; --panel: #181f27;
  --h0: #4ea8de; --h1: #ff9350; --h2: #35c896; --h3: #e38cbd; --h4: #e6b44c; --h5: #a79bff; --other: #64727f;
  --good: #4cc38a; --bad: #ff7b72; } }
body { margin: 0; background: var(--ground); color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 1080px; margin: 0 auto; padding: 24px 20px 64px; }
h1 { font-size: 26px; margin: 8px 0; } h2 { font-size: 20px; margin: 36px 0 8px; } h3 { font-size: 15px; margin: 0 0 2px; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(440px, 100%), 1fr)); gap: 16px; }
figure { margin: 0; padding: 14px 14px 10px; background: var(--panel); border: 1px solid var(--grid); border-radius: 8px; }
figcaption { color: var(--soft); font-size: 13px; margin-top: 4px; }
svg { width: 100%; height: auto; display: block; } svg text { fill: var(--soft); font-size: 11px; }
svg .label { fill: var(--text); } svg .value { fill: var(--text); font-size: 12px; } svg .note { font-style: italic; }
.grid { stroke: var(--grid); fill: none; } .line { fill: none; stroke-width: 1.8; stroke-linejoin: round; }
.line.quiet { stroke: var(--soft); stroke-dasharray: 4 4; } .mark.quiet { fill: var(--soft); } .bar.other { fill: var(--other); }
.line.h0 { stroke: var(--h0); } .line.h1 { stroke: var(--h1); } .line.h2 { stroke: var(--h2); }
.line.h3 { stroke: var(--h3); } .line.h4 { stroke: var(--h4); } .line.h5 { stroke: var(--h5); }
.mark.h0, .bar.h0 { fill: var(--h0); } .mark.h1 { fill: var(--h1); } .mark.h2 { fill: var(--h2); }
.mark.h3 { fill: var(--h3); } .mark.h4 { fill: var(--h4); } .mark.h5 { fill: var(--h5); }
.legend { display: flex; flex-wrap: wrap; gap: 2px 14px; margin: 0 0 4px; font-size: 13px; }
.sign { width: 12px; height: 12px; display: inline-block; margin-right: 5px; vertical-align: -1px; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: 3px 14px 3px 0; border-bottom: 1px solid var(--grid); white-space: nowrap; }
td:last-child { white-space: normal; } .about td:first-child { color: var(--soft); } .about td { border: 0; padding: 0 14px 0 0; }
.good { color: var(--good); } .bad { color: var(--bad); font-weight: 600; } .open { color: var(--soft); }
summary { cursor: pointer; color: var(--soft); }
"""
