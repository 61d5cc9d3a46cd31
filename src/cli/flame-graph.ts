import { sourceMapper } from '../platform/processes/source-maps.js';

type CallFrame = { functionName: string; url: string; lineNumber: number; columnNumber: number };
/** `.cpuprofile`: a sample is the id of a node, and time is in microseconds. */
type CpuProfile = {
  nodes: { id: number; callFrame: CallFrame; children?: number[] }[];
  samples: number[];
  timeDeltas: number[];
};
/** `.heapprofile` */
type HeapNode = { callFrame: CallFrame; selfSize: number; children: HeapNode[] };
export type Profile = CpuProfile | { head: HeapNode };

/** Name, source, ms or KiB without and with its callees, and callees. */
type Frame = [name: string, source: string, own: number, total: number, callees: Frame[]];

/** Returns a page that shows a profile, and needs no other file. */
export function flameGraph(profile: Profile, title: string): string {
  const isCpu = 'nodes' in profile;
  const root = isCpu ? framesOfCpu(profile) : framesOfHeap(profile.head);
  root[0] = title;
  // A function may have any name, also `</script>`.
  const data = JSON.stringify({ root, unit: isCpu ? 'ms' : 'KiB' }).replaceAll('<', '\\u003c');
  return PAGE.replace('$DATA', () => data);
}

/** Frames that are no work of the server: idle time, which would hide everything else, and the profiler (take-profile.ts). */
const HIDDEN = new Set(['(idle)', 'recordCpu']);

function framesOfCpu({ nodes, samples, timeDeltas }: CpuProfile): Frame {
  const own = new Map<number, number>();
  samples.forEach((id, at) => own.set(id, (own.get(id) ?? 0) + timeDeltas[at]! / 1_000));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const describe = describer();
  const frameOf = ({ id, callFrame, children = [] }: CpuProfile['nodes'][number]): Frame =>
    HIDDEN.has(callFrame.functionName)
      ? describe(callFrame, 0, [])
      : describe(
          callFrame,
          own.get(id),
          children.map((child) => frameOf(byId.get(child)!)),
        );
  return frameOf(nodes[0]!);
}

function framesOfHeap(head: HeapNode): Frame {
  const describe = describer();
  const frameOf = ({ callFrame, selfSize, children }: HeapNode): Frame =>
    describe(callFrame, selfSize / 1_024, children.map(frameOf));
  return frameOf(head);
}

function describer(): (frame: CallFrame, own: number | undefined, callees: Frame[]) => Frame {
  const sourceOf = sourceMapper();
  return ({ functionName, url, lineNumber, columnNumber }, own = 0, callees) => {
    const position = url.startsWith('file:') ? sourceOf(url, lineNumber + 1, columnNumber + 1) : url;
    // A package may have a folder `src`, too.
    const root = position.includes('/node_modules/') ? /^.*\/(?=node_modules\/)/ : /^.*\/(?=(?:src|dist)\/)/;
    const source = position.replace(root, '').replace(/:\d+$/, '');
    const total = callees.reduce((sum, callee) => sum + callee[3], own);
    const shown = callees.filter((callee) => callee[3] > 0).sort((a, b) => b[3] - a[3]);
    return [functionName || '(anonymous)', source, round(own), total, shown];
  };
}

const round = (value: number): number => Math.round(value * 100) / 100;

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Flame graph</title>
<style>
:root { color-scheme: light dark; font: 13px/1.4 system-ui, sans-serif; }
body { margin: 1rem; }
h1 { font-size: 1rem; }
header { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; align-items: baseline; }
label, p { margin: 0; }
#graph { position: relative; margin: .75rem 0; }
#graph button { position: absolute; height: 19px; padding: 0 4px; border: 0; border-radius: 2px; overflow: hidden;
  font: 12px/19px ui-monospace, monospace; text-align: left; white-space: nowrap; color: #111; background: #d6d3cd;
  box-shadow: inset 0 0 0 .5px #fff; cursor: pointer; }
#graph .src { background: #f6b26b; }
#graph .package { background: #a9c7e8; }
#graph .node { background: #b7d7a8; }
#graph .found { background: #c27ba0; }
#graph button:hover, #graph button:focus-visible { outline: 2px solid #555; z-index: 1; }
#info { min-height: 2.8em; font-family: ui-monospace, monospace; overflow-wrap: anywhere; }
i { display: inline-block; width: .8em; height: .8em; border-radius: 2px; }
</style>
<header>
<h1></h1>
<label>Find <input type="search" id="find"></label>
<p><i style="background:#f6b26b"></i> src <i style="background:#a9c7e8"></i> packages <i style="background:#b7d7a8"></i> Node
<i style="background:#d6d3cd"></i> native, garbage collector</p>
</header>
<p>A function is as wide as its share, with the functions it calls below it. Click one to enlarge it, and the top to go back.</p>
<div id="graph"></div>
<p id="info" role="status"></p>
<script type="application/json" id="data">$DATA</script>
<script>
const { root, unit } = JSON.parse(document.getElementById('data').textContent);
const graph = document.getElementById('graph'), info = document.getElementById('info'), find = document.getElementById('find');
const kindOf = (source) =>
  source.startsWith('src/') ? 'src' : source.startsWith('node_modules/') ? 'package' : source.startsWith('node:') ? 'node' : '';
const share = (part, whole) => (whole === 0 ? 0 : (100 * part) / whole);
const textOf = ([name, source, own, total]) =>
  name + ' ' + source + ': ' + total.toFixed(1) + ' ' + unit + ' (' + share(total, root[3]).toFixed(1) + ' %), itself ' + own.toFixed(1);
document.title = root[0];
document.querySelector('h1').textContent = root[0] + ': ' + root[3].toFixed(1) + ' ' + unit;
function draw(path) {
  graph.replaceChildren();
  const top = path[path.length - 1], word = find.value.toLowerCase();
  let depth = 0;
  const add = (frame, row, left, width, ancestors) => {
    const button = document.createElement('button'), text = textOf(frame);
    button.textContent = frame[0];
    button.title = text;
    button.className = word !== '' && text.toLowerCase().includes(word) ? 'found' : kindOf(frame[1]);
    button.style.cssText = 'top:' + row * 20 + 'px;left:' + left + '%;width:' + width + '%';
    button.onclick = () => draw([...ancestors, frame]);
    button.onfocus = button.onmouseenter = () => (info.textContent = text);
    graph.append(button);
    depth = Math.max(depth, row + 1);
  };
  const addCallees = (frame, row, left, ancestors) => {
    for (const callee of frame[4]) {
      const width = share(callee[3], top[3]);
      if (width < 0.1) continue;
      add(callee, row, left, width, [...ancestors, frame]);
      addCallees(callee, row + 1, left, [...ancestors, frame]);
      left += width;
    }
  };
  path.forEach((frame, row) => add(frame, row, 0, 100, path.slice(0, row)));
  addCallees(top, path.length, 0, path.slice(0, -1));
  graph.style.height = depth * 20 + 'px';
  find.oninput = () => draw(path);
}
draw([root]);
</script>
</html>
`;
