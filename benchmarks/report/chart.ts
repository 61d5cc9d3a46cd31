/** `kind` selects the color. */
export type Series = { name: string; kind: 0 | 1 | 2 | 3 };
export type Row = { label: string; marks: { series: Series; value: number }[] };
/** Rows of values on one logarithmic axis. */
export type Chart = { title: string; about: string; unit: string; series: Series[]; rows: Row[] };

const STEPS = [1, 2, 5];

type Axis = { low: number; high: number; ticks: number[] };

/** Returns the axis from the last tick below the smallest value to the first above the largest. */
function axisOf(rows: Row[]): Axis {
  const values = rows.flatMap(({ marks }) => marks.map(({ value }) => value));
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const isWide = most / least > 50;
  const candidates = Array.from({ length: 14 }, (_, power) => power - 4).flatMap((power) =>
    (isWide ? [1] : STEPS).map((step) => step * 10 ** power),
  );
  const low = candidates.findLast((tick) => tick <= least * 0.999) ?? candidates[0]!;
  const high = candidates.find((tick) => tick >= most * 1.001) ?? candidates.at(-1)!;
  return { low, high, ticks: candidates.filter((tick) => tick >= low && tick <= high) };
}

const placeOf = (value: number, { low, high }: Axis): number => Math.log(value / low) / Math.log(high / low);

/** Formats a value: 2000 µs becomes 2 ms. */
export function withUnit(value: number, unit: string): string {
  const [size, name] = unit === 'µs' && value >= 1_000 ? [value / 1_000, 'ms'] : [value, unit];
  const digits = size >= 100 ? 0 : size >= 10 ? 1 : 2;
  return `${size.toLocaleString('en', { maximumFractionDigits: digits })} ${name}`;
}

/** Returns the value that a row shows in figures: that of the first series, or its only value. */
function figureOf(marks: Row['marks']): Row['marks'][number] | undefined {
  return marks.find(({ series }) => series.kind === 0) ?? (marks.length === 1 ? marks[0] : undefined);
}

const LABEL_WIDTH = 270;
const PLOT_WIDTH = 560;
const FIGURE_WIDTH = 80;
const ROW_HEIGHT = 24;
const LEGEND_ROW = 20;

/** Draws a chart for a page with the colors of `.kind0` to `.kind3`. */
export function svgChart(chart: Chart): string {
  const { width, height, body } = plot(chart);
  const legend = chart.series.map(
    ({ kind, name }) =>
      `<span class="key"><svg width="12" height="${LEGEND_ROW}"><circle class="kind${kind}" cx="6" cy="11" r="5"/></svg> ${escapeHtml(name)}</span>`,
  );
  return `<p class="legend">${legend.join('')}</p><svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeHtml(chart.title)}">${body}</svg>`;
}

const FILE_STYLE = `
  text { font: 12.5px system-ui, sans-serif; fill: #1c2430 } .small { font-size: 11px; fill: #56606e } .figure { font-weight: 600; fill: #0f7b6c }
  .tick, .row { stroke: #d8dee6 } .row { stroke-dasharray: 1 3 }
  .kind0 { fill: #0f7b6c } .kind1 { fill: #6b7a90 } .kind2 { fill: #d98324 } .kind3 { fill: #b3405a }
`;

/** Draws a chart as a separate file, with its legend above the plot. */
export function svgFile(chart: Chart): string {
  const { width, height, body } = plot(chart);
  const column = width / chart.series.length;
  const legend = chart.series.map(({ kind, name }, at) => {
    const x = 16 + at * column;
    return `<circle class="kind${kind}" cx="${x}" cy="16" r="5"/><text x="${x + 12}" y="20">${escapeHtml(name)}</text>`;
  });
  const top = 32;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height + top}" width="${width}" height="${height + top}" role="img" aria-label="${escapeHtml(chart.title)}">`,
    `<style>${FILE_STYLE}</style><rect width="100%" height="100%" fill="#fff"/>`,
    ...legend,
    `<g transform="translate(0 ${top})">${body}</g>`,
    '</svg>\n',
  ].join('\n');
}

function plot({ rows, unit }: Chart): { width: number; height: number; body: string } {
  const axis = axisOf(rows);
  const xOf = (value: number): number => LABEL_WIDTH + placeOf(value, axis) * PLOT_WIDTH;
  const top = 28;
  const height = top + rows.length * ROW_HEIGHT + 6;
  const ticks = axis.ticks.map((tick) => {
    const x = xOf(tick).toFixed(1);
    return `<line class="tick" x1="${x}" y1="${top - 8}" x2="${x}" y2="${height - 6}"/><text x="${x}" y="${top - 13}" text-anchor="middle" class="small">${withUnit(tick, unit)}</text>`;
  });
  const lines = rows.map(({ label, marks }, index) => {
    const y = top + index * ROW_HEIGHT + ROW_HEIGHT / 2;
    const dots = [...marks].reverse().map(({ series: own, value }) => {
      const shown = `${escapeHtml(own.name)}: ${withUnit(value, unit)}`;
      return `<circle class="kind${own.kind}" cx="${xOf(value).toFixed(1)}" cy="${y}" r="${own.kind === 0 ? 6 : 5}"><title>${shown}</title></circle>`;
    });
    const figure = figureOf(marks);
    const end =
      figure === undefined
        ? ''
        : `<text x="${LABEL_WIDTH + PLOT_WIDTH + 14}" y="${y + 4}" class="${figure.series.kind === 0 ? 'figure' : ''}">${withUnit(figure.value, unit)}</text>`;
    return `<text x="${LABEL_WIDTH - 12}" y="${y + 4}" text-anchor="end">${escapeHtml(label)}</text><line class="row" x1="${LABEL_WIDTH}" y1="${y}" x2="${LABEL_WIDTH + PLOT_WIDTH}" y2="${y}"/>${dots.join('')}${end}`;
  });
  const width = LABEL_WIDTH + PLOT_WIDTH + FIGURE_WIDTH + 14;
  return { width, height, body: [...ticks, ...lines].join('\n') };
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (mark) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[mark]!);
}
